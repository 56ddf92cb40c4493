"""Every action of the page, on the real thing."""

import json
import os
import re
import subprocess
import sys
import uuid
from contextlib import contextmanager

from browser import CHANGED_BOARDS, asked, connected, eventually, expect, press_three_times, scenario


def confirm(page, button):
    page.get_by_role("dialog").get_by_role("button", name=button).click()


def told(page, text):
    """A notice says so: elsewhere on the page the words may stand anyway."""
    expect(page.get_by_role("status", name="News")).to_contain_text(text)


def expect_state(page, job, state):
    """The coordinator says that the job is in that state, or comes to it."""
    eventually(page, lambda: asked(page, f"jobs/{job}")["state"] == state, f"{job} {state}")


@scenario
def pause_and_resume(stage):
    """a department is paused by three presses at once, and goes on"""
    page = stage.open("/")
    connected(page)
    row = page.get_by_role("row").filter(has_text="other")
    press_three_times(row.get_by_role("button", name="Pause"))
    told(page, "other is paused")
    row.get_by_role("button", name="Resume").click()
    told(page, "other goes on")


@scenario
def resize(stage):
    """a department gets more tellers"""
    page = stage.open("/departments/work")
    connected(page)
    page.get_by_role("button", name="Resize").click()
    page.get_by_role("dialog").get_by_role("spinbutton").first.fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("of 3 tellers")


@scenario
def cancel_all_of_a_department(stage):
    """all jobs of a department are cancelled: the numbers are said first, and the progress is shown"""
    page = stage.open("/departments/victims")
    connected(page)
    page.get_by_role("button", name="Cancel all").click()
    expect(page.get_by_role("dialog").get_by_role("heading")).to_contain_text("Cancel 300 jobs")
    stage.expect_accessible(page, "the question")
    confirm(page, "Cancel")
    told(page, "300 jobs cancelled")
    expect(page.get_by_role("main")).to_contain_text("No job waits")
    expect(page.get_by_role("main")).to_contain_text("300 cancelled")


@scenario
def resize_many_workers(stage):
    """each worker of a department has a field with its own number: Enter alone sends nothing, and only a change is sent"""
    page = stage.open("/departments/victims")
    connected(page)
    sent = []
    page.on("request", lambda one: sent.append(one.post_data_json) if one.url.endswith("/actions/resize") else None)
    tellers = {"north": 2, "south": 1, "west": 3}
    with strangers(page, "victims", tellers) as workers:
        fields = open_resizing(page, workers)
        found = {name: field.input_value() for name, field in fields.items()}
        assert found == {name: str(count) for name, count in tellers.items()}, found
        page.keyboard.press("Enter")
        told(page, "Nothing is changed: victims has 6 tellers")
        assert sent == [], sent
        open_resizing(page, workers)["south"].fill("4")
        expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Together 9 tellers; now 6.")
        page.keyboard.press("Enter")
        told(page, "victims: south 1 → 4.")
        wanted = {"department": "victims", "tellers": 4, "worker": workers["south"]}
        assert [{name: one[name] for name in wanted} for one in sent] == [wanted], sent
        orders = [one for one in asked(page, "actions")["actions"] if one.get("name") in workers.values()]
        assert [(one["action"], one["name"]) for one in orders] == [("resize", workers["south"])], orders


@contextmanager
def strangers(page, department, tellers):
    """Workers of another make with so many tellers, by their names, for a while; gives their ids by their names."""
    ids = {name: str(uuid.uuid4()) for name in tellers}
    heard = lambda: {one["id"] for one in asked(page, "workers")["workers"]} & set(ids.values())
    workers = json.dumps({f"{ids[name]} {name}": {department: count} for name, count in tellers.items()})
    program = os.path.join(os.path.dirname(__file__), "strangers.py")
    with subprocess.Popen([sys.executable, "-I", "-B", program, workers], stdin=subprocess.PIPE) as process:
        eventually(page, lambda: len(heard()) == len(ids), "heard of all strangers", heard)
        yield ids
        process.stdin.close()
        eventually(page, lambda: not heard(), "without the strangers", heard)


def open_resizing(page, workers):
    """Opens the question; its fields by the names of the workers."""
    page.get_by_role("button", name="Resize").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("spinbutton")).to_have_count(len(workers))
    return {name: dialog.get_by_label(name, exact=True) for name in workers}


@scenario
def one_job(stage):
    """a job says first why it waits, is moved forward, and is cancelled"""
    page = stage.open(f"/jobs/{stage.facts['jobs']['waiting']}")
    connected(page)
    first = page.locator("main h2").first
    expect(first).to_contain_text("wait")
    page.get_by_role("button", name="Move", exact=True).click()
    confirm(page, "Move")
    told(page, "It has the priority 9 now")
    job = stage.facts["jobs"]["waiting"]
    assert asked(page, f"jobs/{job}")["priority"] == 9
    page.get_by_role("button", name="Cancel").first.click()
    confirm(page, "Cancel")
    told(page, "1 job cancelled")
    expect_state(page, job, "cancelled")
    page.reload()
    expect(first).to_contain_text("cancel")
    expect(page.get_by_role("main")).to_contain_text("local")


@scenario
def another_rank(stage):
    """a job of an ordered department gets another rank, and stands in its list with it"""
    job = stage.facts["jobs"]["ranked"]
    page = stage.open(f"/jobs/{job}")
    connected(page)
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog").get_by_label("Rank").fill("3")
    page.keyboard.press("Enter")
    told(page, "It has the rank 3 now")
    assert asked(page, f"jobs/{job}")["rank"] == 3
    page.goto("/departments/ranked")
    rows = page.get_by_role("region", name="Waiting").locator("tbody tr")
    expect(rows).to_have_count(2)
    row = rows.filter(has=page.locator(f'a[title="{job}"]'))
    expect(row.locator("td.number").first).to_have_text("3")


@scenario
def one_failed_job(stage):
    """one failed job is submitted again, and the new one, which fails, too, is dropped"""
    job = stage.facts["jobs"]["failure"]
    page = stage.open(f"/jobs/{job}")
    connected(page)
    page.get_by_role("button", name="Replay").click()
    told(page, "1 job submitted again")
    again = asked(page, f"jobs/{job}")["replayed_as"]
    expect(page.get_by_role("main")).to_contain_text("It was submitted again as")
    expect_state(page, again, "failed")
    page.goto(f"/jobs/{again}")
    page.get_by_role("button", name="Drop").click()
    told(page, "1 job dropped")
    expect(page.get_by_role("main")).to_contain_text("It was dropped")
    assert asked(page, f"jobs/{again}")["dropped"] is True


@scenario
def lift_a_hold(stage):
    """a job that waits for a plan has the button that starts the plan"""
    page = stage.open(f"/jobs/{stage.facts['jobs']['gated']}")
    connected(page)
    page.get_by_role("button", name="Start opening").click()
    told(page, "opening has been started")
    expect(page.get_by_role("main")).to_contain_text("succeeded")


@scenario
def many_failed(stage):
    """all failed jobs with one error are dropped by one command with one record, also when the window is closed at once"""
    page = stage.open("/failed?department=work")
    connected(page)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="many_bad", exact=True))
    requests = []
    page.on("request", lambda request: requests.append(request.url) if "/actions/" in request.url else None)
    others = asked(page, "count", action="drop")["jobs"] - 700
    row.get_by_role("button", name="Drop").click()
    expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text("Drop 700 jobs?")
    with page.expect_response("**/api/actions/drop"):
        confirm(page, "Drop 700")
    page.close()
    assert len(requests) == 1, requests
    after = stage.open("/failed?department=work")
    connected(after)
    left = lambda: asked(after, "count", action="drop", error="many_bad")["jobs"]
    eventually(after, lambda: left() == 0, "dropped", left)
    assert asked(after, "count", action="drop")["jobs"] == others
    drops = [one for one in asked(after, "actions")["actions"] if one.get("detail") == "error many_bad"]
    assert [(one["action"], one["department"]) for one in drops] == [("drop", "work")], drops
    operation = asked(after, f"operations/{drops[0]['operation']}")
    assert (operation["changed"], operation["total"]) == (700, 700), operation


@scenario
def select_some(stage):
    """some jobs of a list are selected, and cancelled; all that match are counted first"""
    page = stage.open("/jobs?department=listed&state=held")
    connected(page)
    boxes = page.locator("tbody input[type=checkbox]")
    boxes.nth(0).check()
    boxes.nth(2).check()
    page.get_by_role("button", name="Cancel 2").click()
    confirm(page, "Cancel 2")
    told(page, "2 jobs cancelled")
    page.get_by_role("button", name="All that match").click()
    expect(page.get_by_role("main")).to_contain_text("All that match:")
    page.get_by_role("button", name="Cancel").first.click()
    confirm(page, "Cancel")
    expect(page.get_by_role("main")).to_contain_text("No job")


# Keeps what the window has shown of operations: where it stood, its words, how far it was, and of how many.
SHOWN_OPERATIONS = """
window.shown = [];
new MutationObserver(() => {
  for (const bar of document.querySelectorAll('.operation progress')) {
    const place = bar.closest('dialog') ? 'dialog' : bar.closest('section').querySelector('h2').textContent;
    const state = [place, bar.getAttribute('aria-label'), bar.value, bar.max];
    if (String(shown.at(-1)) !== String(state)) shown.push(state);
  }
}).observe(document, { subtree: true, childList: true, attributes: true });
"""


# The commands that go on are those of the window, once it has any.
RUNNING = "(board) => { board.operations = window.running ?? board.operations; }"


@scenario
def progress_of_many(stage):
    """a command about thousands of jobs shows how far it is until it ends, where it was given and in another window"""
    context = stage.context()
    context.add_init_script(SHOWN_OPERATIONS)
    other = stage.open("/", context)
    connected(other)
    until = moment_before_last(other, "many", 5_000)
    page = stage.open(f"/jobs?department=many&until_ms={until}", context)
    connected(page)
    halves = []
    page.route("**/api/operations/*", lambda route: answer_half(route, halves))
    page.get_by_role("button", name="All that match").click()
    total = asked(page, "count", action="cancel", department="many", until_ms=until)["jobs"]
    page.get_by_role("button", name=f"Cancel {total:,}").click()
    confirm(page, f"Cancel {total:,}")
    told(page, f"{total:,} jobs cancelled")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(other.locator(".operation")).to_have_count(0)
    looked = shown_of(page, "dialog", total)
    assert total // 2 in looked, looked
    # It may be over before another window hears of it.
    shown_of(other, "Commands that go on", total)
    watched_elsewhere(stage, halves[0])


def answer_half(route, halves):
    """The first answer of more than half says half: the coordinator may be through in one pause."""
    answer = route.fetch()
    operation = answer.json()
    half = operation["total"] // 2
    if operation["looked"] >= half and not halves:
        operation |= {"looked": half, "changed": half}
        operation.pop("finished_ms", None)
        halves.append(operation)
    route.fulfill(response=answer, json=operation)


def shown_of(window, place, total):
    """How far the window has shown the command to be, which never goes back."""
    shown = window.evaluate("shown")
    assert all((one[0], one[3]) == (place, total) and "Cancels many · until" in one[1] for one in shown), shown
    looked = [one[2] for one in shown]
    assert looked == sorted(looked), f"{place}: {shown}"
    return looked


def watched_elsewhere(stage, operation):
    """A window that did not give the command shows how far it is, and no more of it once it has ended."""
    context = stage.context()
    context.add_init_script(CHANGED_BOARDS % RUNNING)
    page = stage.open("/", context)
    connected(page)
    bar = page.get_by_role("region", name="Commands that go on").locator(".operation progress")
    for looked in operation["looked"], operation["looked"] + 1:
        page.evaluate("(one) => { window.running = [one]; }", operation | {"looked": looked})
        expect(bar).to_have_js_property("value", looked)
        expect(bar).to_have_js_property("max", operation["total"])
    page.evaluate("window.running = []")
    expect(bar).to_have_count(0)


def moment_before_last(page, department, count):
    """When the job was accepted after which so many more came. Later scenarios want them."""
    newest = asked(page, "jobs", department=department, limit=1)["jobs"][0]["number"]
    return asked(page, "jobs", department=department, limit=1, before=newest - count)["jobs"][0]["accepted_ms"]


# Jobs are held after a restore, as long as the window says so.
RESTORED = """
(board) => {
  window.restored ??= { many: 2, listed: 1 };
  for (const { status } of board.departments) status.restored = restored[status.name] ?? 0;
}
"""


@scenario
def held_after_a_restore(stage):
    """jobs that a restore holds are counted on the overview, and are accepted or dropped, all by one command"""
    context = stage.context()
    context.add_init_script(CHANGED_BOARDS % RESTORED)
    page = stage.open("/", context)
    connected(page)
    section = page.get_by_role("region", name="Held after a restore")
    expect(section).to_contain_text("3 jobs may have run before the ledger was restored")
    expect(section).to_contain_text("In listed, many.")
    for word, action, outcome in ("Accept", "accept_restored", "released"), ("Drop", "drop_restored", "cancelled"):
        section.get_by_role("button", name=word).click()
        heading = page.get_by_role("dialog").get_by_role("heading")
        expect(heading).to_have_text(f"{word} 3 jobs held after the restore?")
        page.keyboard.press("Escape")
        expect(heading).to_have_count(0)
        section.get_by_role("button", name=word).click()
        confirm(page, word)
        # The coordinator itself holds none.
        told(page, f"0 jobs {outcome}")
        assert [one["action"] for one in asked(page, "actions")["actions"]].count(action) == 1
    page.evaluate("window.restored = {}")
    expect(section).to_have_count(0)


@scenario
def failed_groups(stage):
    """a group of failed jobs is submitted again; when they have failed again, they are dropped"""
    page = stage.open("/failed")
    connected(page)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=stage.facts["error"], exact=True))
    row.get_by_role("button", name="Replay").click()
    confirm(page, "Replay 3")
    told(page, "3 jobs submitted again")
    again = [asked(page, f"jobs/{job}")["replayed_as"] for job in stage.facts["failing"]]
    for job in again:
        expect_state(page, job, "failed")
    page.reload()
    row.get_by_role("button", name="Drop").click()
    confirm(page, "Drop 3")
    told(page, "3 jobs dropped")
    expect(row).to_have_count(0)
    for job in again:
        assert asked(page, f"jobs/{job}")["dropped"] is True, f"{job} is not dropped"


@scenario
def keys(stage):
    """a key is freed, and another one is reset"""
    page = stage.open("/keys?kind=noop")
    connected(page)
    one, other = (page.get_by_role("row").filter(has_text=name) for name in ("key-1", "key-2"))
    one.get_by_role("button", name="Free").click()
    told(page, "key-1 is free")
    expect(one).to_have_count(0)
    freed = asked(page, "keys/one", kind="noop", key="key-1")
    assert not freed["taken"] and "job" in freed, f"{freed}: a key that is freed keeps its outcome"
    other.get_by_role("button", name="Reset").click()
    confirm(page, "Reset the key")
    told(page, "The key is reset")
    expect(other).to_have_count(0)
    after = asked(page, "keys/one", kind="noop", key="key-2")
    assert not after["taken"] and "job" not in after, f"{after}: a key that is reset has none"


@scenario
def rejected(stage):
    """of two rejected messages one is dropped, and the other one put back: its job runs"""
    page = stage.open("/rejected")
    connected(page)
    good = page.locator("tbody tr").filter(has_text="possible").filter(has_text="noop")
    bad = page.locator("tbody tr").filter(has_not_text="noop")
    bad.get_by_role("checkbox").check()
    page.get_by_role("button", name="Drop 1").click()
    confirm(page, "Drop 1")
    told(page, "1 message dropped")
    expect(bad).to_have_count(0)
    good.get_by_role("checkbox").check()
    page.get_by_role("button", name="Put back 1").click()
    told(page, "1 message put back")
    expect(page.get_by_role("main")).to_contain_text("No message was rejected")
    jobs = lambda: [one["state"] for one in asked(page, "jobs", limit=9)["jobs"] if one["id"] == stage.facts["put back"]]
    eventually(page, lambda: jobs() == ["succeeded"], "run", jobs)


@scenario
def events(stage):
    """of two events that an open plan announces one is accepted, and runs, and the other one is dismissed"""
    page = stage.open("/plans/night")
    connected(page)
    accept, dismiss = (page.get_by_role("button", name=name, exact=True) for name in ("Accept", "Dismiss"))
    expect(accept).to_have_count(2)
    accept.first.click()
    told(page, "The event is acted on")
    expect(accept).to_have_count(1)
    dismiss.click()
    told(page, "The event is dismissed")
    expect(dismiss).to_have_count(0)
    found = {one["state"]: one["id"] for one in asked(page, "events", plan="night")["events"]}
    assert set(found) == {"acted", "dismissed"}, found
    expect_state(page, found["acted"], "succeeded")


@scenario
def a_named_watcher(stage):
    """a watcher that keeps its place by a name is forgotten"""
    page = stage.open("/webhooks")
    connected(page)
    row = page.get_by_role("row").filter(has_text="audit")
    row.get_by_role("button", name="Forget").click()
    confirm(page, "Forget")
    told(page, "The place of audit is forgotten")
    expect(row).to_have_count(0)
    assert asked(page, "subscribers")["subscribers"] == []


@scenario
def plans(stage):
    """an open plan is stopped"""
    page = stage.open("/plans/opening")
    connected(page)
    page.get_by_role("button", name="Stop opening").click()
    confirm(page, "Stop")
    told(page, "opening is stopped")
    expect(page.get_by_role("button", name="Start opening")).to_be_visible()
    assert asked(page, "plans/opening")["phase"] not in ("running", "open")


@scenario
def an_earlier_run(stage):
    """a plan that was stopped is started again; the id of its earlier run leads to that one"""
    page = stage.open("/plans/opening")
    connected(page)
    run = lambda: asked(page, "plans/opening")["run"]
    earlier = run()
    page.get_by_role("button", name="Start opening").click()
    told(page, "opening has been started")
    eventually(page, lambda: run() != earlier, "of another run", run)
    page.fill("#find", earlier)
    page.press("#find", "Enter")
    page.wait_for_url(f"**/plans/{earlier}")
    expect(page.get_by_role("main").locator(f'a [title="{earlier}"]')).to_be_visible()


@scenario
def two_browsers(stage):
    """what one browser does, another one sees"""
    one, other = stage.open("/departments/other"), stage.open("/departments/other")
    connected(one)
    connected(other)
    one.get_by_role("button", name="Pause").click()
    expect(other.get_by_role("button", name="Resume")).to_be_visible()
    other.get_by_role("button", name="Resume").click()
    expect(one.get_by_role("button", name="Pause")).to_be_visible()


@scenario
def one_worker(stage):
    """one worker gets another number of tellers"""
    page = stage.open("/workers")
    connected(page)
    tellers = page.locator("main tbody li").filter(has_text="behind")
    tellers.get_by_role("button", name="Resize").click()
    page.get_by_role("dialog").get_by_role("spinbutton").fill("2")
    page.keyboard.press("Enter")
    told(page, re.compile(r"behind: .+ 1 → 2\."))
    now = lambda: [one["tellers"]["behind"] for one in asked(page, "workers")["workers"]]
    eventually(page, lambda: now() == [2], "of two tellers", now)
    page.reload()
    expect(tellers).to_contain_text("behind 2")


@scenario
def drain(stage):
    """a worker is told to drain, and ends"""
    page = stage.open("/workers")
    connected(page)
    page.get_by_role("button", name="Drain").click()
    confirm(page, "Drain")
    told(page, " drains: ")
    workers = lambda: asked(page, "workers")["workers"]
    eventually(page, lambda: workers() == [], "without workers", workers)
    page.reload()
    expect(page.get_by_role("main")).to_contain_text("No worker has been heard")
