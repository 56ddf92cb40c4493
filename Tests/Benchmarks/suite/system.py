"""Teller as a whole: a coordinator, its ledger and its workers, as real processes with queues of their own."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import urllib.request
from contextlib import closing
from pathlib import Path
from types import TracebackType

from .bench import Bench
from .processes import Child, Failure, await_true, now

TELLERS = 256  # of each worker
FLOW_LIMIT = 900.0  # seconds for any number of jobs to end
NOTIFIED_LIMIT = 60.0  # seconds from the last outcome to its notification
COMMAND_LIMIT = 120.0
METRICS_LIMIT = 10.0  # seconds for a process to tell its metrics
CONFIGURATION = """departments: {work: {}, side: {}}
kinds: {noop: {department: work}, echo: {department: work}, effect: {department: work}}
"""


class System:
    """A coordinator and so many workers, until the end of a `with`."""

    def __init__(
        self, bench: Bench, workers: int = 2, observed: bool = False, more: str = "", configuration: str = CONFIGURATION,
    ) -> None:
        self.bench = bench
        self.wanted = workers
        self.observed = observed  # with spans, and with metrics that are read
        self.configuration = configuration + more
        self.ports: list[int] = []
        self.workers: list[Child] = []
        self.folder = bench.folder / f"system-{bench.broker.virtual_hosts}"
        self.ledger = self.folder / "teller.ledger"
        self.traces = self.folder / "traces"
        self.url = bench.broker.virtual_host()
        self.environment = bench.environment(
            self.url, TELLER_CONFIG=str(self.folder / "teller.yaml"), TELLER_LEDGER=str(self.ledger),
            TESTBENCH_EFFECTS=str(self.traces))

    def __enter__(self) -> System:
        self.folder.mkdir()
        (self.folder / "teller.yaml").write_text(self.configuration)
        self.traces.touch()
        self.start_coordinator().await_words("serving")
        for worker in [self.start_worker() for _ in range(self.wanted)]:
            worker.await_words("ready")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for worker in self.workers:
            worker.stop()
        self.coordinator.stop()
        shutil.rmtree(self.folder)
        if error is None:
            self.bench.release_queues(self.url)

    def program(self, name: str) -> str:
        return str(self.bench.programs.built / name)

    def start_coordinator(self) -> Child:
        """Also in the place of one that was killed."""
        metrics = {"TELLER_HEALTH": self.address()} if self.observed else {}
        self.coordinator = self.bench.child(
            "coordinator", [self.program("teller"), "coordinator"], self.environment | metrics)
        return self.coordinator

    def start_worker(self, tellers: int = TELLERS) -> Child:
        """One more."""
        command = [self.program("testbench"), "--department", f"work={tellers}"]
        if self.observed:
            command += ["--traced", "--health", self.address()]
        worker = self.bench.child(f"worker-{len(self.workers) + 1}", command, self.environment)
        self.workers.append(worker)
        return worker

    def address(self) -> str:
        """Where one more process tells its metrics."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.ports.append(free.getsockname()[1])
        return f"127.0.0.1:{self.ports[-1]}"

    def metrics(self) -> list[str]:
        """What each process tells of itself: the coordinator, then the workers."""
        texts = []
        for port in self.ports:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=METRICS_LIMIT) as answer:
                texts.append(answer.read().decode())
        return texts

    def probe(self, name: str, *arguments: object) -> Child:
        """A benchprobe."""
        command = [self.program("benchprobe"), name, *map(str, arguments)]
        return self.bench.child(f"probe-{name}", command, self.environment)

    def teller(self, *arguments: str) -> None:
        """A command of `teller`, to its end."""
        command = [self.program("teller"), *arguments]
        self.bench.child("command", command, self.environment).finish(COMMAND_LIMIT)

    def ask_ledger(self, query: str) -> int:
        """A number of the ledger, which is only read."""
        with closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True, timeout=10)) as ledger:
            return ledger.execute(query).fetchone()[0]

    def await_notified(self, jobs: int) -> int:
        """Waits until every outcome has been notified; the time then, in ns. None may be missing."""
        query = "SELECT min(number) >= (SELECT max(number) FROM notification) FROM reader"
        # The programs of an earlier checkout, which are measured beside these.
        if self.ask_ledger("SELECT count(*) FROM sqlite_master WHERE name = 'reader'") == 0:
            query = "SELECT sent_seq >= (SELECT max(seq) FROM notification) FROM ledger"
        await_true("every outcome is notified", NOTIFIED_LIMIT, lambda: self.ask_ledger(query) == 1)
        end = now()
        # Beside them stands what else is told: departments that were paused, attempts that failed.
        recorded = self.ask_ledger(
            "SELECT count(*) FROM notification WHERE event IN ('succeeded', 'failed', 'cancelled')")
        if recorded != jobs:
            raise Failure(f"{jobs} jobs were submitted, and there are {recorded} notifications of outcomes")
        return end

    def trace(self, ordinal: int, word: str = "began", limit: float = 60.0) -> tuple[int, int]:
        """The pid and the time in ns of the so manieth job that began or ended, as its handler wrote them."""
        def lines() -> list[list[str]]:
            return [line.split() for line in self.traces.read_text().splitlines() if f" {word} " in line]

        await_true(f"job {ordinal + 1} {word}", limit, lambda: len(lines()) > ordinal, pause=0.002)
        return int(lines()[ordinal][2]), int(lines()[ordinal][4])

