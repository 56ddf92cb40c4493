"""Processes of a run: started, watched, measured and ended by their own pids."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable

READY_LIMIT = 60.0  # seconds until a process says that it is ready; normal is less than one
DRAIN_LIMIT = 30.0  # seconds for a process to end in good order
END_LIMIT = 10.0  # seconds until a killed process is gone
TICKS = os.sysconf("SC_CLK_TCK")  # of CPU time, per second


class Failure(Exception):
    """Something does not work, said in one line."""


def now() -> int:
    """The machine's monotonic clock in nanoseconds: the same in all processes."""
    return time.monotonic_ns()


def await_true(what: str, limit: float, is_true: Callable[[], bool], pause: float = 0.005) -> None:
    """Waits until something is true, for at most `limit` seconds; looks again after `pause` seconds."""
    deadline = time.monotonic() + limit
    while not is_true():
        if time.monotonic() > deadline:
            raise Failure(f"waited {limit:.0f} s in vain: {what}")
        time.sleep(pause)


def cpu_seconds(pid: int) -> float:
    """What a process has used of the CPU, all of its threads together; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_megabytes(pid: int) -> float:
    """The most memory that a process has had resident (VmHWM), in MB of 1,000,000 bytes; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:")), 0.0)


class Child:
    """A process of this run. Its pid is a file, by which the guard of Deploy/bench ends it if nobody else does."""

    def __init__(
        self, folder: Path, name: str, command: list[str], environment: dict[str, str], has_input: bool = False,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.output = folder / f"{name}.out"
        self.pid_file = folder / f"{name}.pid"
        self.began = now()
        with self.log.open("wb") as log, self.output.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE if has_input else subprocess.DEVNULL, stdout=output, stderr=log,
                env=environment, start_new_session=True)
        self.pid_file.write_text(str(self.process.pid))

    @property
    def pid(self) -> int:
        return self.process.pid

    def says(self, words: str) -> bool:
        """Whether it has printed these words."""
        return any(words in path.read_text(errors="replace") for path in (self.log, self.output))

    def await_words(self, words: str, pause: float = 0.01, limit: float = READY_LIMIT) -> None:
        """Waits until it prints these words."""
        await_true(f"{self.name} says {words!r}", limit, lambda: self.says(words) or self.has_died(), pause)

    def has_died(self) -> bool:
        """False while it runs; raises when it has ended."""
        if self.process.poll() is None:
            return False
        raise Failure(f"{self.name} ended with status {self.process.returncode}: {self.last_words()}")

    def last_words(self) -> str:
        """The end of what it printed, in one line."""
        text = self.log.read_text(errors="replace").strip() or self.output.read_text(errors="replace").strip()
        return " | ".join(text.splitlines()[-3:])[-400:] or "it said nothing"

    def lines(self) -> list[Any]:
        """What it has printed so far: complete lines of JSON."""
        text = self.output.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def await_line(self, index: int, limit: float) -> Any:
        """A line of JSON, as soon as it is printed."""
        await_true(f"{self.name}'s line {index + 1}", limit, lambda: len(self.lines()) > index or self.has_died())
        return self.lines()[index]

    def finish(self, limit: float) -> Child:
        """Waits until it has ended well. What works until its stdin ends is told to end."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            status = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} has not ended after {limit:.0f} s: {self.last_words()}") from None
        self.forget()
        if status != 0:
            raise Failure(f"{self.name} ended with status {status}: {self.last_words()}")
        return self

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(END_LIMIT)
        self.forget()

    def stop(self) -> None:
        """SIGTERM, and kill -9 for its whole session when that does not help in time."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(DRAIN_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill_session()
            self.process.wait(END_LIMIT)
        self.kill_session()
        self.forget()

    def kill_session(self) -> None:
        """Also what outlives a process that has ended by itself: nobody else finds it any more."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def forget(self) -> None:
        """It has ended: its pid may be somebody else's soon."""
        self.pid_file.unlink(missing_ok=True)
