"""End to end like flow.py, with rules, and with more that is told: what that costs."""

from __future__ import annotations

from . import flow
from .bench import Bench
from .system import System

RULES = (1, 5)
RULE = """  again-{number}:
    on: {{event: succeeded, kind: noop}}
    submit: {{kind: echo, payload: {{of: "${{job}}"}}}}
"""


def run_round(bench: Bench) -> None:
    """Each a system of its own, with as many outcomes as the flow has."""
    count = flow.jobs(bench)
    for rules in RULES[:1] if bench.options.quick else RULES:
        more = "rules:\n" + "".join(RULE.format(number=number) for number in range(rules))
        run(bench, f"rules {rules}", count // (1 + rules), more, per_job=1 + rules)
    run(bench, "keyed", count, "", keyed=True)
    run(bench, "keyed told", count, "notify: [key_freed]\n", keyed=True, told=2)
    run(bench, "live", count, "live: [accepted, released]\n")


def run(
    bench: Bench, key: str, submitted: int, more: str, per_job: int = 1, keyed: bool = False, told: int = 1,
) -> None:
    """`per_job`: the jobs that one submission comes to. `told`: the notifications of each job."""
    with System(bench, more=more) as system:
        measured = flow.measure(system, submitted, per_job=per_job, keyed=keyed, told=told)
    bench.add(key, measured.rate)
