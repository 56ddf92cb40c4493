"""What every case is given: options, programs, the broker, and where its results go."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from .arguments import Options
from .broker import Broker
from .processes import Child
from .results import Results


@dataclass(frozen=True)
class Programs:
    """Where everything is that is started."""

    root: Path
    built: Path
    limit: Path
    python: Path

    @property
    def peers(self) -> Path:
        return self.root / "Tests/Benchmarks/peers"


@dataclass
class Bench:
    """A run."""

    options: Options
    programs: Programs
    folder: Path
    broker: Broker
    results: Results
    round: int = 0

    def choose(self, full: int, quick: int) -> int:
        """A size: of a complete run, and of a quick one."""
        return quick if self.options.quick else full

    def add(self, key: str, value: float) -> None:
        """Remembers a figure of this round."""
        self.results.add(key, self.round, value)

    def has(self, key: str) -> bool:
        """Whether this round has the figure by now."""
        return self.round in self.results.values.get(key, {})

    def environment(self, url: str, **more: str) -> dict[str, str]:
        """That of a process: the broker's URL is never an argument, which everybody could read."""
        return {**os.environ, "TELLER_BROKER_URL": url, **more}

    def child(self, name: str, command: list[str], environment: dict[str, str], has_input: bool = False) -> Child:
        """Starts a process of this run. `has_input`: it works until its stdin ends."""
        return Child(self.folder, name, command, environment, has_input)

    def release_queues(self, url: str) -> None:
        """What a measurement leaves at the broker is removed; a quick run does not take the time."""
        if not self.options.quick:
            self.broker.remove_virtual_host(url)


def say(text: str) -> None:
    """To the one who waits; the table alone goes to stdout."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
