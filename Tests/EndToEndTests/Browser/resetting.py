"""The bank's screen is set back to zero."""

import re

from bank import add_ten, clock, numbers, records
from browser import asked, connected, eventually, expect, say, scenario


@scenario
def reset(stage):
    """a reset says the numbers, cancels what waits and what runs, and the screen is back at zero"""
    page = stage.open("/bank")
    connected(page)
    # So many that a slow machine does not serve all of them before the question is answered.
    customers = add_ten(page) + crowd(page, 90)
    eventually(page, lambda: min(numbers(page)[:2]) > 0, "busy")
    page.get_by_role("button", name="Reset").click()
    question = page.get_by_role("dialog").get_by_role("heading")
    expect(question).to_contain_text(re.compile(r"\d+ jobs?"))
    said = question.inner_text()
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    eventually(page, lambda: numbers(page) == [0, 0, 0] and clock(page) == "0:00.0", "at zero")
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    expect_cancelled(page, [stage.facts["visit"]] + customers, said)
    # A browser that has not seen the reset knows of it, too.
    other = stage.open("/bank")
    connected(other)
    expect(other.get_by_role("main")).to_contain_text("Nobody waits.")
    eventually(other, lambda: (numbers(other), clock(other)) == ([0, 0, 0], "0:00.0"), "at zero, in another browser")


def crowd(page, customers):
    """So many more come in, as if somebody had pressed the button."""
    body = {"form": "22222222-2222-4222-8222-222222222222", "customers": customers}
    found = page.evaluate(
        """async (body) => {
          const headers = { 'Content-Type': 'application/json' };
          return (await fetch('/api/screens/bank/add', { method: 'POST', headers, body: JSON.stringify(body) })).json();
        }""", body)
    assert len(found["customers"]) == customers, found
    return found["customers"]


def expect_cancelled(page, customers, said):
    """Whoever waited or was served is cancelled, as many as the question said, but for those served before the answer. The
    first one would be served for an hour."""
    jobs, waited, ran = (int(number) for number in re.findall(r"\d+", said))
    assert jobs == waited + ran <= len(customers) and waited > 0 and ran > 0, said
    eventually(page, lambda: asked(page, "board").get("last_reset"), "a reset that is over")
    over = asked(page, "board")["last_reset"]
    found = records(page, customers)
    states = [one["state"] for one in found]
    assert set(states) <= {"cancelled", "succeeded"}, states
    cancelled, served = ([one for one in found if one["state"] == state] for state in ("cancelled", "succeeded"))
    # While the person thinks, some are served.
    meanwhile = jobs - len(cancelled)
    say(f"trace reset: {said} {len(cancelled)} cancelled; {meanwhile} served before the answer")
    assert meanwhile >= 0, f"{len(cancelled)} are cancelled, and the question said {jobs}"
    assert states[0] == "cancelled", "somebody who was being served is not cancelled"
    assert len(cancelled) > 1, "nobody who waited is cancelled"
    assert over["changed"] >= len(cancelled), over
    late = [one["id"] for one in served if one["started_ms"] > over["finished_ms"]]
    assert late == [], f"{late} were begun after the reset"


@scenario
def at_once(stage):
    """two browsers see the same bank, and what comes after the reset before counts from zero"""
    one, other = stage.open("/bank"), stage.open("/bank", width=320)
    connected(one)
    connected(other)
    one.get_by_role("button", name="Add ten").click()
    eventually(other, lambda: numbers(other)[2] == 10, "ten served, in the other browser")
    stage.expect_narrow(other, "the bank's screen")
    eventually(one, lambda: numbers(one)[2] == 10, "ten served")
