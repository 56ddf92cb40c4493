"""Submits to Celery and takes the results: celery_produce.py JOBS ALONE BYTES. Prints a line of JSON, times in ns."""

import json
import sys
import time

from celery_app import noop

LIMIT = 120  # seconds for one result


def together(count: int, payload: str) -> tuple[int, int]:
    """All at once; when it began, and when the last result was here."""
    begin = time.monotonic_ns()
    results = [noop.apply_async((payload,)) for _ in range(count)]
    for result in results:
        result.get(timeout=LIMIT)
    return begin, time.monotonic_ns()


def alone(count: int, payload: str) -> list[int]:
    """One after the other; how long each took."""
    taken = []
    for _ in range(count):
        begin = time.monotonic_ns()
        noop.apply_async((payload,)).get(timeout=LIMIT)
        taken.append(time.monotonic_ns() - begin)
    return sorted(taken)


def main() -> None:
    jobs, single, size = map(int, sys.argv[1:])
    payload = "x" * size
    alone(20, payload)
    begin, end = together(jobs, payload)
    taken = alone(single, payload)
    percentiles = {f"p{part}": taken[len(taken) * part // 100] for part in (50, 99)}
    print(json.dumps({"begin": begin, "end": end, **percentiles}))


main()
