"""The programs of another checkout beside those of this one, in turn in one run: what a change costs."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

from . import flow, growth, latency, singles, steady
from .bench import Bench, say
from .results import Results
from .system import System
from .table import number

ROUNDS = 5
RATES = (100, 500, 1_000)  # jobs/s
HELP_LIMIT = 60.0  # seconds


@dataclass(frozen=True)
class Compared:
    """A figure of both, and whether more of it is better."""

    key: str
    title: str
    unit: str
    is_rate: bool = False

    def ratio(self, here: float, other: float) -> float:
        """Above 1 where this checkout is better."""
        return here / other if self.is_rate else other / here


FIGURES = (
    Compared("flow", "end to end, 2 workers", "jobs/s", is_rate=True),
    Compared("alone p50", "one at a time, p50", "ms"),
    Compared("alone p99", "one at a time, p99", "ms"),
    *[Compared(f"steady {rate} p50", f"at {rate:,} jobs/s, p50", "ms") for rate in RATES],
    Compared("cpu at 500", "CPU of broker + coordinator per job, 500 jobs/s", "µs"),
    Compared("singles", "one by one, 2,000 tasks of one client", "jobs/s", is_rate=True),
    Compared("accepting", "accepting {many} jobs while paused", "jobs/s", is_rate=True),
    Compared("waiting many", "with {many} jobs waiting", "jobs/s", is_rate=True),
    *[Compared(f"cpu {name}", f"CPU of the {name} per 100,000 jobs", "s") for name in ("coordinator", "worker")],
    Compared("peak coordinator", "coordinator's peak memory, end to end", "MB"),
    Compared("peak worker", "worker's peak memory, end to end", "MB"),
    Compared("peak waiting", "coordinator's peak memory, {many} waiting", "MB"),
)
COLUMNS = ("", "here", "other", "ratio", "min–max")
WIDTHS = (48, 14, 14, 7, 13)


def run(bench: Bench, other: Path) -> None:
    """Round by round both, each the first in every second round; a table at the end."""
    beside = replace(bench, programs=replace(bench.programs, built=other), results=Results())
    benches = {"here": bench, "other": beside}
    rounds = bench.options.rounds or (1 if bench.options.quick else ROUNDS)
    for turn in range(rounds):
        for name in sorted(benches, reverse=turn % 2 == 1):
            benches[name].round = turn
            run_round(benches[name])
            say(f"round {turn + 1}, {name}: end to end {number(benches[name].results.of('flow')[-1])} jobs/s")
    print(text(bench, beside))
    if bench.options.json:
        write_json(bench.options.json, bench, beside)


def run_round(bench: Bench) -> None:
    """Each figure once."""
    flow.run_round(bench)
    with System(bench) as system:
        latency.alone(bench, system)
        for rate in RATES:
            steady.measure(bench, system, rate)
        if knows_singles(system):
            singles.measure(bench, system)
    with System(bench) as system:
        growth.with_waiting(bench, system, "many", bench.choose(*growth.WAITING["many"]))


def knows_singles(system: System) -> bool:
    """Whether the probe of an earlier checkout can measure them. Without the command it prints its general help."""
    return system.probe("singles", "--help").finish(HELP_LIMIT).says("--tasks")


def figures(here: Bench, other: Bench) -> list[Compared]:
    """Those that both have."""
    return [figure for figure in FIGURES if here.results.has(figure.key) and other.results.has(figure.key)]


def ratios(figure: Compared, here: Bench, other: Bench) -> list[float]:
    """One of each round: the machine was equally fast then."""
    pairs = zip(here.results.of(figure.key), other.results.of(figure.key), strict=True)
    return [figure.ratio(*pair) for pair in pairs]


def text(here: Bench, other: Bench) -> str:
    """The table: medians, and the median of the ratios."""
    rows = [COLUMNS] + [row(figure, here, other) for figure in figures(here, other)]
    lines = ["  ".join([first.ljust(WIDTHS[0]), *(cell.rjust(width) for cell, width in zip(rest, WIDTHS[1:]))]).rstrip()
             for first, *rest in rows]
    return "\n".join([f"other: {other.programs.built}", "a ratio above 1: here it is better", *lines])


def row(figure: Compared, here: Bench, other: Bench) -> tuple[str, ...]:
    found = ratios(figure, here, other)
    medians = [f"{number(bench.results.median(figure.key))} {figure.unit}" for bench in (here, other)]
    return (figure.title.format(**growth.sizes(here)), *medians, f"{statistics.median(found):.3f}",
            f"{min(found):.3f}–{max(found):.3f}")


def write_json(path: Path, here: Bench, other: Bench) -> None:
    """Every value of both, and the ratios, by round."""
    document = {
        figure.key: {
            "unit": figure.unit, "here": here.results.of(figure.key), "other": other.results.of(figure.key),
            "ratios": ratios(figure, here, other)}
        for figure in figures(here, other)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    say(f"results are in {path}")
