"""Every action of the page, on the real thing."""

import json

from browser import connected, expect, scenario


def confirm(page, button):
    page.get_by_role("dialog").get_by_role("button", name=button).click()


def told(page, text):
    expect(page.get_by_text(text).first).to_be_visible()


@scenario
def pause_and_resume(stage):
    """a department is paused by three presses at once, and goes on"""
    page = stage.open("/")
    connected(page)
    row = page.get_by_role("row").filter(has_text="other")
    row.get_by_role("button", name="Pause").click(click_count=3, delay=20)
    told(page, "other is paused")
    row.get_by_role("button", name="Resume").click()
    told(page, "other goes on")


@scenario
def resize(stage):
    """a department gets more tellers"""
    page = stage.open("/departments/work")
    connected(page)
    page.get_by_role("button", name="Resize").click()
    page.get_by_role("dialog").get_by_label("Tellers in each worker").fill("3")
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
    told(page, "cancelled")
    expect(page.get_by_role("main")).to_contain_text("Nobody waits")


@scenario
def one_job(stage):
    """a job says first why it waits, is moved forward, and is cancelled"""
    page = stage.open(f"/jobs/{stage.facts['jobs']['waiting']}")
    connected(page)
    first = page.locator("main h2").first
    expect(first).to_contain_text("wait")
    page.get_by_role("button", name="Move", exact=True).click()
    confirm(page, "Move")
    told(page, "priority 9")
    page.get_by_role("button", name="Cancel").first.click()
    confirm(page, "Cancel")
    told(page, "cancelled")
    page.reload()
    expect(page.get_by_role("main")).to_contain_text("cancel")
    expect(page.get_by_role("main")).to_contain_text("local")


@scenario
def lift_a_hold(stage):
    """a job that waits for a plan has the button that starts the plan"""
    page = stage.open(f"/jobs/{stage.facts['jobs']['gated']}")
    connected(page)
    page.get_by_role("button", name="Start opening").click()
    told(page, "opening has been started")
    expect(page.get_by_role("main")).to_contain_text("succeeded")


@scenario
def half_way(stage):
    """where one of several requests fails, the notice says how many jobs are done, how many are not, and why"""
    context = stage.context()
    # So that a few jobs take several requests.
    context.route("**/limits.js", lambda route: route.fulfill(
        response=(found := route.fetch()), body=found.text().replace("jobsInOneRequest: 500", "jobsInOneRequest: 2")))
    page = stage.open("/jobs?department=listed&state=held", context)
    connected(page)
    boxes = page.locator("tbody input[type=checkbox]")
    expect(boxes).to_have_count(8)
    for place in range(5):
        boxes.nth(place).check()
    answers = iter([True, False])
    refusal = json.dumps({"error": {"code": "no_coordinator", "message": "the coordinator does not answer"}})
    page.route("**/api/actions/cancel", lambda route: route.continue_() if next(answers) else route.fulfill(
        status=503, content_type="application/json", body=refusal))
    page.get_by_role("button", name="Cancel 5").click()
    confirm(page, "Cancel 5")
    problem = page.get_by_role("alert", name="Problems")
    expect(problem).to_contain_text(
        "2 jobs cancelled. Of 2 more nobody knows; 1 is left. The coordinator does not answer.")
    expect(page.get_by_role("button", name="Cancel 3")).to_be_visible()
    stage.forgive("503")


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


@scenario
def failed_groups(stage):
    """a group of failed jobs is submitted again, and another one is dropped"""
    page = stage.open("/failed")
    connected(page)
    row = page.locator("tbody tr").filter(has_text="fail").first
    row.get_by_role("button", name="Replay").click()
    confirm(page, "Replay")
    told(page, "submitted again")
    # The replayed ones fail again.
    page.reload()
    page.locator("tbody tr").filter(has_text="fail").first.get_by_role("button", name="Drop").click()
    confirm(page, "Drop")
    told(page, "dropped")


@scenario
def keys(stage):
    """a key is freed, and another one is reset"""
    page = stage.open("/keys?kind=noop")
    connected(page)
    page.get_by_role("row").filter(has_text="key-1").get_by_role("button", name="Free").click()
    told(page, "is free")
    page.get_by_role("row").filter(has_text="key-2").get_by_role("button", name="Reset").click()
    confirm(page, "Reset the key")
    told(page, "key")


@scenario
def rejected(stage):
    """a rejected message is dropped"""
    page = stage.open("/rejected")
    connected(page)
    expect(page.locator("tbody input").first).to_be_visible()
    page.locator("tbody input").first.check()
    page.get_by_role("button", name="Drop 1").click()
    confirm(page, "Drop 1")
    told(page, "dropped")


@scenario
def plans(stage):
    """an open plan is stopped"""
    page = stage.open("/plans/opening")
    connected(page)
    page.get_by_role("button", name="Stop opening").click()
    confirm(page, "Stop")
    told(page, "opening is stopped")


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
def drain(stage):
    """a worker is told to drain"""
    page = stage.open("/workers")
    connected(page)
    page.get_by_role("button", name="Drain").first.click()
    confirm(page, "Drain")
    told(page, "drain")
