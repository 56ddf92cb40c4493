"""Forecasts, held against what then happened: each round is a day at the bank, with customers and tellers of its own."""

from __future__ import annotations

import bisect
import json
import random
import statistics
import time
import urllib.request
from dataclasses import dataclass

from . import page
from .bench import Bench
from .processes import Child, Failure
from .system import System

DEPARTMENTS = ("deposit", "loan")
TELLERS = (1, 4)  # of a department, the fewest and the most
CUSTOMERS = (60, 200)  # of a group
GROUPS = (1, 3)  # that come in a day
PAUSE = (0.0, 15.0)  # seconds between two groups
SPEED = 2
LOOK = 0.25  # seconds between two looks at the forecasts
SHORTEST = 1_000  # ms: what is done sooner is no matter of forecasts
DAY_LIMIT = 600.0


@dataclass(frozen=True)
class Told:
    """A forecast: at a moment so many jobs were there, and should be done in so many ms."""

    department: str
    at: int
    jobs: int
    drains_in: int


def run_round(bench: Bench) -> None:
    """One day."""
    chance = random.Random(bench.round)
    tellers = {name: chance.randint(*TELLERS) for name in DEPARTMENTS}
    configuration = (bench.programs.root / "Sources/BankExample/teller.yaml").read_text()
    with System(bench, workers=0, configuration=configuration) as system:
        staffing = [f"{name}={count}" for name, count in {"init": 1, **tellers}.items()]
        command = [system.program("bank"), "worker"] + [word for one in staffing for word in ("--department", one)]
        system.workers.append(bench.child("bank-worker", command, system.environment))
        system.workers[0].await_words("ready")
        watch = bench.child("watch", [system.program("teller"), "watch", "--json"], system.environment)
        browser = page.serve(bench, system)
        try:
            told = play(bench, system, chance, page.address(browser))
        finally:
            browser.stop()
            watch.stop()
    add(bench, told, watch)


def play(bench: Bench, system: System, chance: random.Random, address: str) -> list[Told]:
    """Groups of customers come, one after the other; meanwhile the forecasts are read."""
    told: list[Told] = []
    days: list[Child] = []
    for number in range(1 if bench.options.quick else chance.randint(*GROUPS)):
        if number:
            listen(told, address, lambda end=time.monotonic() + chance.uniform(*PAUSE): time.monotonic() > end)
        customers = ["--customers", str(bench.choose(chance.randint(*CUSTOMERS), 90)), "--seed", str(chance.randrange(1 << 30))]
        command = [system.program("bank"), "day", "--json", "--speed", str(bench.choose(SPEED, 10)), *customers]
        days.append(bench.child(f"day-{number}", command, system.environment))
    listen(told, address, lambda: all(day.process.poll() is not None for day in days))
    for day in days:
        day.finish(1)
    return told


def listen(told: list[Told], address: str, is_over) -> None:
    """Reads the forecasts until that is over."""
    deadline = time.monotonic() + DAY_LIMIT
    while not is_over():
        if time.monotonic() > deadline:
            raise Failure(f"a day has not ended after {DAY_LIMIT:.0f} s")
        with urllib.request.urlopen(f"{address}/api/board", timeout=10) as answer:
            told += forecasts(json.load(answer))
        time.sleep(LOOK)


def forecasts(board: dict) -> list[Told]:
    """Those of one moment."""
    found = []
    for one in board["departments"]:
        status, drains_in = one["status"], one["forecast"].get("drains_in_ms")
        if drains_in is not None and status["name"] in DEPARTMENTS:
            jobs = status["held"] + status["queued"] + status["running"]
            found.append(Told(status["name"], board["at_ms"], jobs, drains_in))
    return found


def add(bench: Bench, told: list[Told], watch: Child) -> None:
    """How wrong the forecasts of the day were, in percent of the time that it really took."""
    ends: dict[str, list[int]] = {name: [] for name in DEPARTMENTS}
    for event in watch.lines():
        if event["event"] == "succeeded" and event.get("department") in ends:
            ends[event["department"]].append(event["at_ms"])
    errors = [error for one in told if (error := error_of(one, sorted(ends[one.department]))) is not None]
    if not errors:
        raise Failure("the day had no forecast")
    bench.add("forecasts", len(errors))
    bench.add("forecast error", statistics.median(errors))
    bench.add("forecast worst", max(errors))


def error_of(told: Told, ends: list[int]) -> float | None:
    """None: it was due too soon, or the day ended before."""
    last = bisect.bisect_right(ends, told.at) + told.jobs - 1
    if last >= len(ends) or (took := ends[last] - told.at) < SHORTEST:
        return None
    return abs(told.drains_in - took) / took * 100
