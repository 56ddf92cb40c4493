"""Every address of the page, as people look at it."""

from browser import asked, connected, eventually, expect, scenario

HEADINGS = {
    "/": "Overview", "/departments/work": "work", "/jobs": "Jobs", "/failed": "Failed", "/plans": "Plans",
    "/plans/opening": "opening", "/workers": "Workers", "/schedules": "Schedules", "/keys": "Keys",
    "/rejected": "Rejected", "/webhooks": "Webhooks", "/report": "Report",
    "/actions": "Actions",
}


def addresses(stage):
    jobs = {f"/jobs/{stage.facts['jobs'][name]}": None for name in ("waiting", "gated", "progress", "failed")}
    return {**HEADINGS, **jobs}


def look(stage, width, scheme):
    context = stage.context(width=width, scheme=scheme)
    for path, heading in addresses(stage).items():
        page = stage.open(path, context)
        title = page.get_by_role("heading", level=1)
        expect(title).to_contain_text(heading) if heading else expect(title).to_be_visible()
        connected(page)
        stage.expect_narrow(page, f"{path} at {width} px")
        stage.expect_accessible(page, f"{path} at {width} px, {scheme}")
        page.close()


@scenario
def every_width(stage):
    """on no screen anything stands beyond the edge, from 320 to 1,400 px"""
    context = stage.context()
    for path in addresses(stage):
        page = stage.open(path, context)
        connected(page)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for width in [*range(320, 1400, 60), 760, 761, 1040, 1041, 1340, 1341]:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            stage.expect_narrow(page, f"{path} at {width} px")
        page.close()


@scenario
def wide_and_light(stage):
    """every address is shown, wide and light, and breaks no rule of accessibility"""
    look(stage, 1280, "light")


@scenario
def narrow_and_dark(stage):
    """every address is shown at 320 px and dark, with nothing beyond the edge"""
    look(stage, 320, "dark")


@scenario
def dark_is_dark(stage):
    """dark is dark, by the system and by the switch, and the choice is kept"""
    page = stage.open("/", scheme="dark")
    connected(page)
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_label("Colours").select_option("light")
    light = page.evaluate(colour)
    assert dark != light, f"both are {dark}"
    page.reload()
    connected(page)
    assert page.evaluate(colour) == light


@scenario
def own_time(stage):
    """times are those of the reader, and the offset is shown"""
    page = stage.open("/")
    expect(page.get_by_role("contentinfo")).to_contain_text("UTC+09:00")


@scenario
def without_scripts(stage):
    """without JavaScript the page says so, and names the command"""
    page = stage.open("/", stage.context_without_scripts())
    word = page.locator(".without")
    expect(word).to_be_visible()
    assert "teller status" in word.inner_text()


@scenario
def searches(stage):
    """a search finds a job by its number, its id or a part of it, its kind, its error, and its key; and what is named so"""
    page = stage.open("/jobs")
    connected(page)
    job = stage.facts["jobs"]["failed"]
    number = asked(page, f"jobs/{job}")["number"]
    worker, plan = asked(page, "workers")["workers"][0], night(page)
    short = lambda id: f"{id[:8]}…{id[-4:]}"
    for text, found in [
        ("fail", "Jobs of this kind"),
        (f"#{number}", short(job)), (f"#{number:,}", short(job)), (short(job), "part of their id"),
        (job[:8], "part of their id"), (job[:13], "part of their id"), (worker["name"], "The worker"),
        (short(worker["id"]), "The worker"), ("opening", "The plan opening"), (short(plan["id"]), "The plan night"),
        ("work", "The department"), ("#999999999", "Nothing was found"), ("#0", "Nothing was found"),
        (f"{job[:8]}…zzzz", "Nothing was found"),
        (stage.facts["error"], "Jobs with this error"), ("noop key-1", "of this kind with this key"),
        ("key-2", "with this key, of kind noop"), ("nothing-at-all", "Nothing"),
    ]:
        page.fill("#find", text)
        page.press("#find", "Enter")
        expect(page.get_by_role("main")).to_contain_text(found)
    # Words that cannot be a kind are asked for, and not found.
    stage.forgive("400")


def night(page):
    """The open run of a plan."""
    return next(one for one in asked(page, "plans")["plans"] if one.get("name") == "night")


@scenario
def searches_by_whole_ids(stage):
    """a whole id leads to its job, worker or plan, and from there back to where it was typed"""
    page = stage.open("/keys")
    connected(page)
    job, worker = stage.facts["jobs"]["hostile"], asked(page, "workers")["workers"][0]["id"]
    for text, path, heading in [
        (job, f"/jobs/{job}", "noop"), (job.replace("-", "").upper(), f"/jobs/{job}", "noop"),
        (worker, "/workers", "Workers"), (night(page)["id"], "/plans/night", "Plan night"),
    ]:
        page.fill("#find", text)
        page.press("#find", "Enter")
        page.wait_for_url("**" + path)
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
        page.go_back()
        page.wait_for_url("**/keys")
    # No job has the id of a worker.
    stage.forgive("404")


@scenario
def a_search_that_comes_late(stage):
    """what was found is not shown to somebody who has gone elsewhere meanwhile"""
    page = stage.open("/")
    connected(page)
    held = []
    page.route("**/api/jobs?*", lambda route: held.append(route))
    page.fill("#find", "nothing-at-all")
    page.press("#find", "Enter")
    eventually(page, lambda: held, "asked")
    page.get_by_role("navigation").get_by_role("link", name="Workers").click()
    workers = page.get_by_role("table", name="Workers")
    expect(workers).to_be_visible()
    for route in held:
        route.fulfill(json={"jobs": []})
    page.wait_for_timeout(500)
    expect(workers).to_be_visible()


@scenario
def ten_thousand_jobs(stage):
    """with 10,000 waiting jobs the page shows the first ones, and says how many there are"""
    page = stage.open("/departments/many")
    connected(page)
    expect(page.get_by_role("main")).to_contain_text("10,000")
    expect(page.locator("main tbody tr").first).to_be_visible()
    rows = page.locator("main tbody tr").count()
    assert 0 < rows <= 110, f"{rows} rows"


@scenario
def nowhere(stage):
    """an address that does not exist says so, and leads back"""
    page = stage.open("/nowhere")
    expect(page.get_by_role("main")).to_contain_text("There is no such page")
    page.get_by_role("link", name="Overview").first.click()
    connected(page)
    stage.forgive("404")


# What a reader sees of boxes: their colours, and how strong these are.
LOOKS = """
(boxes) => boxes.map((box) => getComputedStyle(box)).map(({ fill, fillOpacity }) => `${fill} ${fillOpacity}`)
"""


@scenario
def colours_of_the_chart(stage):
    """the chart of a department says what its colours mean: no two look alike, and a run has that of its state"""
    for scheme in ("light", "dark"):
        page = stage.open("/departments/other", scheme=scheme)
        connected(page)
        words = page.locator(".gantt .legend span")
        expect(words).to_have_text(["running", "succeeded", "failed", "cancelled"])
        boxes = words.locator("rect").evaluate_all(LOOKS)
        assert len(set(boxes)) == 4, f"{scheme}: {boxes}"
        runs = page.get_by_role("img", name="took").locator(".run.running")
        expect(runs.first).to_be_visible()
        assert set(runs.evaluate_all(LOOKS)) == {boxes[0]}, f"{scheme}: a run that goes on does not look so"


@scenario
def attempts_of_a_job(stage):
    """the attempts of a job have the present one, and name their workers as the list of workers does, which they link"""
    page = stage.open("/")
    worker = next(one for one in asked(page, "workers")["workers"] if "other" in one["tellers"])
    for job, state in (("progress", "running"), ("failed", "failed")):
        page.goto(f"/jobs/{stage.facts['jobs'][job]}")
        attempt = page.get_by_role("region", name="Attempts").locator("tbody tr")
        expect(attempt).to_have_count(1)
        expect(attempt.locator(".badge")).to_contain_text(state)
        link = attempt.get_by_role("link", name=worker["name"], exact=True)
        expect(link).to_have_attribute("href", "/workers")
