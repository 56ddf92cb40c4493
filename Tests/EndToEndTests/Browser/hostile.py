"""Text that would be markup, in every field that a screen shows."""

from urllib.parse import quote

from browser import connected, expect, scenario


def hostile(field):
    """The same as the test has put into that field."""
    return f"<img src=x onerror=stolen='{field}'>"


def screens(jobs):
    """Where each field is shown."""
    return {
        f"/jobs/{jobs['hostile']}": ["key"], "/keys": ["key"], "/departments/many": ["key"],
        f"/jobs?kind=noop&key={quote(hostile('key'))}": ["key"], f"/jobs/{jobs['failure']}": ["code", "message"],
        f"/jobs?kind=fail&error={quote(hostile('code'))}": ["code", "message"], "/failed": ["code"], f"/jobs/{jobs['progress']}": ["progress"],
        "/departments/other": ["progress"], "/plans/opening": ["step"], "/workers": ["worker"], "/rejected": ["type"],
    }


def addresses():
    """Addresses that somebody else may have made, and what of them is shown."""
    text = hostile("address")
    quoted = quote(text, safe="")
    return {
        f"/jobs?find={quoted}": text, f"/jobs?department={quoted}": "department", f"/jobs?kind=noop&key={quoted}": text,
        f"/jobs?error={quoted}": text, f"/keys?kind=noop&key={quoted}": text, f"/departments/{quoted}": text,
        f"/plans/{quoted}": text, f"/failed?department={quoted}": text, f"/jobs/{quoted}": "Job",
        f"/{quoted}": "There is no such page",
    }


def expect_text_only(page):
    """Nothing of it has become an element, and no handler of it has run."""
    assert page.evaluate("window.stolen") is None, f"{page.url}: {page.evaluate('window.stolen')} ran a script"
    made = page.locator("img, body script").count()
    assert made == 0, f"{page.url}: {made} elements were made of text"


@scenario
def every_field(stage):
    """hostile text is text in every field: keys, errors, progress, steps, workers, rejected messages"""
    context = stage.context()
    for path, fields in screens(stage.facts["jobs"]).items():
        page = stage.open(path, context)
        for field in fields:
            expect(page.get_by_role("main")).to_contain_text(hostile(field))
        expect_text_only(page)
        page.close()


@scenario
def contents(stage):
    """hostile text is text in payloads and results, which are shown on demand"""
    context = stage.context()
    for job, content in [("hostile", "payload"), ("answer", "result")]:
        page = stage.open(f"/jobs/{stage.facts['jobs'][job]}", context)
        page.get_by_role("button", name=f"Show the {content}").click()
        expect(page.get_by_role("region", name=content.capitalize(), exact=True)).to_contain_text(hostile(content))
        expect_text_only(page)


@scenario
def exact(stage):
    """a payload is shown with its digits, its members and their order; characters that nobody sees are shown by numbers"""
    page = stage.open(f"/jobs/{stage.facts['jobs']['exact']}")
    page.get_by_role("button", name="Show the payload").click()
    shown = page.get_by_role("region", name="Payload", exact=True)
    lines = ["{", '  "n": 1970670598291982290,', '  "p": 1.10,', '  "p": 1e400,', '  "of": [],',
             '  "name": "gpj.⟨U+202E⟩exe"', "}"]
    expect(shown).to_be_visible()
    assert shown.text_content() == "\n".join(lines), shown.text_content()
    expect(page.get_by_role("main")).to_contain_text("acc⟨U+202E⟩99⟨U+200B⟩ount")


@scenario
def every_address(stage):
    """hostile text is text in an address: of a search, a filter, a department, a plan, a key"""
    context = stage.context()
    for path, shown in addresses().items():
        page = stage.open(path, context)
        expect(page.get_by_role("main")).to_contain_text(shown)
        connected(page)
        expect_text_only(page)
        page.close()
    stage.forgive("400", "404")


@scenario
def questions_and_notices(stage):
    """hostile text is text in a question and in a notice"""
    page = stage.open("/keys")
    row = page.get_by_role("row").filter(has_text=hostile("key"))
    row.get_by_role("button", name="Reset").click()
    expect(page.get_by_role("dialog")).to_contain_text(hostile("key"))
    expect_text_only(page)
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Free").click()
    expect(page.get_by_role("status", name="News")).to_contain_text(hostile("key"))
    expect_text_only(page)
