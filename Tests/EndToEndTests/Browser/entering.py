"""Who gets in, behind a path prefix, with tokens."""

from browser import connected, expect, scenario


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
    expect(page.get_by_role("main")).to_contain_text("token")
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
def a_viewer(stage):
    """a viewer sees everything, and no button that changes anything"""
    page = stage.open(stage.facts["prefix"] + "/")
    sign_in(page, stage.facts["viewer"])
    connected(page)
    for path in ["/", "/departments/work", "/jobs", "/failed", "/workers", "/keys", "/rejected", "/webhooks"]:
        page.goto(stage.facts["prefix"] + path)
        connected(page)
        names = page.locator("main button").all_inner_texts()
        assert all(name in ("Look again", "Look up", "Filter") for name in names), f"{path}: {names}"
    stage.forgive("401")


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
