"""Runs the cases in turn, round by round, and prints one table. Started by Deploy/bench."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import (
    against, celery_peer, cost, dramatiq_peer, environment, flow, forecast, growth, latency, limit, observed, page,
    payloads, recovery, singles, steady, table, tellers, telling,
)
from .arguments import read_arguments
from .bench import Bench, Programs, say
from .broker import Broker
from .processes import Failure
from .results import Results


@dataclass(frozen=True)
class Case:
    """What is measured in a round, and how many rounds a complete run has of it."""

    run_round: Callable[[Bench], None]
    rounds: int


CASES = {
    "flow": Case(flow.run_round, 5),
    "observed": Case(observed.run_round, 5),
    "telling": Case(telling.run_round, 5),
    "limit": Case(limit.run_round, 5),
    "celery": Case(celery_peer.run_round, 5),
    "dramatiq": Case(dramatiq_peer.run_round, 5),
    "latency": Case(latency.run_round, 5),
    "steady": Case(steady.run_round, 5),
    "singles": Case(singles.run_round, 5),
    "tellers": Case(tellers.run_round, 5),
    "payloads": Case(payloads.run_round, 3),
    "growth": Case(growth.run_round, 3),
    "cost": Case(cost.run_round, 3),
    "recovery": Case(recovery.run_round, 3),
    "page": Case(page.run_round, 3),
    "forecast": Case(forecast.run_round, 20),
}


def run_cases(bench: Bench) -> None:
    """Round by round, and in each round one case after the other: the machine's speed changes within minutes."""
    options = bench.options
    rounds = {name: options.rounds or (1 if options.quick else CASES[name].rounds) for name in options.cases}
    for bench.round in range(max(rounds.values())):
        for name in options.cases:
            if bench.round < rounds[name]:
                began = time.monotonic()
                CASES[name].run_round(bench)
                say(f"round {bench.round + 1}, {name}: {time.monotonic() - began:.0f} s")


def report(bench: Bench, described: dict[str, str], is_whole: bool) -> None:
    """The table, and the JSON where it is wanted: a complete run keeps it. What was measured before a failure counts."""
    options, root = bench.options, bench.programs.root
    sizes = growth.sizes(bench)
    print(table.text(bench.results, described, sizes, options))
    path = options.json
    if path is None and options.is_complete and is_whole:
        moment = described["date"].removesuffix(" UTC").replace(" ", "-").replace(":", "")
        name = f"{moment}-{described['commit']}.json"
        path = root / "Tests/Benchmarks/results" / name
    if path:
        table.write_json(path, bench.results, described, sizes)
        say(f"results are in {path}")


HOPS = (
    "Teller's submissions and reports share messages, up to 64 each, its assignments do not; the limit and the peers "
    "have a message for each job and hop")


def peers_settings() -> str:
    """How the peers are set, in a line."""
    return (
        "peers' settings: persistent messages, confirms, acks after the work, classic durable queues; "
        "Celery: 2 solo workers, prefetch 256, rpc results; "
        f"Dramatiq: {dramatiq_peer.PROCESSES} processes of {dramatiq_peer.THREADS} threads; "
        "Redis on a socket of its own without persistence (save \"\", appendonly no)")


def keep_logs(bench: Bench) -> Path:
    """After a failure: the logs of the processes that ran last, in the place of those of the failure before."""
    kept = bench.programs.root / ".build/bench-failed"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for log in bench.folder.glob("*.log"):
        shutil.copy(log, kept)
    for log in Path(os.environ["TMPDIR"]).glob("teller-broker.*/**/*.log"):
        shutil.copy(log, kept / f"node-{log.name}")
    return kept


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = read_arguments()
    variable = {name: Path(os.environ[f"BENCH_{name}"]) for name in ("ROOT", "PROGRAMS", "LIMIT", "FOLDER")}
    programs = Programs(variable["ROOT"], variable["PROGRAMS"], variable["LIMIT"], Path(sys.executable))
    described = environment.describe(programs.root)  # of now: an hour later there may be another commit
    broker = Broker(programs.root, variable["FOLDER"], options.image)
    if options.image:
        described["RabbitMQ"] = f"{broker.version()}, of the image {options.image}"
    bench = Bench(options, programs, variable["FOLDER"], broker, Results())
    if options.debug:
        bench.results.notes.append("debug builds: the figures mean nothing")
    bench.results.notes.append(HOPS)
    if options.needs_peers:
        bench.results.notes.append(peers_settings())
    problem = None
    try:
        if options.against:
            against.run(bench, options.against)
        else:
            run_cases(bench)
    except Failure as failure:
        problem = f"bench: {failure}; the logs of all processes are in {keep_logs(bench)}"
    finally:
        broker.close()
    if options.against:
        sys.exit(problem)  # it has reported for itself
    report(bench, described, problem is None)
    sys.exit(problem)


main()
