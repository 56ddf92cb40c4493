"""The numbers between two boards: events come at once, and boards and reports a moment later or earlier."""

from browser import MODULE, connected, scenario

# One job waits and is held, one waits in its queue, and one runs.
SINCE = """
async (cases) => {
  const { Since } = await (%s)('since.js');
  const row = (job, released) => ({ job, number: 1, kind: 'k', since_ms: 0, released });
  return cases.map(({ board, events }) => {
    const since = new Since();
    const status = { name: 'd', held: 1, queued: 1, running: 1, succeeded: 5, failed: 0, cancelled: 0 };
    const waiting = [row('queued', true), row('held', false)];
    const hear = () => since.hear(events.map((one) => ({ department: 'd', epoch: 2, at_ms: 900, ...one })));
    const see = () => since.seeBoard({ at_ms: 1000, epoch: 2, through: 70, counted: 72, ...board });
    return [[hear, see], [see, hear]].map((steps) => {
      for (const step of steps) step();
      const now = since.correct({ status, waiting, running: [{ job: 'runs' }] });
      const { held, queued, running, succeeded } = now.status;
      return [held, queued, running, succeeded, now.waiting.map((one) => one.job), now.running.map((one) => one.job)];
    });
  });
}
""" % MODULE

UNTOUCHED = [1, 1, 1, 5, ["queued", "held"], ["runs"]]
# What has come, and what is shown then: the numbers (held, queued, running, succeeded) and the rows.
CASES = [
    ("its end is in the board", [("runs", "succeeded", {"seq": 70})], UNTOUCHED),
    ("it ended before the board, and the coordinator heard of it after it", [("runs", "succeeded", {"seq": 73})],
     [1, 1, 0, 6, ["queued", "held"], []]),
    ("it ended after the board by its time, and the board has it", [("runs", "succeeded", {"seq": 69, "at_ms": 1001})],
     UNTOUCHED),
    ("the numbers have it, and the rows of held jobs do not", [("held", "cancelled", {"seq": 72})],
     [1, 1, 1, 5, ["queued"], ["runs"]]),
    ("it ended in its queue", [("queued", "succeeded", {"seq": 73})], [1, 0, 1, 6, ["held"], ["runs"]]),
    ("it has begun", [("queued", "started", {"at_ms": 1000})], [1, 0, 2, 5, ["held"], ["runs", "queued"]]),
    ("it had begun before", [("queued", "started", {"at_ms": 999})], UNTOUCHED),
    ("it has begun and ended", [("queued", "started", {"at_ms": 1000}), ("queued", "succeeded", {"seq": 73})],
     [1, 0, 1, 6, ["held"], ["runs"]]),
    ("its end is told before its beginning", [("queued", "succeeded", {"seq": 73}), ("queued", "started", {"at_ms": 1001})],
     [1, 0, 1, 6, ["held"], ["runs"]]),
    ("an event of the epoch before", [("runs", "succeeded", {"seq": 99, "epoch": 1})], UNTOUCHED),
    ("an event of the next epoch", [("runs", "succeeded", {"seq": 1, "epoch": 3})], [1, 1, 0, 6, ["queued", "held"], []]),
]


@scenario
def since_the_board(stage):
    """an event changes the numbers exactly if the board does not have it, whichever comes first"""
    page = stage.open("/bank")
    connected(page)
    asked = [{"events": [{"job": job, "event": event, **more} for job, event, more in events]} for _, events, _ in CASES]
    for (what, _, shown), found in zip(CASES, page.evaluate(SINCE, asked), strict=True):
        assert found == [shown, shown], f"{what}: {found}, and not {shown}"


# Each step is an event with its place, a board that begins or ends the day, or the answer of a report.
SERVED = """
async (steps) => {
  const modules = { since: await (%s)('since.js'), source: await (%s)('source.js') };
  const screen = JSON.parse(document.querySelector('meta[name=screens]').content)[0];
  const { Served } = await import(new URL('served.js', new URL(screen.script, location)).href);
  const reports = [];
  const api = { get: () => new Promise((answer) => reports.push(answer)) };
  const day = { since: null, reset: 0 };
  const app = { Source: modules.source.Source, isAfter: modules.since.isAfter, api };
  const served = new Served(app, ['d'], day, () => {});
  const shown = [];
  for (const [step, value] of steps) {
    if (step === 'board') [day.since] = [value === 'began' ? 100 : day.since, served.takeBoard(value)];
    if (step === 'event') {
      served.takeEvents([{ event: 'succeeded', department: 'd', at_ms: 200, epoch: 2, seq: value }]);
    }
    if (step === 'report') {
      reports.shift()({ lines: [{ department: 'd', succeeded: value.succeeded }], epoch: 2, through: value.through });
      await new Promise((done) => setTimeout(done));
    }
    shown.push(served.customers);
  }
  served.end();
  return shown;
}
""" % (MODULE, MODULE)

# The number of customers is shown after each step.
DAYS = [
    ("an event comes after the report that has it",
     [("board", None), ("board", "began"), ("event", 1), ("board", "ended"), ("report", {"succeeded": 2, "through": 2}),
      ("event", 2)],
     [0, 0, 1, 1, 2, 2]),
    ("a report does not have an event, however early it was",
     [("board", None), ("board", "began"), ("event", 1), ("board", "ended"), ("event", 3),
      ("report", {"succeeded": 2, "through": 2}), ("event", 4)],
     [0, 0, 1, 1, 2, 3, 4]),
    ("the report of a day comes after the next one has begun",
     [("board", None), ("board", "began"), ("event", 1), ("board", "ended"), ("board", "began"),
      ("report", {"succeeded": 1, "through": 1}), ("event", 2)],
     [0, 0, 1, 1, 1, 1, 2]),
]


@scenario
def served_this_day(stage):
    """a customer counts once, whether the event or the report comes first"""
    page = stage.open("/bank")
    connected(page)
    for what, steps, shown in DAYS:
        found = page.evaluate(SERVED, [list(step) for step in steps])
        assert found == shown, f"{what}: {found}, and not {shown}"


# The rows of a list of jobs after some events.
ROWS = """
async (events) => {
  const { applyEvents } = await (%s)('jobs.js');
  const rows = ['a', 'b'].map((id) => ({ id, state: 'queued', hold: null, attempt: 0 }));
  return [applyEvents(rows, events), rows.map(({ state, hold, attempt }) => [state, hold, attempt])];
}
""" % MODULE

LISTS = [
    ("a run", [("a", "started"), ("a", "succeeded")], [True, [["succeeded", None, 1], ["queued", None, 0]]]),
    ("an end before its beginning", [("a", "failed"), ("a", "started"), ("a", "released")],
     [True, [["failed", None, 1], ["queued", None, 0]]]),
    ("another attempt", [("b", "started"), ("b", "attempt_failed")], [True, [["queued", None, 0], ["held", "retry", 1]]]),
    ("an event of a job that is not in the list", [("c", "failed")], [False, [["queued", None, 0]] * 2]),
]


@scenario
def rows_since_the_answer(stage):
    """a job that has ended stays ended in the list, whatever comes later"""
    page = stage.open("/jobs")
    connected(page)
    for what, events, shown in LISTS:
        asked = [{"job": job, "event": event, "attempt": 1} for job, event in events]
        found = page.evaluate(ROWS, asked)
        assert found == shown, f"{what}: {found}, and not {shown}"
