"""Many windows of one browser, which has few connections to one address."""

from browser import MODULE, asked, connected, eventually, expect, scenario
from line import Line

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
    held = [True]
    context.route("**/api/live*", lambda route: None if held else route.continue_())
    blank = stage.open("/", context)
    expect(blank.locator(".standing .why")).to_contain_text("Perhaps too many windows")
    held.clear()
    # Nothing ends the request that hangs. The window asks again by itself.
    connected(blank)


# The window's way to the shared stream: `lose` makes the stream drop the window, as after a long silence. From then on the
# window only says that it is still there.
LOSING = """
const post = MessagePort.prototype.postMessage;
let port = null;
MessagePort.prototype.postMessage = function (message) {
  if (port && message.word !== 'here') return;
  window.lose = () => {
    post.call(this, { word: 'close' });
    port = this;
  };
  post.call(this, message);
};
"""


def row_of(window, department):
    return window.get_by_role("row").filter(has=window.get_by_role("link", name=department, exact=True))


def pause(window, department):
    """Pauses a department, and waits until the window shows it."""
    row_of(window, department).get_by_role("button", name="Pause").click()
    expect(row_of(window, department)).to_contain_text("paused")


def resume(window, department):
    row_of(window, department).get_by_role("button", name="Resume").click()
    expect(row_of(window, department).get_by_role("button", name="Pause")).to_be_visible()


@scenario
def a_window_that_was_dropped(stage):
    """a window that the shared stream has dropped, and that speaks again, shows the present by itself"""
    context = stage.context()
    context.add_init_script(LOSING)
    dropped, other = stage.open("/", context), stage.open("/", context)
    for window in (dropped, other):
        connected(window)
    dropped.evaluate("lose()")
    pause(other, "other")
    expect(row_of(dropped, "other")).to_contain_text("paused")
    connected(dropped)
    resume(other, "other")


def shared_workers(debugger):
    targets = debugger.send("Target.getTargets")["targetInfos"]
    return [one["targetId"] for one in targets if one["type"] == "shared_worker"]


@scenario
def the_end_of_the_shared_stream(stage):
    """when the worker that windows share has ended, they share another one by themselves, and show the present"""
    context = stage.context()
    windows = [stage.open("/", context), stage.open("/", context)]
    for window in windows:
        connected(window)
    debugger = context.browser.new_browser_cdp_session()
    ended = shared_workers(debugger)
    for worker in ended:
        debugger.send("Target.closeTarget", {"targetId": worker})
    eventually(windows[0], lambda: not set(ended) & set(shared_workers(debugger)), "without the worker")
    pause(windows[0], "other")
    expect(row_of(windows[1], "other")).to_contain_text("paused")
    assert len(shared_workers(debugger)) == 1, "the windows share no worker"
    resume(windows[0], "other")


# Keeps how the connection has stood, by its first word.
STANDINGS = """
window.standings = [];
new MutationObserver(() => {
  const word = document.querySelector('.standing .badge .sign')?.nextSibling?.textContent.trim();
  if (word && word !== standings.at(-1)) standings.push(word);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


@scenario
def trouble_on_the_shared_stream(stage):
    """when the stream that windows share breaks, each says at once that the connection is lost; all of them recover"""
    line = Line(stage.address)
    context = stage.context()
    context.add_init_script(STANDINGS)
    windows = [stage.open(line.address + path, context) for path in ("/", "/departments/other")]
    for window in windows:
        connected(window)
        expect(window.locator("main h1")).to_be_visible()
    line.cut()
    for window in windows:
        expect(window.locator(".standing .badge.bad")).to_contain_text("lost")
        expect(window.locator(".standing .why")).to_contain_text("The page cannot be reached.")
    line.mend()
    for window in windows:
        connected(window)
        # Without a word of the stream, silence would be told first.
        standings = window.evaluate("standings")
        assert standings[-3:] == ["connected", "lost", "connected"], standings
    # While the line is cut, requests fail.
    stage.forgive("net::ERR_")


# The shared worker's script with a clock, streams and windows of the test. A step is `open`, `here` or `close` with the
# window and its last place; `pass` with seconds; `error` with the state in which the stream is then; or a message of the
# stream with its data and its place. All that the windows hear is listed, and each stream by the second when it was opened,
# and the place that it is opened behind.
HUB = """
async (steps) => {
  const [checks, streams, windows, list] = [[], [], {}, []];
  const kept = { setInterval, EventSource };
  window.setInterval = (check) => checks.push(check);
  await (%s)('stream-worker.js');
  window.setInterval = kept.setInterval;
  let seconds = 0;
  performance.now = () => seconds * 1_000;
  window.EventSource = class {
    static CLOSED = 2;
    listeners = {};
    constructor(address) {
      list.push(`${seconds} s: ${new URL(address, location).search}`);
      streams.push(this);
    }
    addEventListener(name, listener) { this.listeners[name] = listener; }
    close() {}
  };
  const port = (name) => {
    const words = (message) => `${name} ${message.name}${message.isClosed ? ' for good' : ''}`;
    const made = { postMessage: (message) => list.push(words(message)) };
    dispatchEvent(Object.assign(new Event('connect'), { ports: [made] }));
    return made;
  };
  for (const [step, ...rest] of steps) {
    if (step === 'pass') {
      for (let passed = 0; passed < rest[0]; passed += 1) {
        seconds += 1;
        for (const check of checks) check();
      }
    } else if (['open', 'here', 'close'].includes(step)) {
      const [name, after] = rest;
      windows[name] ??= port(name);
      windows[name].onmessage({ data: { word: step, address: '/api/live', departments: [], after } });
    } else if (step === 'error') {
      [streams.at(-1).readyState] = rest;
      streams.at(-1).listeners.error();
    } else {
      const [data, lastEventId] = rest;
      streams.at(-1).listeners[step]({ data: JSON.stringify(data), lastEventId });
    }
  }
  delete performance.now;
  window.EventSource = kept.EventSource;
  return list;
}
""" % MODULE

# Whether the browser itself connects again: the numbers of EventSource.
BROKEN, REFUSED = ("error", 0), ("error", 2)
PICTURE = ("picture", {"state": {"state": "connected"}, "board": {}}, "1/5")
BEGINNING = ["0 s: ", "A picture"]
# For half a minute window B and the stream are heard, and window A is silent.
HALF_A_MINUTE = [step for _ in range(11) for step in [("pass", 3), ("here", "B", "1/5"), ("state", {}, "")]]

HUBS = [
    ("a window was dropped, and says that it is there",
     [("open", "A", None), PICTURE, ("open", "B", None), *HALF_A_MINUTE, ("events", [], "1/6"), ("here", "A", "1/5"),
      ("beat", {}, "")],
     [*BEGINNING, "B picture", *["A state", "B state"] * 10, "B state", "B events", "A events", "A state", "A board",
      "B beat", "A beat"]),
    ("all windows were dropped: the stream was closed",
     [("open", "A", None), PICTURE, *[("pass", 3), ("beat", {}, "")] * 11, ("here", "A", "1/5")],
     [*BEGINNING, *["A beat"] * 10, "33 s: ?after=1%2F5"]),
    ("the stream is silent: it is opened again, later each time, until a message comes",
     [("open", "A", None), PICTURE, *[("pass", 5), ("here", "A", "1/5")] * 12, ("state", {}, ""), ("pass", 5)],
     [*BEGINNING, "5 s: ?after=1%2F5", "14 s: ?after=1%2F5", "31 s: ?after=1%2F5", "52 s: ?after=1%2F5", "A state",
      "65 s: ?after=1%2F5"]),
    ("a window that comes while the stream is silent is not given what may no longer be so",
     [("open", "A", None), PICTURE, ("pass", 5), ("open", "B", None), ("here", "A", "1/5"), ("board", {}, "")],
     [*BEGINNING, "5 s: ?after=1%2F5", "A board", "B board"]),
    ("the first stream is silent: it is opened again behind the same place",
     [("open", "A", "1/3"), ("pass", 5)],
     ["0 s: ?after=1%2F3", "5 s: ?after=1%2F3"]),
    ("the stream breaks, and the browser connects again: windows are told, also those that come; nothing old is given",
     [("open", "A", None), PICTURE, ("open", "B", None), BROKEN, ("open", "C", None), ("state", {}, "1/5"),
      ("open", "D", None)],
     [*BEGINNING, "B picture", "A broken", "B broken", "C broken", "A state", "B state", "C state", "D picture"]),
    ("the stream breaks again and again: that is no silence, after which it would be opened a second time",
     [("open", "A", None), PICTURE, *[("pass", 3), BROKEN] * 3], [*BEGINNING, *["A broken"] * 3]),
    ("the stream is refused: windows are told, and it is opened when one asks again",
     [("open", "A", None), PICTURE, ("open", "B", None), REFUSED, ("pass", 9), ("close", "A", None), ("open", "A", "1/5")],
     [*BEGINNING, "B picture", "A broken for good", "B broken for good", "A broken", "9 s: ?after=1%2F5"]),
]


@scenario
def silences(stage):
    """the shared worker drops silent windows and takes them in again, opens a silent stream again, tells of a broken one"""
    context = stage.context()
    for what, steps, told in HUBS:
        page = stage.open("/", context)
        connected(page)
        found = page.evaluate(HUB, [list(step) for step in steps])
        assert found == told, f"{what}: {found}, and not {told}"
