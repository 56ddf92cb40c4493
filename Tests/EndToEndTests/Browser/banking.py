"""The bank's screen through a day."""

from bank import add_ten, clock, numbers, records
from browser import asked, connected, eventually, expect, say, scenario

# The browser keeps what it is told of customers, and which boards say since when the bank is busy. All moments are of the
# coordinator's clock. It also keeps every state that the screen has shown: on a slow machine a test that looks from
# outside sees a few of them.
LISTENING = """
window.heard = { ends: [], boards: [] };
window.shown = [];
new MutationObserver(() => {
  const [clock, ...numbers] = document.querySelectorAll('.bank-clock, .bank-numbers dd');
  if (numbers.length < 3) return;
  const [waiting, running, served] = numbers.map((one) => Number(one.textContent));
  window.shown.push({ clock: clock.textContent, waiting, running, served, boards: heard.boards.length });
}).observe(document, { subtree: true, childList: true, characterData: true });
delete window.SharedWorker;
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
      heard.ends.push(...JSON.parse(data).filter((one) => isOurs(one.department) && ends.includes(one.event)));
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


def milliseconds(shown):
    """What a clock says: `1:02.7`."""
    minutes, seconds = shown.split(":")
    return int(minutes) * 60_000 + round(float(seconds) * 1_000)


def press_at(button, moment):
    """A press with a moment of its own: how late a busy page hears of it makes no difference."""
    button.evaluate("""(button, moment) => {
      const press = new MouseEvent('click', { bubbles: true, cancelable: true });
      Object.defineProperty(press, 'timeStamp', { value: moment });
      button.dispatchEvent(press);
    }""", moment)


@scenario
def a_day(stage):
    """three presses bring ten customers; the lists and the clock follow them, and the clock stops by itself"""
    context = stage.context()
    context.add_init_script(LISTENING)
    page = stage.open("/bank", context)
    connected(page)
    assert clock(page) == "0:00.0", clock(page)
    customers = add_ten(page, press=lambda button: press_at(button, 1_000))
    # Within 600 ms of the one before, by their own times, and after the answer: still the same press.
    for moment in (1_590, 2_180):
        press_at(page.get_by_role("button", name="Add ten"), moment)
    eventually(page, lambda: sum(numbers(page)[:2]) > 0, "busy")
    while numbers(page)[2] < 10:
        left = page.evaluate(LEFT_OVER)
        assert left == [], f"{left} have been served, and are still in a list"
        page.wait_for_timeout(50)
    eventually(page, lambda: numbers(page) == [0, 0, 10], "empty, with ten served")
    expect_running(page.evaluate("shown"))
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    stage.expect_accessible(page, "the bank's screen")
    expect_as_told(page, customers)


def expect_running(shown):
    """Some waited while others were served, and the clock ran by itself: it also ran while no board came."""
    many = [one for one in shown if one["waiting"] + one["running"] + one["served"] > 10]
    assert not many, f"these are more than ten: {many}"
    both = [one for one in shown if one["waiting"] > 0 and one["running"] > 0]
    assert both, f"never did some wait while others were served: {shown}"
    ticks = {(one["boards"], one["clock"]) for one in shown}
    assert len(ticks) > len({boards for boards, _ in ticks}), f"the clock stands still between two boards: {shown}"


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
def a_day_without_trouble(stage):
    """an opening that went back, and whose optional step failed, leaves nothing to look at: no job has to be replayed"""
    page = stage.open("/failed")
    connected(page)
    expect(page.get_by_role("main")).to_contain_text("No failed job is to be looked at.")
    failed = {one["step"]: one["id"] for one in asked(page, "jobs", state="failed")["jobs"]}
    assert sorted(failed) == ["full-screen banner", "login"], failed
    for job in failed.values():
        page.goto(f"/jobs/{job}")
        expect(page.get_by_role("main")).to_contain_text("Its plan was ready for the failure: nothing is to be done about it.")
        for word in ("Replay", "Drop"):
            expect(page.get_by_role("button", name=word)).to_have_count(0)
    page.goto("/jobs?state=failed")
    page.get_by_role("checkbox", name="this page").check()
    expect(page.get_by_role("group", name="Selected jobs")).to_contain_text("2 selected")
    expect(page.get_by_role("button", name="Replay")).to_have_count(0)
    page.goto("/")
    connected(page)
    expect(page.locator(".totals")).to_contain_text("none failed")
