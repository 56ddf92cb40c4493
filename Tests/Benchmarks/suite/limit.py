"""The limit: the same hops through the same kinds of queue, with nothing done in between (limit/limit.c).

The floor of a single job is what it cannot do without: three hops, the answer's hop, and two commits."""

from __future__ import annotations

from . import commit, flow
from .bench import Bench
from .processes import Child

LIMIT = 300.0  # seconds
COMMITS = 2  # of a single job, one after the other: its acceptance, and its end


def run_round(bench: Bench) -> None:
    """As librabbitmq is by itself, in full packets, and one message at a time."""
    count = flow.jobs(bench)
    bench.add("limit", rate(bench, count))
    bench.add("limit corked", rate(bench, count, "--cork"))
    floor(bench, bench.choose(500, 50))


def floor(bench: Bench, count: int) -> None:
    """Each part of it is measured alone, one after the other."""
    commits = commit.alone(bench.folder, count)
    parts = {
        "limit": alone(bench, count), "answer": answer(bench, count),
        "commit": [commits[count // 2], commits[count * 99 // 100]]}
    for name, percentiles in parts.items():
        for percentile, value in zip(("p50", "p99"), percentiles):
            bench.add(f"{name} {percentile}", value / 1e6)
    bench.add("floor p50", (parts["limit"][0] + parts["answer"][0] + COMMITS * parts["commit"][0]) / 1e6)


def rate(bench: Bench, count: int, *options: str, size: int = flow.PAYLOAD) -> float:
    """Four processes: submit, forward, forward, consume."""
    url = bench.broker.virtual_host()
    start(bench, url, "declare").finish(LIMIT)
    consumer = [*forwards(bench, url, count, *options), start(bench, url, *options, "consume", count)][-1]
    producer = start(bench, url, *options, "produce", count, size)
    begin = numbers(producer)[0]
    end = numbers(consumer)[1]
    bench.release_queues(url)
    return count / ((end - begin) / 1e9)


def alone(bench: Bench, count: int) -> list[int]:
    """How long a message takes through all three queues when there is no other: p50 and p99 in ns."""
    url = bench.broker.virtual_host()
    start(bench, url, "declare").finish(LIMIT)
    forwards(bench, url, count)
    took = numbers(start(bench, url, "alone", count, flow.PAYLOAD))
    bench.release_queues(url)
    return took[:2]


def answer(bench: Bench, count: int) -> list[int]:
    """How long an answer takes to a client's own queue: p50 and p99 in ns."""
    url = bench.broker.virtual_host()
    took = numbers(start(bench, url, "answer", count))
    bench.release_queues(url)
    return took[:2]


def forwards(bench: Bench, url: str, count: int, *options: str) -> list[Child]:
    return [start(bench, url, *options, "forward", hop, hop + 1, count, ordinal=hop) for hop in range(2)]


def start(bench: Bench, url: str, *arguments: object, ordinal: int = 0) -> Child:
    command = [str(bench.programs.limit), *map(str, arguments)]
    name = next(str(argument) for argument in arguments if argument != "--cork")
    return bench.child(f"limit-{name}-{ordinal}", command, bench.environment(url))


def numbers(child: Child) -> list[int]:
    """What it printed, all of it in ns; the last two are when it began and ended."""
    return [int(word) for word in child.finish(LIMIT).output.read_text().split()]
