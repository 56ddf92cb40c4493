"""A real Chromium on a department's screen: look.py ADDRESS DEPARTMENT, until its stdin ends.

Prints `{"ready": true}` when the screen shows running jobs, and at the end one line: `{"gone": [[JOB, TIME], …]}`, the jobs
that have left the rows of those served, with the time after the frame in which they did, in nanoseconds of the machine's
monotonic clock."""

import json
import sys
import time

from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
PATIENCE = 60_000  # milliseconds
VIEW = {"width": 1280, "height": 800}

# A message of a channel is heard after the frame in which it was sent: the row is gone for the eye by then.
OBSERVE = """() => {
  const rows = () => new Set([...document.querySelectorAll('#served a[title]')].map((link) => link.title));
  let before = rows();
  window.gone = [];
  new MutationObserver(() => {
    const now = rows();
    const left = [...before].filter((job) => !now.has(job));
    before = now;
    if (left.length === 0) return;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.gone.push(...left.map((job) => [job, Date.now()]));
    channel.port2.postMessage(null);
  }).observe(document.querySelector('main'), { childList: true, subtree: true });
}"""


def main(address: str, department: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = chromium.new_page(viewport=VIEW)
        page.goto(f"{address}/departments/{department}")
        expect(page.locator("#served a[title]").first).to_be_visible(timeout=PATIENCE)
        page.evaluate(OBSERVE)
        print(json.dumps({"ready": True}), flush=True)
        sys.stdin.read()
        gone = page.evaluate("window.gone")
        chromium.close()
    ahead = time.monotonic_ns() - time.time_ns()
    print(json.dumps({"gone": [[job, int(at * 1e6) + ahead] for job, at in gone]}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
