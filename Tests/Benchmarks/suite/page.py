"""The page: from a job's end until a real browser shows it, and what coordinator and page need while people look."""

from __future__ import annotations

import re
import time
from pathlib import Path

from .bench import Bench
from .growth import FILLING_LIMIT
from .processes import READY_LIMIT, Child, Failure, cpu_seconds, peak_megabytes
from .system import FLOW_LIMIT, System

WAITING = (100_000, 1_000)  # jobs, in full and quick: as `more` of growth.py
TELLERS = 8
RUNS = 400  # ms that a job runs: with so many tellers 20 jobs a second
SECONDS = (60, 5)  # of each measurement
SETTLED = 3.0  # seconds until what a new browser asks for at its start has been answered
BROWSERS = (1, 50)  # one is a real Chromium; the others read the live stream as it does
END_LIMIT = 60.0


def run_round(bench: Bench) -> None:
    """With nobody who looks, one browser, many."""
    with System(bench, workers=0) as system:
        fill(bench, system)
        page = serve(bench, system)
        system.start_worker(TELLERS).await_words("ready")
        try:
            measure(bench, system, page, 0, [])
            for count in BROWSERS:
                look(bench, system, page, count)
        finally:
            page.stop()


def fill(bench: Bench, system: System) -> None:
    """All jobs wait before the first of them runs."""
    waiting = bench.choose(*WAITING)
    watch = system.probe("count", "--until", waiting, "--state", "waiting", "--limit", FILLING_LIMIT)
    watch.await_line(0, FLOW_LIMIT)
    payload = f'{{"timed": true, "ms": {RUNS}}}'
    system.probe("submit", "--count", waiting, "--kind", "effect", "--payload", payload).finish(FLOW_LIMIT)
    watch.finish(FILLING_LIMIT)


def serve(bench: Bench, system: System) -> Child:
    """The page, on a port that the system chooses."""
    page = bench.child("page", [system.program("teller"), "page", "--listen", "127.0.0.1:0"], system.environment)
    page.await_words("page at http")
    return page


def address(page: Child) -> str:
    found = re.search(r"http://[0-9.:]+", page.log.read_text() + page.output.read_text())
    if not found:
        raise Failure(f"the page does not say where it is: {page.last_words()}")
    return found.group().rstrip(":")


def look(bench: Bench, system: System, page: Child, count: int) -> None:
    """So many browsers for a while."""
    folder = bench.programs.root / "Tests/Benchmarks/browser"
    python = str(bench.programs.python)
    command = [python, str(folder / "look.py"), address(page), "work"]
    looking = [bench.child("browser", command, system.environment, has_input=True)]
    if count > 1:
        command = [python, str(folder / "streams.py"), address(page), "work", str(count - 1)]
        looking.append(bench.child("streams", command, system.environment, has_input=True))
    for one in looking:
        one.await_line(0, READY_LIMIT)
    measure(bench, system, page, count, looking)


def measure(bench: Bench, system: System, page: Child, count: int, looking: list[Child]) -> None:
    """What coordinator and page use meanwhile, in percent of one core and in MB; and how soon each end was seen."""
    time.sleep(SETTLED)
    began, before = time.monotonic_ns(), [cpu_seconds(one.pid) for one in (system.coordinator, page)]
    time.sleep(bench.choose(*SECONDS))
    seconds = (time.monotonic_ns() - began) / 1e9
    for name, one, used in zip(("coordinator", "page"), (system.coordinator, page), before):
        bench.add(f"{name} cpu {count}", (cpu_seconds(one.pid) - used) / seconds * 100)
        bench.add(f"{name} memory {count}", peak_megabytes(one.pid))
    if looking:
        add_delays(bench, system, count, began, [one.finish(END_LIMIT).lines()[1] for one in looking])


def add_delays(bench: Bench, system: System, count: int, began: int, told: list[dict]) -> None:
    """Percentiles, in ms, from a job's end in its handler until its row has left the screen."""
    if any(one.get("streams", count - 1) != count - 1 for one in told):
        raise Failure(f"of {count - 1} streams {told[1]['streams']} were open at the end")
    ends = ended(system.traces)
    delays = sorted((at - ends[job]) / 1e6 for job, at in told[0]["gone"] if ends.get(job, 0) > began)
    if not delays:
        raise Failure("the browser has seen no job end")
    bench.add(f"seen {count}", len(delays))
    bench.add(f"pixel p50 {count}", delays[len(delays) // 2])
    bench.add(f"pixel p99 {count}", delays[min(len(delays) - 1, len(delays) * 99 // 100)])


def ended(traces: Path) -> dict[str, int]:
    """When each job ended, as its handler wrote it."""
    lines = (line.split() for line in traces.read_text().splitlines() if " ended " in line)
    return {words[0]: int(words[4]) for words in lines}
