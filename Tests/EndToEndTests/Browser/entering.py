"""Who gets in, behind a path prefix, with tokens."""

from browser import connected, eventually, expect, scenario


def sign_in(page, token):
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")


@scenario
def with_a_token(stage):
    """who has no token sees the form alone; a wrong token is refused; an operator may act, and signs out"""
    page = stage.open(stage.facts["prefix"] + "/jobs")
    expect(page.get_by_label("Token")).to_be_focused()
    stage.expect_accessible(page, "the form")
    sign_in(page, "wrong")
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("Nobody has this token")
    expect(page.get_by_label("Token")).to_be_focused()
    sign_in(page, stage.facts["operator"])
    expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
    connected(page)
    assert page.evaluate("document.cookie") == "", "a script can read the cookie"
    page.goto(stage.facts["prefix"] + "/departments/work")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("contentinfo")).to_contain_text("ada")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    stage.forgive("401")


@scenario
def an_old_answer(stage):
    """an answer about who looks that comes after somebody has signed in, and is from before, changes nothing"""
    page = stage.open(stage.facts["prefix"] + "/jobs")
    expect(page.get_by_label("Token")).to_be_focused()
    late = []
    page.route("**/api/me", lambda route: late.append((route, route.fetch())), times=1)
    sign_in(page, "wrong")
    eventually(page, lambda: late, "asked again who looks", state=lambda: "no question")
    sign_in(page, stage.facts["operator"])
    connected(page)
    [(route, answer)] = late
    with page.expect_response("**/api/me") as heard:
        route.fulfill(response=answer)
    heard.value.finished()
    # What it changed would be drawn in the next frame.
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(page.get_by_role("contentinfo")).to_contain_text("ada")
    connected(page)
    stage.forgive("401")


# The screens, and whether there is a row on each.
SCREENS = {
    "/": True, "/departments/many": True, "/jobs": True, "/failed": True, "/plans": True, "/plans/opening": True,
    "/workers": True, "/schedules": True, "/keys": True, "/webhooks": True, "/report": True, "/rejected": False,
    "/actions": False,
}
# What asks, and changes nothing.
QUESTIONS = {"Look again", "Look up", "Filter"}


@scenario
def a_viewer(stage):
    """a viewer sees the rows of every screen, and no button that changes anything"""
    context = stage.context()
    enter(stage, context, "viewer")
    for path, has_rows in SCREENS.items():
        page = stage.open(stage.facts["prefix"] + path, context)
        if has_rows:
            expect(page.locator("main tbody tr").first).to_be_visible()
        connected(page)
        names = set(page.locator("main button").all_inner_texts())
        assert names <= QUESTIONS, f"{path}: {names - QUESTIONS}"
        assert page.locator("main input[type=checkbox]:not(#filter-unsettled)").count() == 0, f"{path} lets select"
        page.close()
    stage.forgive("401")


@scenario
def a_viewer_who_tries(stage):
    """a viewer sees no payload, and what changes anything is refused, also where it is asked for without a button"""
    context = stage.context()
    enter(stage, context, "viewer")
    job = stage.facts["waiting"]
    page = stage.open(f"{stage.facts['prefix']}/jobs/{job}", context)
    expect(page.get_by_role("main")).to_contain_text("Only an operator sees the payload.")
    form = "11111111-1111-4111-8111-111111111111"
    for path, body in [
        (f"jobs/{job}/payload", None), ("actions/cancel", {"form": form, "jobs": [job]}),
        ("actions/pause", {"form": form, "department": "many"}), ("actions/reset", {"form": form}),
    ]:
        status, answer = ask(page, stage.facts["prefix"], path, body)
        assert status == 403 and answer["error"]["code"] == "forbidden", f"{path}: {status}, {answer}"
    assert ask(page, stage.facts["prefix"], f"jobs/{job}", None)[1]["state"] in ("held", "queued")
    stage.forgive("401", "403")


def enter(stage, context, role):
    page = stage.open(stage.facts["prefix"] + "/", context)
    sign_in(page, stage.facts[role])
    connected(page)
    page.close()


def ask(page, prefix, path, body):
    """Asks as a script of the page would, with its cookie: the status, and the answer."""
    return page.evaluate(
        """async ([address, body]) => {
          const headers = { 'Content-Type': 'application/json' };
          const answer = await fetch(address, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
          return [answer.status, await answer.json()];
        }""", [f"{prefix}/api/{path}", body])


@scenario
def links_have_the_prefix(stage):
    """behind a path prefix every link leads to a page that is there"""
    page = stage.open(stage.facts["prefix"] + "/")
    sign_in(page, stage.facts["viewer"])
    connected(page)
    links = page.eval_on_selector_all("a[href]", "all => all.map((one) => one.getAttribute('href'))")
    assert links and all(link.startswith((stage.facts["prefix"] + "/", "#", "http")) for link in links), links
    page.get_by_role("link", name="Failed").first.click()
    expect(page.get_by_role("heading", name="Failed", level=1)).to_be_visible()
    stage.forgive("401")
