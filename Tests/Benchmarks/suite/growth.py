"""Whether it stays as fast with many jobs waiting, and with more workers. Larger payloads are in payloads.py."""

from __future__ import annotations

import os

from . import flow, recovery
from .bench import Bench
from .processes import now, peak_megabytes
from .system import FLOW_LIMIT, System

WAITING = {"few": (1_000, 500), "more": (100_000, 1_000), "many": (1_000_000, 2_000)}  # in full, quick
COMPLETIONS = (30_000, 1_000)  # that are timed, in full and quick
WORKERS = (1, 2, 4, 8)
FILLING_LIMIT = 3_600.0  # seconds until the jobs that are to wait are accepted


def run_round(bench: Bench) -> None:
    """Each size once."""
    for name, (full, quick) in WAITING.items():
        with System(bench) as system:
            with_waiting(bench, system, name, bench.choose(full, quick))
    for workers in WORKERS[:2] if bench.options.quick else WORKERS:
        with System(bench, workers) as system:
            bench.add(f"workers {workers}", flow.measure(system, bench.choose(*COMPLETIONS)).rate)


def sizes(bench: Bench) -> dict[str, str]:
    """How many jobs wait, as the table says it."""
    return {name: f"{bench.choose(*counts):,}" for name, counts in WAITING.items()}


def with_waiting(bench: Bench, system: System, name: str, waiting: int) -> None:
    """So many jobs wait; then they may run while more come, and the first of them that end are timed."""
    timed = bench.choose(*COMPLETIONS)
    system.teller("pause", "work")
    fill(bench, system, name, waiting)
    os.sync()  # what the filling left to be written would be written while others wait for the disk
    watch = system.probe("count", "--until", timed, "--limit", FLOW_LIMIT)
    watch.await_line(0, FLOW_LIMIT)
    begin = now()
    system.teller("resume", "work")
    producer = system.probe("submit", "--count", timed)
    end = watch.finish(FLOW_LIMIT).lines()[1]
    bench.add(f"waiting {name}", end["count"] / ((end["at"] - begin) / 1e9))
    producer.finish(FLOW_LIMIT)
    if name == "many":
        recovery.coordinator_with_many(bench, system)
    elif bench.options.quick:
        system.probe("count", "--until", waiting + timed).finish(FLOW_LIMIT)
        system.await_notified(waiting + timed)


def fill(bench: Bench, system: System, name: str, waiting: int) -> None:
    """Submits what is to wait, until all of it is accepted."""
    watch = system.probe("count", "--until", waiting, "--state", "waiting", "--limit", FILLING_LIMIT)
    watch.await_line(0, FLOW_LIMIT)
    producer = system.probe("submit", "--count", waiting)
    end = watch.finish(FILLING_LIMIT).lines()[1]["at"]
    begin = producer.finish(FLOW_LIMIT).lines()[0]["begin"]
    if name == "many":
        bench.add("accepting", waiting / ((end - begin) / 1e9))
        bench.add("peak waiting", peak_megabytes(system.coordinator.pid))
