"""What was measured: for each figure a value of each round."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field


@dataclass
class Results:
    """Values by figure and round. The units are those of figures.py."""

    values: dict[str, dict[int, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, key: str, number: int, value: float) -> None:
        """Remembers a figure of a round."""
        self.values.setdefault(key, {})[number] = value

    def has(self, key: str) -> bool:
        return bool(self.values.get(key))

    def of(self, key: str) -> list[float]:
        """All rounds' values, in the order of the rounds."""
        rounds = self.values.get(key, {})
        return [rounds[number] for number in sorted(rounds)]

    def median(self, key: str) -> float:
        return statistics.median(self.of(key))

    def ratios(self, above: str, below: str) -> list[float]:
        """A figure as a part of another one of the same round: the machine was equally fast then."""
        first, second = self.values.get(above, {}), self.values.get(below, {})
        return [first[number] / second[number] for number in sorted(first.keys() & second.keys()) if second[number]]
