"""The page while thousands of jobs are served: nobody who reads or types is disturbed, and it does not grow."""

import re

from browser import connected, eventually, expect, say, scenario

SERVED = 2_000
# So many elements has a screen with two full lanes, several times over.
MOST_ELEMENTS = 4_000
# The same with texts, and with what was taken away and is not collected yet.
MOST_NODES = 30_000


def succeeded(page):
    found = re.search(r"([\d,]+) succeeded", page.locator("main").inner_text())
    return int(found.group(1).replace(",", "")) if found else 0


@scenario
def thousands_of_rows(stage):
    """while thousands of jobs are served the page has no more elements than at first"""
    page = stage.open("/departments/many")
    connected(page)
    eventually(page, lambda: succeeded(page) > 0, "at work")
    debugger = page.context.new_cdp_session(page)
    most = 0

    def look():
        nonlocal most
        most = max(most, page.evaluate("document.querySelectorAll('*').length"))
        return succeeded(page) >= SERVED

    eventually(page, look, f"through with {SERVED} jobs")
    debugger.send("HeapProfiler.collectGarbage")
    debugger.send("Performance.enable")
    figures = {one["name"]: one["value"] for one in debugger.send("Performance.getMetrics")["metrics"]}
    nodes, memory = int(figures["Nodes"]), figures["JSHeapUsedSize"] / 1e6
    say(f"trace {succeeded(page):,} served: at most {most:,} elements; {nodes:,} nodes and {memory:.1f} MB in the end")
    assert most <= MOST_ELEMENTS, f"{most} elements"
    assert nodes <= MOST_NODES, f"{nodes} nodes"


@scenario
def nobody_is_disturbed(stage):
    """while the rows change, what somebody types stays, and so does the focus; where its row goes, it goes to a neighbour"""
    typing, reading, acting = (
        stage.open(path) for path in ("/jobs?department=late", "/departments/late", "/departments/late"))
    for page in (typing, reading, acting):
        connected(page)
    expect(typing.locator("tbody tr")).to_have_count(40)
    field = typing.get_by_label("Kind", exact=True)
    field.focus()
    typing.keyboard.type("no-op")
    for _ in range(3):
        typing.keyboard.press("ArrowLeft")
    rows = reading.get_by_role("region", name="Waiting").locator("tbody tr")
    expect(rows).to_have_count(40)
    last = rows.last.get_by_role("link")
    last.focus()
    acting.get_by_role("button", name="Resume").click()
    expect(typing.locator("tbody .badge.good")).to_have_count(39)
    expect(typing.get_by_role("row").filter(has_text="fail")).to_contain_text("next attempt later")
    typing.keyboard.press("Delete")
    assert field.input_value() == "noop", f"{field.input_value()} is in the field"
    expect(field).to_be_focused()
    eventually(reading, lambda: succeeded(reading) >= 39, "through")
    assert reading.evaluate("document.activeElement !== document.body"), "the focus is lost"
