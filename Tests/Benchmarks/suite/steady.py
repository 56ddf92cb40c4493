"""Jobs that come at a steady rate from many tasks of one client: how long each takes, and what it costs at a low load."""

from __future__ import annotations

from . import flow, latency
from .bench import Bench
from .system import System

RATES = (100, 500, 1_000, 2_000, 3_000)  # jobs/s
QUICK_RATES = (100, 500)
COSTED = 500  # jobs/s: the rate at which the CPU of a job is told
WARM_UP = 1  # seconds that the probe does not measure
LIMIT = 300.0  # seconds


def run_round(bench: Bench) -> None:
    """One at a time, and then at each rate, by the same processes and within a minute or two."""
    if not bench.has("cpu at full load"):
        flow.run_round(bench)
    with System(bench) as system:
        latency.alone(bench, system, "steady alone")
        for rate in QUICK_RATES if bench.options.quick else RATES:
            measure(bench, system, rate)


def measure(bench: Bench, system: System, rate: int) -> None:
    """What is late counts from when it was due."""
    seconds = bench.choose(10, 1)
    before = flow.used(system)
    probe = system.probe("paced", "--rate", rate, "--seconds", seconds)
    latency.add(bench, f"steady {rate}", probe.finish(LIMIT).lines()[0])
    if rate == COSTED:
        used = {name: spent - before[name] for name, spent in flow.used(system).items()}
        jobs = rate * (WARM_UP + seconds)
        for key, spent in (("cpu", used["broker"] + used["coordinator"]), ("coordinator cpu", used["coordinator"])):
            bench.add(f"{key} at {rate}", spent * 1e6 / jobs)
