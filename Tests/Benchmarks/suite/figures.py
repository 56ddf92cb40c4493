"""Every figure: what it is called, its unit, and what it must reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """What a median must reach."""

    value: float
    at_least: bool

    def is_reached(self, value: float) -> bool:
        return value >= self.value if self.at_least else value <= self.value


def at_least(value: float) -> Target:
    return Target(value, True)


def at_most(value: float) -> Target:
    return Target(value, False)


@dataclass(frozen=True)
class Figure:
    """A row of the table: a value of its own, or the ratio of two of the same round."""

    key: str
    title: str
    unit: str = ""
    target: Target | None = None
    below: str | None = None

    @property
    def name(self) -> str:
        """What it is called in the JSON."""
        return f"{self.key} / {self.below}" if self.below else self.key


SECTIONS: list[tuple[str, list[Figure]]] = [
    ("Throughput, 200-byte payloads", [
        Figure("flow", "end to end, 2 workers", "jobs/s"),
        Figure("observed", "end to end, with spans and metrics", "jobs/s"),
        Figure("observed", "with spans and metrics ÷ without", "", at_least(0.97), "flow"),
        Figure("limit", "the limit: a message a job and hop, bare C", "jobs/s"),
        Figure("flow", "end to end ÷ the limit", "", at_least(0.73), "limit"),
        Figure("limit corked", "the limit, in full packets", "jobs/s"),
        Figure("flow", "end to end ÷ the limit in full packets", "", None, "limit corked"),
        Figure("celery", "Celery, rpc results", "jobs/s"),
        Figure("flow", "end to end ÷ Celery", "", at_least(14), "celery"),
        Figure("dramatiq", "Dramatiq without results", "jobs/s"),
        Figure("flow", "end to end ÷ Dramatiq without results", "", at_least(6), "dramatiq"),
        Figure("dramatiq redis", "Dramatiq, results on Redis", "jobs/s"),
        Figure("flow", "end to end ÷ Dramatiq with results", "", None, "dramatiq redis"),
    ]),
    ("Rules, and more that is told", [
        Figure("rules 1", "1 rule on every outcome, jobs in all", "jobs/s"),
        Figure("rules 1", "1 rule ÷ none", "", None, "flow"),
        Figure("rules 5", "5 rules on every outcome, jobs in all", "jobs/s"),
        Figure("rules 5", "5 rules ÷ none", "", None, "flow"),
        Figure("keyed", "each with a key while it lives", "jobs/s"),
        Figure("keyed told", "the same, told that it is free: a row more", "jobs/s"),
        Figure("keyed told", "a row more ÷ without", "", None, "keyed"),
        Figure("live", "told live that it is accepted and released", "jobs/s"),
        Figure("live", "told live ÷ not told", "", None, "flow"),
    ]),
    ("Latency, from submission to outcome in hand", [
        Figure("alone p50", "one at a time, p50", "ms"),
        Figure("alone p99", "one at a time, p99", "ms"),
        Figure("limit p50", "three hops in bare C, no answer, p50", "ms"),
        Figure("limit p99", "three hops in bare C, no answer, p99", "ms"),
        Figure("answer p50", "an answer's hop in bare C, p50", "ms"),
        Figure("answer p99", "an answer's hop in bare C, p99", "ms"),
        Figure("commit p50", "a commit of a row on the ledger's disk, p50", "ms"),
        Figure("commit p99", "a commit of a row on the ledger's disk, p99", "ms"),
        Figure("floor p50", "the floor: three hops, answer, two commits", "ms"),
        Figure("alone p50", "one at a time, p50 ÷ the floor", "", at_most(1.4), "floor p50"),
        Figure("celery p50", "Celery, one at a time, p50", "ms"),
        Figure("celery p99", "Celery, one at a time, p99", "ms"),
        Figure("alone p50", "p50 ÷ Celery's, with results", "", at_most(1.6), "celery p50"),
        Figure("alone p99", "p99 ÷ Celery's, with results", "", None, "celery p99"),
        Figure("loaded rate", "half of the throughput", "jobs/s"),
        Figure("loaded p50", "at that rate, p50", "ms"),
        Figure("loaded p99", "at that rate, p99", "ms"),
    ]),
    ("At a steady rate, many tasks of one client", [
        Figure("steady alone p50", "one at a time beside these, p50", "ms"),
        *[figure for rate, target in ((100, 1.2), (500, 1.5), (1_000, 2), (2_000, 3), (3_000, 4)) for figure in (
            Figure(f"steady {rate} p50", f"at {rate:,} jobs/s, p50", "ms"),
            Figure(f"steady {rate} p50", f"at {rate:,} jobs/s ÷ one at a time", "", at_most(target), "steady alone p50"),
        )],
        Figure("cpu at 500", "CPU of broker + coordinator per job, 500 jobs/s", "µs"),
        Figure("coordinator cpu at 500", "of it the coordinator's", "µs"),
        Figure("cpu at full load", "CPU of broker + coordinator per job, full load", "µs"),
        Figure("cpu at 500", "CPU per job, 500 jobs/s ÷ full load", "", at_most(4), "cpu at full load"),
    ]),
    ("Submitted one by one, each outcome awaited", [
        Figure("singles", "most per second, 2,000 tasks of one client", "jobs/s"),
        Figure("singles", "one by one ÷ many at once, without answers", "", at_least(0.8), "flow"),
        Figure("singles cpu", "CPU of the client per 100,000 jobs", "s"),
    ]),
    ("Tellers while jobs wait; times of the handlers", [
        Figure("idle ahead 1", "idle between two jobs, ahead: 1", "ms", at_most(0.3)),
        Figure("idle ahead 0", "idle between two jobs, exact", "ms", at_most(1.5)),
        Figure("makespan 10 ms ahead 1", "4 tellers, 10 ms: makespan ÷ ideal, ahead: 1", "", at_most(1.05)),
        Figure("makespan 10 ms ahead 0", "4 tellers, 10 ms: makespan ÷ ideal, exact"),
        Figure("makespan 2 ms ahead 1", "4 tellers, 2 ms: makespan ÷ ideal, ahead: 1"),
        Figure("makespan 2 ms ahead 0", "4 tellers, 2 ms: makespan ÷ ideal, exact"),
    ]),
    ("Growth", [
        Figure("waiting few", "with {few} jobs waiting", "jobs/s"),
        Figure("waiting more", "with {more} jobs waiting", "jobs/s"),
        Figure("waiting many", "with {many} jobs waiting", "jobs/s"),
        Figure("waiting more", "with {more} ÷ with {few}", "", None, "waiting few"),
        Figure("waiting many", "with {many} ÷ with {few}", "", at_least(0.95), "waiting few"),
        Figure("accepting", "accepting {many} jobs while paused", "jobs/s"),
        Figure("peak waiting", "coordinator's peak memory, {many} waiting", "MB", at_most(150)),
        *[Figure(f"workers {count}", f"with {count} workers", "jobs/s") for count in (1, 2, 4, 8)],
    ]),
    ("Payloads, and the limit with such messages", [
        figure for size in (100, 1_000, 10_000, 100_000) for figure in (
            Figure(f"payload {size}", f"with payloads of {size / 1000:g} KB", "jobs/s"),
            Figure(f"limit {size}", f"the limit, {size / 1000:g} KB", "jobs/s"),
            Figure(f"payload {size}", f"with {size / 1000:g} KB ÷ the limit", "", None, f"limit {size}"),
        )
    ]),
    ("Cost", [
        *[Figure(f"cpu {name}", f"CPU of the {name} per 100,000 jobs", "s")
          for name in ("producer", "coordinator", "worker", "broker")],
        Figure("peak producer", "producer's peak memory", "MB"),
        Figure("peak coordinator", "coordinator's peak memory, end to end", "MB"),
        Figure("peak worker", "worker's peak memory, end to end", "MB", at_most(40)),
        Figure("idle", "idle CPU of coordinator + worker, of one core", "%", at_most(1)),
        Figure("start coordinator", "coordinator's start to serving", "ms"),
        Figure("start worker", "worker's start to its first job", "ms", at_most(100)),
        *[Figure(f"{kind} {name}", f"{kind} of {name}", "MB")
          for name in ("teller", "testbench") for kind in ("size", "stripped size")],
    ]),
    ("Recovery", [
        Figure("recovery worker", "worker killed → its job runs elsewhere", "ms"),
        Figure("recovery broker", "broker accepts again → a job is served", "ms", at_most(2_000)),
        Figure("recovery coordinator", "coordinator killed, {many} jobs → accepts again", "ms"),
    ]),
    ("The page, {more} jobs waiting, 20 jobs end a second", [
        *[Figure(f"pixel {percentile} {count}", f"job's end → seen in Chromium, {browsers}, {percentile}", "ms")
          for count, browsers in ((1, "1 browser"), (50, "50 browsers")) for percentile in ("p50", "p99")],
        *[Figure(f"{name} cpu {count}", f"CPU of the {name}, browsers: {count}, of one core", "%")
          for name in ("coordinator", "page") for count in (0, 1, 50)],
        *[Figure(f"{name} memory {count}", f"{name}'s peak memory, browsers: {count}", "MB")
          for name in ("coordinator", "page") for count in (0, 1, 50)],
    ]),
    ("Forecasts of a day at the bank, held against what then happened", [
        Figure("forecasts", "forecasts of a day"),
        Figure("forecast error", "error of a day's forecasts, median", "%"),
        Figure("forecast worst", "error of a day's forecasts, worst", "%"),
    ]),
]
