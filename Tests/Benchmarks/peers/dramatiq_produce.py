"""Submits to Dramatiq: dramatiq_produce.py JOBS BYTES. Prints a line of JSON, times in ns."""

import json
import os
import struct
import sys
import time
from pathlib import Path

from dramatiq_app import noop, socket

LIMIT = 120  # seconds


def done() -> int:
    """How many jobs the worker processes have counted."""
    return sum(struct.unpack("=Q", file.read_bytes())[0] for file in Path(os.environ["BENCH_COUNTS"]).iterdir())


def await_done(count: int) -> None:
    deadline = time.monotonic() + LIMIT
    while done() < count:
        if time.monotonic() > deadline:
            sys.exit(f"{done()} of {count} jobs are done after {LIMIT} s")
        time.sleep(0.005)


def main() -> None:
    jobs, size = map(int, sys.argv[1:])
    payload = "x" * size
    begin = time.monotonic_ns()
    messages = [noop.send(payload) for _ in range(jobs)]
    if socket:
        for message in messages:
            message.get_result(block=True, timeout=LIMIT * 1000)
    else:
        await_done(jobs)
    print(json.dumps({"begin": begin, "end": time.monotonic_ns()}))


main()
