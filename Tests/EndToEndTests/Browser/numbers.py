"""The numbers of the page, held against those of the coordinator."""

import re

from browser import asked, connected, eventually, expect, scenario

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
