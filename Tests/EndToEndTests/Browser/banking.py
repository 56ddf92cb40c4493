"""The bank's screen through a day."""

import re

from browser import asked, connected, eventually, expect, say, scenario

# The browser keeps what it is told of customers, and which boards say since when the bank is busy. All moments are of the
# coordinator's clock.
LISTENING = """
window.heard = { ends: [], started: [], boards: [] };
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    const isOurs = (department) => ['deposit', 'loan'].includes(department);
    const take = (board) => {
      const own = board?.departments.filter((one) => isOurs(one.status.name)) ?? [];
      if (own.length > 0) heard.boards.push([board.at_ms, own.map((one) => one.busy_since_ms).filter(Boolean)]);
    };
    this.addEventListener('picture', ({ data }) => take(JSON.parse(data).board));
    this.addEventListener('board', ({ data }) => take(JSON.parse(data)));
    this.addEventListener('events', ({ data }) => {
      const ends = ['succeeded', 'failed', 'cancelled'];
      const own = JSON.parse(data).filter((one) => isOurs(one.department));
      heard.ends.push(...own.filter((one) => ends.includes(one.event)));
      heard.started.push(...own.filter((one) => one.event === 'started').map((one) => one.job));
    });
  }
};
"""
# Who is still in a list although the browser has been told of the end. What comes is drawn in the next frames.
LEFT_OVER = """
async () => {
  const ended = new Set(heard.ends.map((one) => one.job));
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  const rows = [...document.querySelectorAll('.lanes tbody a')].map((one) => one.getAttribute('href').split('/').pop());
  return rows.filter((job) => ended.has(job));
}
"""
# Of a second, in milliseconds: the clock shows no more.
TENTH = 100


def numbers(page):
    """The three numbers of the screen, of one moment: how many wait, are being served, and were served."""
    text = page.locator(".bank-standing").inner_text()
    found = [re.search(name + r"\s+([\d,]+)", text) for name in ("Waiting", "Being served", "Served")]
    return [int(one.group(1).replace(",", "")) if one else 0 for one in found]


def clock(page):
    return page.locator(".bank-clock").inner_text()


def milliseconds(shown):
    """What a clock says: `1:02.7`."""
    minutes, seconds = shown.split(":")
    return int(minutes) * 60_000 + round(float(seconds) * 1_000)


def add_ten(page, **options):
    """Presses the button; the customers who have come in."""
    with page.expect_response("**/api/screens/bank/add") as answer:
        page.get_by_role("button", name="Add ten").click(**options)
    customers = answer.value.json()["customers"]
    assert len(set(customers)) == 10, customers
    return customers


def records(page, customers):
    return [asked(page, f"jobs/{customer}") for customer in customers]


@scenario
def a_day(stage):
    """three presses bring ten customers; the lists and the clock follow them, and the clock stops by itself"""
    context = stage.context()
    context.add_init_script(LISTENING)
    page = stage.open("/bank", context)
    connected(page)
    assert clock(page) == "0:00.0", clock(page)
    customers = add_ten(page, click_count=3, delay=40)
    eventually(page, lambda: sum(numbers(page)[:2]) > 0, "busy")
    seen, ticks = set(), set()
    while (now := numbers(page))[2] < 10:
        seen.add((now[0] > 0, now[1] > 0))
        ticks.add(clock(page))
        assert sum(now) <= 10, f"{now} are more than ten"
        left = page.evaluate(LEFT_OVER)
        assert left == [], f"{left} have been served, and are still in a list"
        page.wait_for_timeout(50)
    assert (True, True) in seen, f"never did some wait and others get served: {seen}"
    assert len(ticks) > 5, f"the clock does not run: {ticks}"
    eventually(page, lambda: numbers(page) == [0, 0, 10], "empty, with ten served")
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    stage.expect_accessible(page, "the bank's screen")
    expect_as_told(page, customers)


def expect_as_told(page, customers):
    """The clock and the number of those who were served are what the notifications and the coordinator's records say."""
    eventually(page, lambda: page.evaluate("heard.ends.length") >= len(customers), "told of each customer's end")
    ends, boards = page.evaluate("heard.ends"), page.evaluate("heard.boards")
    told = sorted((one["job"], one["event"]) for one in ends)
    assert told == sorted((customer, "succeeded") for customer in customers), f"{told} for {customers}"
    found = records(page, customers)
    last = max(one["at_ms"] for one in ends)
    assert last == max(one["finished_ms"] for one in found), f"the last one was served at {last}: {found}"
    begun = min(since for _, busy in boards for since in busy)
    first = min(one["accepted_ms"] for one in found), min(one["started_ms"] for one in found)
    expect_order("came, busy, served", first[0], begun, first[1])
    # The board that ends the day is the first one after it: at most half a second, unless the machine is slow.
    idle = min(at for at, busy in boards if not busy and at > begun)
    own = [one for one in asked(page, "board")["departments"] if one["status"]["name"] in ("deposit", "loan")]
    until = max(one.get("last_busy_until_ms", 0) for one in own)
    expect_order("last one served, no longer busy, the board that says so", last, until, idle)
    shown = clock(page)
    say(f"trace a day: clock {shown}, by the notifications {last - begun} ms, {numbers(page)}")
    assert abs(milliseconds(shown) - (until - begun)) <= TENTH, f"the clock shows {shown} of {until - begun} ms"


def expect_order(what, *moments):
    """Each moment is not before the one in front of it."""
    assert all(one <= other + TENTH for one, other in zip(moments, moments[1:])), f"{what}: {moments}"


@scenario
def reset(stage):
    """a reset says the numbers, cancels what waits and what runs, and the screen is back at zero"""
    context = stage.context()
    context.add_init_script(LISTENING)
    page = stage.open("/bank", context)
    connected(page)
    # So many that a slow machine does not serve all of them before the question is answered.
    customers = add_ten(page) + crowd(page, 90)
    eventually(page, lambda: min(numbers(page)[:2]) > 0, "busy")
    page.get_by_role("button", name="Reset").click()
    question = page.get_by_role("dialog").get_by_role("heading")
    expect(question).to_contain_text(re.compile(r"\d+ jobs?"))
    said = question.inner_text()
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    eventually(page, lambda: numbers(page) == [0, 0, 0] and clock(page) == "0:00.0", "at zero")
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    expect_cancelled(page, customers, said)
    # A browser that has not seen the reset knows of it, too.
    other = stage.open("/bank")
    connected(other)
    expect(other.get_by_role("main")).to_contain_text("Nobody waits.")
    eventually(other, lambda: (numbers(other), clock(other)) == ([0, 0, 0], "0:00.0"), "at zero, in another browser")


def crowd(page, customers):
    """So many more come in, as if somebody had pressed the button."""
    body = {"form": "22222222-2222-4222-8222-222222222222", "customers": customers}
    found = page.evaluate(
        """async (body) => {
          const headers = { 'Content-Type': 'application/json' };
          return (await fetch('/api/screens/bank/add', { method: 'POST', headers, body: JSON.stringify(body) })).json();
        }""", body)
    assert len(found["customers"]) == customers, found
    return found["customers"]


def expect_cancelled(page, customers, said):
    """Whoever waited or was served is cancelled, as many as the question said, but for those served before the answer."""
    jobs, waited, ran = (int(number) for number in re.findall(r"\d+", said))
    assert jobs == waited + ran <= len(customers) and waited > 0 and ran > 0, said
    eventually(page, lambda: asked(page, "board").get("last_reset"), "a reset that is over")
    over = asked(page, "board")["last_reset"]
    found = records(page, customers)
    states = [one["state"] for one in found]
    assert set(states) <= {"cancelled", "succeeded"}, states
    cancelled, served = ([one for one in found if one["state"] == state] for state in ("cancelled", "succeeded"))
    # While the person thinks, some are served.
    meanwhile = jobs - len(cancelled)
    say(f"trace reset: {said} {len(cancelled)} cancelled; {meanwhile} served before the answer")
    assert meanwhile >= 0, f"{len(cancelled)} are cancelled, and the question said {jobs}"
    assert len(cancelled) > 0, "nobody is cancelled"
    assert over["changed"] >= len(cancelled), over
    late = [one["id"] for one in served if one["started_ms"] > over["finished_ms"]]
    assert late == [], f"{late} were begun after the reset"


@scenario
def at_once(stage):
    """two browsers see the same bank, and what comes after the reset before counts from zero"""
    one, other = stage.open("/bank"), stage.open("/bank", width=320)
    connected(one)
    connected(other)
    one.get_by_role("button", name="Add ten").click()
    eventually(other, lambda: numbers(other)[2] == 10, "ten served, in the other browser")
    stage.expect_narrow(other, "the bank's screen")
    eventually(one, lambda: numbers(one)[2] == 10, "ten served")
