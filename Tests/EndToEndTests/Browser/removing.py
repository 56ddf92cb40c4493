"""A department that was removed from teller.yaml, and that still has jobs."""

from browser import connected, expect, scenario


@scenario
def a_removed_department(stage):
    """a department that teller.yaml no longer names says why it is closed, in the overview and on its own screen"""
    page = stage.open("/")
    connected(page)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="ranked", exact=True))
    expect(row.locator(".badge.bad").filter(has_text="not configured")).to_be_visible()
    expect(row).to_contain_text("Closed: teller.yaml does not name it.")
    page.goto("/departments/ranked")
    expect(page.locator(".badges")).to_contain_text("not configured")
    expect(page.get_by_role("main")).to_contain_text("Closed: teller.yaml does not name it.")
