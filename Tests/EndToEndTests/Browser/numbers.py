"""The numbers of the page, held against those of the coordinator."""

import json
import re

from browser import CHANGED_BOARDS, asked, connected, eventually, expect, scenario

CELLS = """() => [...document.querySelectorAll('main .tablebox tbody tr')].map((row) =>
  Object.fromEntries([['name', row.querySelector('th a').innerText], ...[...row.cells].map((cell) =>
    [cell.dataset.label ?? '', cell.querySelector('.content').innerText])]))"""


def first(text):
    """The first number of a text."""
    return int(re.search(r"[\d,]+", text).group().replace(",", ""))


def shown(page):
    """What the overview shows of each department."""
    found = {}
    for row in page.evaluate(CELLS):
        running, tellers = (int(one.replace(",", "")) for one in row["Running"].split(" of "))
        came, went = (int(one.replace(",", "")) for one in row["In, out last min"].split(", "))
        found[row["name"]] = {
            "waiting": first(row["Waiting"]), "retrying": first(row["Retrying"]), "later": first(row["Later"]),
            "running": running, "tellers": tellers, "came": came, "went": went, "failed": first(row["Failed"]),
            "waits": row["Oldest wait"] != "–", "no worker": "no worker" in row["Department"]}
    return found


def told(page):
    """The same, as `teller status --json` has it."""
    return {one["name"]: {
        "waiting": one["waiting"], "retrying": one["retrying"], "later": one["delayed"] + one["dependent"],
        "running": one["running"], "tellers": one["tellers"], "came": one["accepted_last_minute"],
        "went": one["ended_last_minute"], "failed": one["unsettled"], "waits": "oldest_waiting_ms" in one,
        "no worker": one["tellers"] == 0 and one["waiting"] > 0} for one in asked(page, "status")["departments"]}


@scenario
def every_number(stage):
    """every number of the overview is that of `teller status`, and the numbers of all jobs sum up"""
    page = stage.open("/")
    connected(page)
    differences = lambda: [
        (name, one, shown(page).get(name)) for name, one in told(page).items() if shown(page).get(name) != one]
    eventually(page, lambda: differences() == [], "the same", differences)
    for one in asked(page, "status")["departments"]:
        unfinished = one["waiting"] + one["retrying"] + one["delayed"] + one["dependent"]
        assert unfinished == one["held"] + one["queued"], one
    sums = lambda: [sum(one[name] for one in told(page).values()) for name in ("waiting", "retrying", "later", "running")]
    words = lambda: "{:,} wait, {:,} retry, {:,} later, {:,} run, ".format(*sums())
    totals = lambda: page.locator(".totals").inner_text()
    eventually(page, lambda: totals().startswith(words()), "summed up", totals)


def fact(page, name):
    """What the screen of a department says beside a name."""
    return page.locator("dt", has_text=re.compile(f"^{name}$")).locator("xpath=../dd").inner_text()


def waiting_words(page, name):
    """The waiting jobs of a department with their parts, as `teller status --json` has them."""
    one = next(one for one in asked(page, "status")["departments"] if one["name"] == name)
    parts = [(one["queued"], "queued"), (one["waiting"] - one["queued"], "held")]
    return f"{one['waiting']:,}: " + ", ".join(f"{jobs:,} {word}" for jobs, word in parts if jobs > 0)


@scenario
def parts_of_the_waiting(stage):
    """waiting jobs are shown by their parts, delayed jobs apart from them; a cancellation counts those as not begun"""
    page = stage.open("/departments/many")
    connected(page)
    wanted = lambda: waiting_words(page, "many")
    eventually(page, lambda: fact(page, "Waiting") == wanted(), "the same", lambda: (fact(page, "Waiting"), wanted()))
    page.goto("/departments/listed")
    expect(page.get_by_role("main")).to_contain_text("8: 8 for a time")
    assert (fact(page, "Waiting"), fact(page, "Later")) == ("0", "8: 8 for a time")
    page.get_by_role("button", name="Cancel all").click()
    question = page.get_by_role("dialog").get_by_role("heading")
    expect(question).to_have_text("Cancel 8 jobs: 8 not begun, 0 running?")
    page.keyboard.press("Escape")


@scenario
def time_of_a_report(stage):
    """a report says that its jobs ended within its time: they may have been accepted before"""
    page = stage.open("/report")
    connected(page)
    expect(page.get_by_role("navigation", name="Time of the report")).to_contain_text("Ended within 1 h")


@scenario
def a_department_that_retries(stage):
    """jobs whose attempts fail are not idle: they stand there in red, with the next time and the error"""
    page = stage.open("/")
    connected(page)
    row = page.locator("tr", has=page.get_by_role("link", name="work", exact=True))
    cell = row.locator('[data-label="Retrying"] .bad').first
    expect(cell).to_contain_text(re.compile(r"5\s*next in .*: not_yet"))
    page.goto("/departments/work")
    expect(page.get_by_role("main")).to_contain_text("next in")
    expect(page.locator("dt", has_text="Retrying").locator("xpath=..").locator(".bad").first).to_be_visible()


# A real queue of another program is in the tests of the doctor: it would keep this department from the others' tests.
REFUSED = """
(board) => {
  const one = board.departments.find((one) => one.status.name === 'many');
  if (one) one.status.refused = "inequivalent arg 'x-queue-type'";
}
"""


@scenario
def a_department_that_is_out(stage):
    """a department whose queue the broker refuses says so, with the broker's words"""
    context = stage.context()
    context.add_init_script(CHANGED_BOARDS % REFUSED)
    page = stage.open("/", context)
    connected(page)
    row = page.locator("tr", has=page.get_by_role("link", name="many", exact=True))
    expect(row).to_contain_text("the broker refuses its queue: inequivalent arg 'x-queue-type'")


# Real handlers that do not end are in the tests of `teller explain`; they would keep the worker of this page.
STUCK = """
(board) => {
  const one = board.departments.find((one) => one.status.name === 'many');
  if (one) Object.assign(one.status, { tellers: 2, stuck_tellers: 2 });
}
"""


@scenario
def a_department_whose_tellers_are_stuck(stage):
    """tellers whose handlers do not end stand there in red, and the jobs behind them wait for a stuck teller"""
    context = stage.context()
    context.add_init_script(CHANGED_BOARDS % STUCK)
    page = stage.open("/", context)
    connected(page)
    row = page.locator("tr", has=page.get_by_role("link", name="many", exact=True))
    expect(row.locator(".badge.bad")).to_contain_text("2 of 2 tellers")
    page.goto("/departments/many")
    expect(page.get_by_role("region", name="Waiting").locator("tbody tr").first).to_contain_text("a stuck teller")


# The deliveries of a webhook are jobs of a department, here those of another one.
AS_WEBHOOK = """
(board) => {
  const one = board.departments.find((one) => one.status.name === 'work');
  if (one) one.status.name = 'webhook-chat';
}
"""


@scenario
def a_webhook_that_nobody_takes(stage):
    """deliveries that are tried again stand there in red, with the next time and the error, beside all other numbers"""
    context = stage.context()
    context.add_init_script(CHANGED_BOARDS % AS_WEBHOOK)
    page = stage.open("/webhooks", context)
    connected(page)
    row = page.get_by_role("region", name="Deliveries").get_by_role("row").filter(has_text="webhook-chat")
    expect(row.locator('[data-label="Retrying"] .bad').first).to_contain_text(re.compile(r"5\s*next in .*: not_yet"))
    one = next(one for one in asked(page, "status")["departments"] if one["name"] == "work")
    numbers = {
        "Waiting": one["waiting"], "Retrying": one["retrying"], "Later": one["delayed"] + one["dependent"],
        "Delivered": one["succeeded"], "Failed": one["unsettled"]}
    cells = lambda: {name: first(row.locator(f'[data-label="{name}"] .content').inner_text()) for name in numbers}
    eventually(page, lambda: cells() == numbers, f"of the numbers {numbers}", cells)
    assert sum(list(cells().values())[:3]) == one["held"] + one["queued"], one


@scenario
def no_worker(stage):
    """a department whose jobs have no worker says so in red, and its jobs wait for a worker"""
    page = stage.open("/")
    connected(page)
    row = page.locator("tr", has=page.get_by_role("link", name="many", exact=True))
    expect(row.locator(".badge.bad")).to_contain_text("no worker")
    expect(row.get_by_role("button", name="Resize")).to_have_count(0)
    page.goto("/departments/many")
    expect(page.locator(".badge.bad").first).to_contain_text("no worker")
    expect(page.get_by_role("region", name="Waiting").locator("tbody tr").first).to_contain_text("a worker")


# Some departments get another forecast.
FORECASTING = """
(board) => {
  const forecasts = %s;
  for (const one of board.departments) one.forecast = forecasts[one.status.name] ?? one.forecast;
}
"""

# By department: the forecast, what the page says, and whether it is red.
FORECASTS = {
    # More jobs came than can be served, and the department shrinks all the same.
    "many": ({"course": "drains", "load_permille": 1_412, "accepted_per_hour": 8_640, "capacity_per_hour": 6_120,
              "drains_in_ms": 63_000, "drains_in_with_one_more_ms": 32_000, "empties_in_ms": 2_578_000,
              "past": {"count": 17, "median_permille": 84, "worst_permille": 310}},
             "Backlog clears in 1 min 3 s (32 s with one more teller), in 42 min 58 s if jobs keep coming like this.",
             False),
    # Of a burst that is over: no load is said beside the jobs of the last minute.
    "victims": ({"course": "drains", "drains_in_ms": 9_000, "accepted_per_hour": 0, "capacity_per_hour": 15_840},
                "Backlog clears in 9 s.", False),
    # With the jobs to come it cannot take less time, and the same time is not said twice.
    "late": ({"course": "drains", "drains_in_ms": 9_000, "empties_in_ms": 4_000}, "Backlog clears in 9 s.", False),
    "ranked": ({"course": "drains", "drains_in_ms": 9_000, "empties_in_ms": 9_040}, "Backlog clears in 9 s.", False),
    "listed": ({"course": "grows", "grows_per_hour": 2_580, "drains_in_ms": 10_000},
               "Grows by 43/min, will not drain. The present jobs are done in 10 s.", True),
    "behind": ({"course": "grows", "grows_per_hour": 0, "drains_in_ms": 10_000},
               "As many jobs come as can be served: it will not drain. The present jobs are done in 10 s.", True),
    "other": ({"course": "steady", "wait_ms": 333, "wait_with_one_more_ms": 45},
              "A job waits 333 ms on average (45 ms with one more teller).", False),
    # The last minute bears no wait out.
    "init": ({"course": "steady", "drains_in_ms": 2_000}, "Keeps up.", False),
    "work": ({"course": "silent", "reason": "unsteady"},
             "No forecast: fewer ended in the last minute than the runs before promise.", False),
}


@scenario
def words_of_a_forecast(stage):
    """a forecast says what was found and no more: only a department that grows is said to grow, and only that is red"""
    context = stage.context()
    forecasts = {name: given for name, (given, _, _) in FORECASTS.items()}
    context.add_init_script(CHANGED_BOARDS % (FORECASTING % json.dumps(forecasts)))
    page = stage.open("/", context)
    for name, (_, words, is_red) in FORECASTS.items():
        row = page.locator("tr", has=page.get_by_role("link", name=name, exact=True))
        said = row.locator('[data-label="Forecast"] span')
        expect(said).to_have_text(words)
        assert said.get_attribute("class") == ("bad" if is_red else None), name
    page.goto("/departments/many")
    past = "Its last 17 forecasts were off by 8 %, at worst by 31 %."
    words = f"{FORECASTS['many'][1]} Load 141 %: 2.4/s come, 1.7/s can be served. {past}"
    expect(page.locator(".lead")).to_have_text(words)
    page.goto("/departments/victims")
    expect(page.locator(".lead")).to_have_text("Backlog clears in 9 s. 4.4/s can be served.")
    expect(page.locator(".lead .bad")).to_have_count(0)
    page.goto("/departments/listed")
    expect(page.locator(".lead .bad")).to_have_text(FORECASTS["listed"][1])
