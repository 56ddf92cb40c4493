"""What it takes when nothing happens, to start, and on disk. CPU and memory under load are measured in flow.py."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from . import flow
from .bench import Bench
from .processes import READY_LIMIT, cpu_seconds
from .system import System

PROGRAMS = ("teller", "testbench")


def run_round(bench: Bench) -> None:
    """Idle CPU, start-up times, sizes."""
    if not bench.results.has("cpu coordinator"):
        flow.run_round(bench)
    with System(bench, workers=1) as system:
        idle(bench, system)
    with System(bench, workers=0) as system:
        starts(bench, system)
    binaries(bench)


def idle(bench: Bench, system: System) -> None:
    """CPU of the coordinator and a worker while nothing happens, in percent of one core."""
    seconds = bench.choose(20, 3)
    time.sleep(bench.choose(3, 1))  # until what a start begins has ended
    pids = (system.coordinator.pid, system.workers[0].pid)
    before = sum(map(cpu_seconds, pids))
    time.sleep(seconds)
    bench.add("idle", (sum(map(cpu_seconds, pids)) - before) / seconds * 100)


def starts(bench: Bench, system: System) -> None:
    """From a process's start until it does its work. The worker's first job has been waiting for it."""
    system.coordinator.stop()
    coordinator = system.start_coordinator()
    coordinator.await_words("serving", pause=0.001)
    bench.add("start coordinator", (time.monotonic_ns() - coordinator.began) / 1e6)
    submit = ("submit", "--count", 1, "--kind", "effect", "--payload", '{"timed": true}')
    system.probe(*submit).finish(READY_LIMIT)
    system.probe("count", "--state", "waiting", "--until", 1).finish(READY_LIMIT)
    worker = system.start_worker()
    _, began = system.trace(0)
    bench.add("start worker", (began - worker.began) / 1e6)
    system.trace(0, "ended")
    system.await_notified(1)


def binaries(bench: Bench) -> None:
    """Their sizes in MB, as they are built and without symbols."""
    for name in PROGRAMS:
        program = bench.programs.built / name
        bench.add(f"size {name}", program.stat().st_size / 1e6)
        if shutil.which("strip"):
            bench.add(f"stripped size {name}", stripped_size(program, bench.folder / "stripped") / 1e6)


def stripped_size(program: Path, copy: Path) -> int:
    """In bytes."""
    subprocess.run(["strip", "-o", str(copy), str(program)], check=True, timeout=60)
    size = copy.stat().st_size
    copy.unlink()
    return size
