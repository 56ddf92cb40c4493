"""What a browser shows while its connection, the broker, the coordinator or the page is away. The test orders, and reads the
lines."""

import re
from collections import Counter

from browser import connected, eventually, expect, say, scenario, wait_for_order

# The browser itself keeps what it is told, and what it tells the reader: a notice goes by itself. A page that has just been
# opened may have a first stream that is about no department; the one that is watched comes after it.
LISTENING = """
window.heard = { isReady: false, pictures: 0, ended: [], notices: [] };
delete window.SharedWorker;
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    const ends = ['succeeded', 'failed', 'cancelled'];
    const ready = () => (heard.isReady ||= address.includes('department='));
    for (const name of ['picture', 'board']) this.addEventListener(name, ready);
    this.addEventListener('picture', () => (heard.pictures += 1));
    this.addEventListener('events', ({ data }) => {
      heard.ended.push(...JSON.parse(data).filter((one) => ends.includes(one.event)).map((one) => one.job));
    });
  }
};
addEventListener('DOMContentLoaded', () => {
  const listen = (changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes]))
      if (node.matches?.('.notice')) heard.notices.push(node.querySelector('span').textContent);
  };
  new MutationObserver(listen).observe(document.getElementById('notices'), { childList: true, subtree: true });
});
"""
LOOKS = {"connected": ("good", "●"), "slow": ("warn", "◐"), "lost": ("bad", "○")}
# While others are away, requests fail, and the browser says so.
FAILURES = [
    "503", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"]


class Watch:
    """One tab that shows a department, with what it has heard, and another tab; beside them tabs of another browser, which
    have one stream together. A method is an order of the test."""

    def __init__(self, stage, address, sharing=()):
        context = stage.context()
        context.add_init_script(LISTENING)
        self.page = stage.open(address + "/departments/work", context)
        eventually(self.page, lambda: self.heard("isReady"), "shown the department")
        connected(self.page)
        self.pictures = self.heard("pictures")
        self.told = 0
        self.other = stage.open(address + "/workers", context)
        connected(self.other)
        shared = stage.context()
        self.sharing = [stage.open(address + path, shared) for path in sharing]
        for page in self.sharing:
            connected(page)

    def heard(self, what):
        return self.page.evaluate(f"heard.{what}")

    def obey(self, order):
        word, *words = order.split(" ")
        say(f"shows {order if word == 'state' else word}: {getattr(self, word)(*words)}")

    def state(self, word):
        """The connection is in that state, by colour, word and sign, in each tab that shows it."""
        colour, sign = LOOKS[word]
        for page in (self.page, *self.sharing):
            badge = page.locator(f".standing .badge.{colour}")
            expect(badge).to_contain_text(word)
            expect(badge.locator(".sign")).to_have_text(sign)
        why = self.page.locator(".standing .why")
        return f"{sign} {word} ({colour})" + (f", {why.inner_text()}" if word != "connected" else "")

    def notice(self, *words):
        """A notice with these words has come since the last one that was asked for."""
        text = " ".join(words)
        found = []

        def look():
            found[:] = [one for one in enumerate(self.heard("notices")) if one[0] >= self.told and text in one[1]]
            return found

        eventually(self.page, look, f"a notice of {text!r} behind {self.told} others", lambda: self.heard("notices"))
        self.told = found[0][0] + 1
        return repr(found[0][1])

    def old(self):
        """What is shown is said to be old, with its age, and looks so."""
        why = self.page.locator(".standing .why")
        expect(why).to_contain_text(re.compile(r"What you see is as of .*\d+\s(s|min) old"))
        expect(self.page.locator("body.isold")).to_have_count(1)
        return repr(why.inner_text())

    def total(self, jobs):
        """The department's numbers are right."""
        expect(self.page.get_by_role("main")).to_contain_text(f"{int(jobs):,} succeeded")
        return f"{jobs} succeeded"

    def missed(self, *jobs):
        """Each of these jobs was told as ended, by one event, and no picture came since the last look: nothing was missed."""
        eventually(self.page, lambda: set(jobs) <= set(self.heard("ended")), "told of each job that has ended")
        self.expect_no_job_twice()
        assert self.heard("pictures") == self.pictures, f"{self.heard('pictures') - self.pictures} further pictures came"
        return f"none of {len(jobs)} jobs, each told once, without a further picture"

    def unloaded(self):
        """The other tab goes to a screen whose script it has not: it says why there is none."""
        self.other.get_by_role("navigation").get_by_role("link", name="Failed").click()
        expect(self.other.get_by_role("heading", name="This screen is not loaded")).to_be_visible()
        expect(self.other.get_by_role("button", name="Load again")).to_be_visible()
        return repr(self.other.locator("main .problem").inner_text())

    def loaded(self):
        """By itself it shows that screen then."""
        heading = self.other.get_by_role("main").get_by_role("heading", level=1)
        expect(heading).to_have_text("Failed")
        connected(self.other)
        return repr(heading.inner_text())

    def anew(self):
        """The stream has begun anew, with a picture."""
        eventually(self.page, lambda: self.heard("pictures") > self.pictures, "shown a new picture")
        self.pictures = self.heard("pictures")
        return "a new picture"

    def expect_no_job_twice(self):
        twice = [job for job, times in Counter(self.heard("ended")).items() if times > 1]
        assert not twice, f"{twice} were told as ended twice"


def obey_orders(stage, address, sharing=()):
    watch = Watch(stage, address, sharing)
    say("ready")
    while (order := wait_for_order()) != "end":
        watch.obey(order)
    watch.expect_no_job_twice()
    stage.forgive(*FAILURES)


@scenario
def cut_off(stage):
    """a browser that was cut off goes on behind the last event that it has had, and misses none"""
    # While somebody else looks, the page goes on to read.
    connected(stage.open("/departments/work"))
    obey_orders(stage, stage.facts["line"])


@scenario
def while_others_are_away(stage):
    """each change of the connection has its colour, its word, its sign and a notice; what is old is said to be old"""
    obey_orders(stage, stage.address, sharing=("/", "/departments/work"))
