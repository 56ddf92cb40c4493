"""Payloads of several sizes: end to end, and the limit with messages of the same size."""

from __future__ import annotations

from . import flow, limit
from .bench import Bench
from .system import System

SIZES = {  # bytes: jobs, in full and quick
    100: (30_000, 500), 1_000: (30_000, 500), 10_000: (20_000, 250), 100_000: (4_000, 50),
}


def run_round(bench: Bench) -> None:
    """Each size once."""
    for size, counts in SIZES.items():
        count = bench.choose(*counts)
        with System(bench) as system:
            bench.add(f"payload {size}", flow.measure(system, count, size).rate)
        bench.add(f"limit {size}", limit.rate(bench, count, size=size))
