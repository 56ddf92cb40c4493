"""A real Chromium on the page, for tests: what it shows, what it complains of, and who cannot use it.

A scenario is a function with the decorator `scenario`. It gets a Stage, and fails by an exception. Each ends with one line,
`✔ NAME` or `✘ NAME: WHY`; a message of the browser's console, and a broken rule of the page's own policy, is a failure, too.
"""

import glob
import json
import os
import sys
import time
import traceback

import axe_playwright_python
from playwright.sync_api import Error, expect, sync_playwright

# Generous, as only failures wait for it: many tests may share the processors.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

CHROMIUM = os.environ.get("TELLER_TEST_CHROMIUM", "/usr/bin/chromium")
# How many times slower each tab computes: a busy machine shows a page's moments between two states.
SLOWER = float(os.environ.get("TELLER_TEST_BROWSER_SLOWER", "1"))
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
# Chromium drops what is under way when an interface of the machine comes or goes, as with each container. The page goes on.
NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"

# A module of the page, by its name. The address of the scripts has their hash in it.
MODULE = """
async (name) => {
  const address = [...document.scripts].map((one) => one.src).find((one) => one.endsWith('/page.js'));
  return import(address.replace('page.js', name));
}
"""

# Each board is changed on its way from the coordinator to the page: `%s` is a function that does it.
CHANGED_BOARDS = """
delete window.SharedWorker;
const change = %s;
const changeBoard = (board) => {
  if (board) change(board);
  return board;
};
const changes = { board: changeBoard, picture: (picture) => ({ ...picture, board: changeBoard(picture.board) }) };
window.EventSource = class extends EventSource {
  addEventListener(name, listener) {
    const changed = (data) => (changes[name] ? JSON.stringify(changes[name](JSON.parse(data))) : data);
    super.addEventListener(name, ({ data, lastEventId }) => listener({ data: changed(data), lastEventId }));
  }
};
"""

_scenarios = []


def scenario(function):
    """Marks a function as a scenario. Its documentation is its name."""
    _scenarios.append(function)
    return function


def _axe_source():
    folder = os.path.dirname(axe_playwright_python.__file__)
    with open(glob.glob(folder + "/**/axe.min.js", recursive=True)[0], encoding="utf-8") as file:
        return file.read()


class Stage:
    """One browser on one page, and what the test has told about the system."""

    def __init__(self, chromium, address, facts):
        self._chromium = chromium
        self.address = address
        self.facts = facts
        self._axe = _axe_source()
        self.complaints = []
        self._contexts = []

    def context(self, width=1280, scheme="light", **options):
        """A browser of its own, with its own cookies."""
        height = 800 if width > 400 else 640
        context = self._chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id="Asia/Tokyo",
            base_url=self.address, **options)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        return context

    def open(self, path, context=None, **options):
        """Opens an address of the page in a new tab, and listens to what the browser complains of."""
        page = (context or self.context(**options)).new_page()
        page.on("console", lambda message: self._hear(path, message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"{path}: {error} {error.stack or ''}"))
        page.on("dialog", lambda dialog: (self.complaints.append(f"{path}: dialog {dialog.message}"), dialog.dismiss()))
        if SLOWER > 1:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(path)
        return page

    def _hear(self, path, kind, text):
        if kind in ("error", "warning") and NETWORK_CHANGED not in text:
            self.complaints.append(f"{path}: {text}")

    def forgive(self, *parts):
        """The browser may have complained of this: the scenario has provoked it."""
        self.complaints = [text for text in self.complaints if not any(part in text for part in parts)]

    def context_without_scripts(self):
        """A browser whose user has switched JavaScript off."""
        chromium = self._chromium.browser_type.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, "--blink-settings=scriptEnabled=false"])
        self._contexts.append(chromium)
        return chromium.new_context(base_url=self.address)

    def expect_accessible(self, page, what):
        """No rule of axe is broken."""
        # The page's policy lets no script in: this one comes by the way of a debugger.
        page.context.new_cdp_session(page).send("Runtime.evaluate", {"expression": self._axe + ";0"})
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        told = [f"{one['id']} ({one['nodes'][0]['html'][:160]})" for one in found]
        assert not told, f"{what} is not accessible: {told}"

    def expect_narrow(self, page, what):
        """Nothing stands beyond the right edge."""
        wide, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide <= room, f"{what} is {wide} px wide, and there is room for {room}"

    def finish(self):
        for context in self._contexts:
            context.close()
        self._contexts = []
        complaints, self.complaints = self.complaints, []
        assert not complaints, f"the browser complains: {list(dict.fromkeys(complaints))[:5]}"


def connected(page):
    """Waits until the page shows that it is connected, and has a first picture."""
    expect(page.locator(".standing .badge.good")).to_be_visible()


def eventually(page, function, what, state=None):
    """Asks again and again, as a person looks: the page changes by itself. `state`: what to say of it in the end."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not function():
        last = state() if state else page.locator("main").inner_text()[:500]
        assert time.monotonic() < deadline, f"not {what}: {last}"
        page.wait_for_timeout(50)


def press_three_times(button):
    """Presses at one moment. Those of a mouse come one by one, each after the page has taken the one before."""
    button.evaluate("(button) => { for (let press = 0; press < 3; press += 1) button.click(); }")


def asked(page, path, **query):
    """What the coordinator says, beside what the page shows. It is asked again where it did not answer in time."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not (answer := page.request.get(f"/api/{path}", params=query)).ok:
        is_late = answer.status == 429 or answer.status >= 500
        assert is_late and time.monotonic() < deadline, f"{path} {query}: {answer.status}, {answer.text()[:500]}"
        page.wait_for_timeout(200)
    return answer.json()


def say(text):
    """Tells the test something: it reads the lines as they come."""
    print(text, flush=True)


def wait_for_order():
    """Waits until the test writes a line."""
    line = sys.stdin.readline()
    if not line:
        raise SystemExit("the test has gone away")
    return line.strip()


def run(argv):
    """Plays the scenarios of the modules that are named, or those of one name: ADDRESS FACTS MODULE…"""
    address, facts, modules = argv[1], json.loads(argv[2]), argv[3:]
    for module in modules:
        __import__(module)
    failed = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for function in _scenarios:
            failed += not _play(function, Stage(chromium, address, facts))
        chromium.close()
    return 1 if failed else 0


def _play(function, stage):
    began = time.monotonic()
    try:
        function(stage)
        stage.finish()
    except (AssertionError, Error, SystemExit) as problem:
        reason = " ".join(str(problem).split())[:1500]
        place = traceback.extract_tb(problem.__traceback__)
        lines = [f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in place if "/Browser/" in frame.filename]
        say(f"✘ {function.__doc__}: {reason} (at {', '.join(lines)})")
        try:
            stage.finish()
        except AssertionError as more:
            say(f"  {more}")
        return False
    say(f"✔ {function.__doc__} ({time.monotonic() - began:.1f} s)")
    return True
