"""The limit: the same hops through the same kinds of queue, with nothing done in between (limit.c)."""

from __future__ import annotations

from . import flow
from .bench import Bench
from .processes import Child

LIMIT = 300.0  # seconds


def run_round(bench: Bench) -> None:
    """Four processes: submit, forward, forward, consume; as many jobs as the flow has."""
    url = bench.broker.virtual_host()
    start(bench, url, "declare").finish(LIMIT)
    count = flow.jobs(bench)
    links = [("forward", 0, 1, count), ("forward", 1, 2, count), ("consume", count)]
    children = [start(bench, url, *link, ordinal=ordinal) for ordinal, link in enumerate(links)]
    producer = start(bench, url, "produce", count, flow.PAYLOAD)
    begin = span(producer)[0]
    end = [span(child)[1] for child in children][-1]
    bench.add("limit", count / ((end - begin) / 1e9))
    bench.release_queues(url)


def start(bench: Bench, url: str, *arguments: object, ordinal: int = 0) -> Child:
    command = [str(bench.programs.limit), *map(str, arguments)]
    return bench.child(f"limit-{arguments[0]}-{ordinal}", command, bench.environment(url))


def span(child: Child) -> tuple[int, int]:
    """When it began and ended, in ns."""
    begin, end = child.finish(LIMIT).output.read_text().split()
    return int(begin), int(end)
