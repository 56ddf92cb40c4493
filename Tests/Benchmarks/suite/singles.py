"""Single submissions: each of many tasks of one client submits a job, waits for its outcome, and submits the next."""

from __future__ import annotations

from . import flow
from .bench import Bench
from .system import System

TASKS = 2_000
LIMIT = 300.0  # seconds


def run_round(bench: Bench) -> None:
    """The most jobs per second, beside what comes through when many are submitted at once and nobody waits."""
    if not bench.has("flow"):
        flow.run_round(bench)
    with System(bench) as system:
        measure(bench, system)


def measure(bench: Bench, system: System) -> None:
    """From the first submission to the last outcome in hand."""
    count = bench.choose(60_000, 2_500)
    span, took = system.probe("singles", "--count", count, "--tasks", TASKS).finish(LIMIT).lines()
    bench.add("singles", count / ((span["end"] - span["begin"]) / 1e9))
    bench.add("singles cpu", took["cpu_seconds"] * flow.PER / count)
