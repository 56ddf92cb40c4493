"""How long one job takes from its submission until its outcome is in the producer's hands."""

from __future__ import annotations

from . import flow
from .bench import Bench
from .system import System

LIMIT = 300.0  # seconds
LOAD = 0.5  # of the throughput that this run has measured


def run_round(bench: Bench) -> None:
    """One job at a time, and then at half of the maximum throughput."""
    if not bench.results.has("flow"):
        flow.run_round(bench)
    with System(bench) as system:
        alone(bench, system)
        loaded(bench, system)


def alone(bench: Bench, system: System, name: str = "alone") -> None:
    """The next one is submitted when the last one's outcome is there."""
    probe = system.probe("latency", "--count", bench.choose(500, 50))
    add(bench, name, probe.finish(LIMIT).lines()[0])


def loaded(bench: Bench, system: System) -> None:
    """Jobs come at a steady rate; what is late counts from when it was due."""
    rate = bench.results.median("flow") * LOAD
    bench.add("loaded rate", rate)
    probe = system.probe("paced", "--rate", rate, "--seconds", bench.choose(20, 2))
    add(bench, "loaded", probe.finish(LIMIT).lines()[0])


def add(bench: Bench, name: str, summary: dict[str, float]) -> None:
    """Percentiles, in ms."""
    for percentile in ("p50", "p99"):
        bench.add(f"{name} {percentile}", summary[f"{percentile}_us"] / 1000)
