"""How busy tellers are while jobs wait for them: how long one is idle between two jobs, and how long several take for all.

Handlers sleep, and a sleep is longer than it was asked for. So what counts is the time that they measured themselves."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass

from .bench import Bench
from .processes import READY_LIMIT, await_true
from .system import CONFIGURATION, FLOW_LIMIT, System

AHEAD = (0, 1)  # jobs that a worker takes beyond its tellers
CHECK_LIMIT = 60.0  # seconds


@dataclass(frozen=True)
class Load:
    """So many tellers of one worker, and jobs of so many ms: how many in full, and quick."""

    name: str
    tellers: int
    ms: int
    jobs: tuple[int, int]


LOADS = (
    Load("one", 1, 5, (600, 40)),
    Load("10 ms", 4, 10, (2_000, 80)),
    Load("2 ms", 4, 2, (4_000, 80)),
)


@dataclass(frozen=True)
class Run:
    """When the handler of each job began and ended, in ns, in order."""

    began: list[int]
    ended: list[int]

    @property
    def idle(self) -> float:
        """From the end of a job to the beginning of the next of the only teller, in ms, the median."""
        return statistics.median(begin - end for end, begin in zip(self.ended, self.began[1:])) / 1e6

    def makespan(self, tellers: int) -> float:
        """From the first beginning to the last end, as a multiple of the time that tellers without a pause need."""
        return (self.ended[-1] - self.began[0]) / ((sum(self.ended) - sum(self.began)) / tellers)


def run_round(bench: Bench) -> None:
    """Each load, of tellers that fetch a job when they are free, and of tellers whose worker has one ahead."""
    for ahead in AHEAD:
        configuration = CONFIGURATION.replace("work: {}", f"work: {{ahead: {ahead}}}", 1)
        if not is_known(bench, configuration):  # before there was `ahead`, all tellers fetched when they were free
            if ahead:
                continue
            configuration = CONFIGURATION
        with System(bench, workers=0, configuration=configuration) as system:
            for load in LOADS:
                add(bench, load, ahead, serve(system, load, bench.choose(*load.jobs)))
            system.await_notified(sum(bench.choose(*load.jobs) for load in LOADS))


def add(bench: Bench, load: Load, ahead: int, run: Run) -> None:
    if load.tellers == 1:
        bench.add(f"idle ahead {ahead}", run.idle)
    else:
        bench.add(f"makespan {load.name} ahead {ahead}", run.makespan(load.tellers))


def serve(system: System, load: Load, count: int) -> Run:
    """All jobs wait before the worker is there; it is gone afterwards."""
    payload = json.dumps({"timed": True, "ms": load.ms})
    system.probe("submit", "--count", count, "--kind", "effect", "--payload", payload).finish(READY_LIMIT)
    system.probe("count", "--state", "waiting", "--until", count).finish(READY_LIMIT)
    system.traces.write_text("")
    worker = system.start_worker(load.tellers)
    await_true(
        f"{count} jobs end", FLOW_LIMIT, lambda: len(times(system, "ended")) == count or worker.has_died(), pause=0.2)
    run = Run(times(system, "began"), times(system, "ended"))
    worker.stop()
    system.workers.remove(worker)
    return run


def times(system: System, word: str) -> list[int]:
    """Those which the handlers wrote, in order."""
    lines = [line.split() for line in system.traces.read_text().splitlines() if f" {word} " in line]
    return sorted(int(words[4]) for words in lines)


def is_known(bench: Bench, configuration: str) -> bool:
    """Whether the coordinator that is measured understands these settings."""
    file = bench.folder / "checked.yaml"
    file.write_text(configuration)
    command = [str(bench.programs.built / "teller"), "config", "check", str(file)]
    check = bench.child("check", command, bench.environment("amqp://localhost/%2F"))
    status = check.process.wait(CHECK_LIMIT)
    check.forget()
    return status == 0
