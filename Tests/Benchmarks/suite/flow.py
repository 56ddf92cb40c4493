"""End to end: one producer, the coordinator, workers; and what it costs them."""

from __future__ import annotations

from dataclasses import dataclass

from .bench import Bench
from .processes import cpu_seconds, peak_megabytes
from .system import FLOW_LIMIT, System

PAYLOAD = 200  # bytes of JSON
PER = 100_000  # jobs, that costs are told for


@dataclass(frozen=True)
class Flow:
    """How fast jobs went through (jobs/s), and what it took: CPU seconds and MB by process."""

    rate: float
    cpu: dict[str, float]
    peak: dict[str, float]


def jobs(bench: Bench) -> int:
    """How many jobs a measure of the flow has."""
    return bench.choose(100_000, 5_000)


def run_round(bench: Bench) -> None:
    """One measure, with what it costs per 100,000 jobs."""
    count = jobs(bench)
    with System(bench) as system:
        flow = measure(system, count)
    bench.add("flow", flow.rate)
    for name, seconds in flow.cpu.items():
        bench.add(f"cpu {name}", seconds * PER / count)
    bench.add("cpu at full load", (flow.cpu["broker"] + flow.cpu["coordinator"]) * 1e6 / count)
    for name, megabytes in flow.peak.items():
        bench.add(f"peak {name}", megabytes)


def measure(
    system: System, submitted: int, size: int = PAYLOAD, traced: bool = False, per_job: int = 1, keyed: bool = False,
    told: int = 1,
) -> Flow:
    """From the first submission to the last outcome that is recorded and whose notification is sent. `per_job`: the jobs
    that one submission comes to, with those of rules; `keyed`: each has a key; `told`: the notifications of each job."""
    before = used(system)
    count = submitted * per_job
    number = ["--notification", count * told] if told > 1 else []  # which the programs of an earlier checkout do not know
    watch = system.probe("count", "--until", count, "--limit", FLOW_LIMIT, "--notified", *number)
    watch.await_line(0, FLOW_LIMIT)
    flags = (["--traced"] if traced else []) + (["--keyed"] if keyed else [])
    producer = system.probe("submit", "--count", submitted, "--bytes", size, *flags)
    seen = watch.finish(FLOW_LIMIT).lines()[1]
    marked = system.await_notified(count)  # the coordinator writes down what is sent up to half a second later
    end = max(seen["at"], seen.get("notified") or marked)
    span, took = producer.finish(FLOW_LIMIT).lines()
    cpu = {name: seconds - before.get(name, 0) for name, seconds in used(system).items()}
    cpu["producer"] = took["cpu_seconds"]
    return Flow(count / ((end - span["begin"]) / 1e9), cpu, peaks(system) | {"producer": took["peak_kb"] * 1024 / 1e6})


def used(system: System) -> dict[str, float]:
    """CPU seconds until now; of a worker the mean."""
    workers = [cpu_seconds(worker.pid) for worker in system.workers]
    return {
        "coordinator": cpu_seconds(system.coordinator.pid),
        "worker": sum(workers) / len(workers),
        "broker": cpu_seconds(system.bench.broker.pid),
    }


def peaks(system: System) -> dict[str, float]:
    """Peak memory in MB; of the workers that of the largest."""
    return {
        "coordinator": peak_megabytes(system.coordinator.pid),
        "worker": max(peak_megabytes(worker.pid) for worker in system.workers),
    }
