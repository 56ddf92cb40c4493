"""Dramatiq on the same broker: two worker processes, confirms; without results, and with results on Redis."""

from __future__ import annotations

import os
from contextlib import ExitStack

from . import flow
from .bench import Bench
from .processes import Child, await_true

JOBS = 8_000
LIMIT = 300.0  # seconds
PROCESSES = 2
THREADS = 2  # of each; what is best, see peers/dramatiq_app.py


def run_round(bench: Bench) -> None:
    """Without results from the first submission to the last handler's end; with them to the last result in hand."""
    bench.add("dramatiq", measure(bench, {}))
    with ExitStack() as stack:
        server = start_redis(bench)
        stack.callback(server.stop)
        server.await_words("ready to accept connections")
        bench.add("dramatiq redis", measure(bench, {"BENCH_REDIS": str(socket(bench))}))


def measure(bench: Bench, variables: dict[str, str]) -> float:
    """Jobs per second."""
    url = bench.broker.virtual_host()
    counts = bench.folder / "dramatiq.counts"
    counts.mkdir(exist_ok=True)
    environment = bench.environment(url, PYTHONPATH=str(bench.programs.peers), BENCH_COUNTS=str(counts), **variables)
    command = [str(bench.programs.python), "-m", "dramatiq", "dramatiq_app", "-p", str(PROCESSES), "-t", str(THREADS)]
    with ExitStack() as stack:
        worker = bench.child("dramatiq", command, environment)
        stack.callback(worker.stop)
        await_true("dramatiq's workers", LIMIT, lambda: len(os.listdir(counts)) == PROCESSES or worker.has_died())
        answer = produce(bench, environment).finish(LIMIT).lines()[0]
    for file in counts.iterdir():
        file.unlink()
    bench.release_queues(url)
    return JOBS / ((answer["end"] - answer["begin"]) / 1e9)


def produce(bench: Bench, environment: dict[str, str]) -> Child:
    script = str(bench.programs.peers / "dramatiq_produce.py")
    command = [str(bench.programs.python), script, str(JOBS), str(flow.PAYLOAD)]
    return bench.child("dramatiq-producer", command, environment)


def socket(bench: Bench) -> str:
    """Where Redis listens: nobody else finds it."""
    return str(bench.folder / "redis.socket")


def start_redis(bench: Bench) -> Child:
    """Without persistence: it is as fast as it can be, and loses the results when it ends."""
    files = ["--unixsocket", socket(bench), "--dir", str(bench.folder)]
    options = ["--port", "0", *files, "--save", "", "--appendonly", "no"]
    return bench.child("redis", ["redis-server", *options], dict(os.environ))
