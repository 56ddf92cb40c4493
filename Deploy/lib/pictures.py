"""Takes pictures of the page: pictures.py ADDRESS TELLER FOLDER|--readme FOLDER-OF-README. Called by Deploy/page-pictures."""

import json
import os
import subprocess
import sys
import uuid

from playwright.sync_api import expect, sync_playwright

SCREENS = {
    "overview": "/", "department": "/departments/deposit", "jobs": "/jobs", "failed": "/failed", "plans": "/plans",
    "plan": "/plans/opening", "workers": "/workers", "schedules": "/schedules", "keys": "/keys?kind=deposit",
    "rejected": "/rejected", "webhooks": "/webhooks", "report": "/report", "actions": "/actions", "bank": "/bank",
}
WIDTHS = {1280: 800, 320: 640}
CUSTOMERS = 90


def teller(program, *arguments, text=None):
    done = subprocess.run([program, *arguments], input=text, text=True, capture_output=True, check=True)
    return done.stdout.split()


def submit(program, jobs):
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    teller(program, "submit", "--batch", "-", text=lines)


def customer(kind, number, milliseconds, **more):
    return {"kind": kind, "payload": {"customer": number, "milliseconds": milliseconds}, **more}


def fill(program):
    """A day that has begun: customers of both kinds, some who wait for a time, one whose order cannot be read."""
    teller(program, "plan", "start", "opening", "--wait")
    submit(program, [customer("deposit", number, 120) for number in range(40)])
    submit(program, [customer("loan", number, 180) for number in range(36)])
    submit(program, [customer("deposit", number, 700, key=f"account-{number}") for number in range(CUSTOMERS)])
    submit(program, [customer("loan", number, 1_100, priority=number % 10) for number in range(CUSTOMERS // 3)])
    submit(program, [customer("loan", 99, 1_100, delay="1h")])
    broken = str(uuid.uuid4())
    submit(program, [{"kind": "deposit", "id": broken, "payload": {"customer": "nobody"}, "priority": 9}])
    subprocess.run([program, "wait", broken], capture_output=True, check=False)
    return {**SCREENS, "job-failed": f"/jobs/{broken}"}


def take(page, name, folder, full):
    page.wait_for_timeout(1_500)
    page.screenshot(path=os.path.join(folder, f"{name}.png"), full_page=full)
    print(name, flush=True)


def pictures(chromium, address, screens, folder):
    for width, height in WIDTHS.items():
        for scheme in ("light", "dark"):
            context = chromium.new_context(
                base_url=address, viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id="Europe/Zurich")
            for name, path in screens.items():
                page = context.new_page()
                page.goto(path)
                expect(page.locator(".standing .badge.good")).to_be_visible()
                take(page, f"{name}-{scheme}-{width}", folder, full=name != "jobs")
                page.close()
            context.close()


def readme(chromium, address, folder):
    """One picture for the README: a department at work."""
    context = chromium.new_context(
        base_url=address, viewport={"width": 1120, "height": 720}, color_scheme="light", timezone_id="Europe/Zurich")
    page = context.new_page()
    page.goto("/departments/deposit")
    expect(page.locator(".standing .badge.good")).to_be_visible()
    page.wait_for_timeout(12_000)  # the chart is about the last seconds
    take(page, "page", folder, full=False)


def main(address, program, target, readme_folder):
    screens = fill(program)
    folder = readme_folder if target == "--readme" else target
    os.makedirs(folder, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        if target == "--readme":
            readme(chromium, address, folder)
        else:
            pictures(chromium, address, screens, folder)
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
