"""Celery on the same broker: two worker processes, confirms, late acks, results over rpc."""

from __future__ import annotations

from contextlib import ExitStack

from . import flow
from .bench import Bench
from .processes import Child

JOBS = 4_000
ALONE = 500
LIMIT = 300.0  # seconds
WORKERS = (["-P", "solo"], ["-P", "solo"])  # what is best, see peers/celery_app.py


def run_round(bench: Bench) -> None:
    """Jobs from the first submission to the last result in hand, and then one at a time."""
    url = bench.broker.virtual_host()
    with ExitStack() as stack:
        for ordinal, pool in enumerate(WORKERS):
            worker = start_worker(bench, url, ordinal, pool)
            stack.callback(worker.stop)
            worker.await_words("ready")
        answer = produce(bench, url).finish(LIMIT).lines()[0]
    bench.add("celery", JOBS / ((answer["end"] - answer["begin"]) / 1e9))
    for percentile in ("p50", "p99"):
        bench.add(f"celery {percentile}", answer[percentile] / 1e6)
    bench.release_queues(url)


def start_worker(bench: Bench, url: str, ordinal: int, pool: list[str]) -> Child:
    options = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"]
    command = [str(bench.programs.python), "-m", "celery", "-A", "celery_app", "worker", "-n", f"worker{ordinal}@bench"]
    return bench.child(f"celery-{ordinal}", [*command, *pool, *options], environment(bench, url))


def produce(bench: Bench, url: str) -> Child:
    script = str(bench.programs.peers / "celery_produce.py")
    command = [str(bench.programs.python), script, str(JOBS), str(ALONE), str(flow.PAYLOAD)]
    return bench.child("celery-producer", command, environment(bench, url))


def environment(bench: Bench, url: str) -> dict[str, str]:
    return bench.environment(url, PYTHONPATH=str(bench.programs.peers))
