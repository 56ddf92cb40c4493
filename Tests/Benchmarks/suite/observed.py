"""End to end like flow.py, of processes that make spans, and whose metrics are read meanwhile: what that costs."""

from __future__ import annotations

import re
import threading

from . import flow
from .bench import Bench
from .processes import Failure
from .system import System

INTERVAL = 5.0  # seconds between two readings; a Prometheus reads every 15 to 60 seconds
SUCCEEDED = re.compile(r'^teller_jobs_ended_total\{.*outcome="succeeded".*\} (\d+)', re.M)


def run_round(bench: Bench) -> None:
    """One measure. The coordinator must have counted every job."""
    count = flow.jobs(bench)
    with System(bench, observed=True) as system:
        done = threading.Event()
        reader = threading.Thread(target=read_on, args=(system, done))
        reader.start()
        try:
            measured = flow.measure(system, count, traced=True)
        finally:
            done.set()
            reader.join()
        counted = sum(map(int, SUCCEEDED.findall(system.metrics()[0])))
    if counted != count:
        raise Failure(f"{count} jobs have ended, and the metrics count {counted}")
    bench.add("observed", measured.rate)


def read_on(system: System, done: threading.Event) -> None:
    """Reads all metrics again and again, as Prometheus does."""
    while not done.wait(INTERVAL):
        system.metrics()
