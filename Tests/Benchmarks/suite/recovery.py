"""How soon it goes on after something has been killed."""

from __future__ import annotations

import os
import signal
import time

from .bench import Bench
from .processes import READY_LIMIT, now
from .system import System

RUNS = 1_500  # ms that a job runs whose worker is killed
HELD = 1.0  # seconds that a job is held which is to be served after the broker is back
SETTLED = 5.0  # seconds after the queues were made: RabbitMQ 3.10.8 may lose a new one that it is killed with
SERVED_LIMIT = 120.0


def run_round(bench: Bench) -> None:
    """A worker, then the broker. The coordinator is killed in growth.py, where many jobs wait."""
    if not bench.options.quick:  # a lease is most of a minute
        with System(bench) as system:
            worker(bench, system)
    with System(bench) as system:
        broker(bench, system)


def worker(bench: Bench, system: System) -> None:
    """From kill -9 of the worker that runs a job to the beginning of the next attempt on another one."""
    payload = f'{{"timed": true, "ms": {RUNS}}}'
    system.probe("submit", "--count", 1, "--kind", "effect", "--payload", payload).finish(READY_LIMIT)
    pid, _ = system.trace(0)
    killed = now()
    os.kill(pid, signal.SIGKILL)
    _, began = system.trace(1, limit=SERVED_LIMIT)
    bench.add("recovery worker", (began - killed) / 1e6)
    system.trace(0, "ended", SERVED_LIMIT)
    system.await_notified(1)


def broker(bench: Bench, system: System) -> None:
    """From the broker's first answer after kill -9 to the beginning of a job that was held meanwhile."""
    payload = '{"timed": true}'
    submit = ("submit", "--count", 1, "--kind", "effect", "--payload", payload)
    system.probe(*submit).finish(READY_LIMIT)
    system.trace(0, "ended")
    time.sleep(SETTLED)
    system.probe(*submit, "--delay", HELD).finish(READY_LIMIT)
    system.probe("count", "--state", "waiting", "--until", 1).finish(READY_LIMIT)
    bench.broker.kill()
    bench.broker.start()
    accepting = now()
    _, began = system.trace(1, limit=SERVED_LIMIT)
    bench.add("recovery broker", max(0, began - accepting) / 1e6)
    system.probe("count", "--until", 2).finish(SERVED_LIMIT)
    system.await_notified(2)


def coordinator_with_many(bench: Bench, system: System) -> None:
    """From the start of a coordinator in the place of one that was killed to its acceptance of a new job."""
    system.teller("pause", "work")
    system.coordinator.kill()
    probe = system.probe("accept")
    probe.await_line(0, READY_LIMIT)
    began = system.start_coordinator().began
    accepted = probe.finish(SERVED_LIMIT).lines()[1]["end"]
    bench.add("recovery coordinator", (accepted - began) / 1e6)
