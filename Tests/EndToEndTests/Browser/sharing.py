"""Many windows of one browser, which has few connections to one address."""

from browser import asked, connected, eventually, expect, scenario

SCREENS = ["/", "/departments/work", "/departments/other", "/jobs", "/workers", "/departments/work", "/", "/failed"]


COUNTING = """
window.streams = 0;
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    window.streams += 1;
  }
};
"""


def streams(page):
    """How many streams the window has opened by itself."""
    return page.evaluate("window.streams")


@scenario
def many_windows(stage):
    """eight visible windows of one browser are connected, have one stream together, and each acts at once"""
    context = stage.context()
    context.add_init_script(COUNTING)
    windows = [stage.open(path, context) for path in SCREENS]
    for window in windows:
        connected(window)
        expect(window.locator("main h1")).to_be_visible()
        assert streams(window) == 0, "a window has a stream of its own"
    first, departments = windows[0], [windows[1], windows[5]]
    for window in departments:
        expect(window.get_by_role("region", name="Running").locator("tbody tr, .empty").first).to_be_visible()
    row = first.get_by_role("row").filter(has_text="other")
    row.get_by_role("button", name="Pause").click()
    for window in (windows[0], windows[6]):
        expect(window.get_by_role("row").filter(has_text="other")).to_contain_text("paused")
    expect(windows[2].get_by_role("button", name="Resume")).to_be_visible()
    windows[2].get_by_role("button", name="Resume").click()
    expect(row.get_by_role("button", name="Pause")).to_be_visible()


@scenario
def windows_that_come_and_go(stage):
    """a window that comes later, and one whose neighbours have gone, show the present"""
    context = stage.context()
    one = stage.open("/departments/other", context)
    connected(one)
    other = stage.open("/", context)
    connected(other)
    one.close()
    another = stage.open("/departments/work", context)
    connected(another)
    paused = lambda: [d["name"] for d in asked(other, "status")["departments"] if d["paused"]]
    row = other.get_by_role("row").filter(has_text="other")
    row.get_by_role("button", name="Pause").click()
    expect(row.get_by_role("button", name="Resume")).to_be_visible()
    assert paused() == ["other"], paused()
    other.close()
    last = stage.open("/departments/other", context)
    last.get_by_role("button", name="Resume").click()
    eventually(last, lambda: paused() == [], "resumed", paused)
    connected(another)


@scenario
def without_sharing(stage):
    """a browser that cannot share a stream has one for each window; where none comes it says what may be the reason"""
    context = stage.context()
    context.add_init_script("delete window.SharedWorker;" + COUNTING)
    for window in [stage.open("/", context) for _ in range(3)]:
        connected(window)
        assert streams(window) > 0, "it has no stream of its own"
    context.route("**/api/live*", lambda route: None)
    blank = stage.open("/", context)
    expect(blank.locator(".standing .why")).to_contain_text("Perhaps too many windows")
