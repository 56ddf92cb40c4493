"""The bank's screen through a day."""

import re

from browser import connected, eventually, expect, say, scenario


def numbers(page):
    """The three numbers of the screen, of one moment: how many wait, are being served, and were served."""
    text = page.locator(".bank-standing").inner_text()
    found = [re.search(name + r"\s+([\d,]+)", text) for name in ("Waiting", "Being served", "Served")]
    return [int(one.group(1).replace(",", "")) if one else 0 for one in found]


def clock(page):
    return page.locator(".bank-clock").inner_text()


@scenario
def a_day(stage):
    """three presses bring ten customers; the lists and the clock follow them, and the clock stops by itself"""
    page = stage.open("/bank")
    connected(page)
    assert clock(page) == "0:00.0", clock(page)
    page.get_by_role("button", name="Add ten").click(click_count=3, delay=40)
    eventually(page, lambda: sum(numbers(page)[:2]) > 0, "busy")
    seen, ticks = set(), set()
    while (now := numbers(page))[2] < 10:
        seen.add((now[0] > 0, now[1] > 0))
        ticks.add(clock(page))
        assert sum(now) <= 10, f"{now} are more than ten"
        page.wait_for_timeout(50)
    assert (True, True) in seen, f"never did some wait and others get served: {seen}"
    assert len(ticks) > 5, f"the clock does not run: {ticks}"
    eventually(page, lambda: numbers(page) == [0, 0, 10], "empty, with ten served")
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    stage.expect_accessible(page, "the bank's screen")
    say(f"trace a day: clock {clock(page)}, {numbers(page)}")


@scenario
def reset(stage):
    """a reset says the numbers, cancels what waits and what runs, and the screen is back at zero"""
    page = stage.open("/bank")
    connected(page)
    page.get_by_role("button", name="Add ten").click()
    eventually(page, lambda: min(numbers(page)[:2]) > 0, "busy")
    page.get_by_role("button", name="Reset").click()
    question = page.get_by_role("dialog").get_by_role("heading")
    expect(question).to_contain_text(re.compile(r"\d+ jobs?"))
    say(f"trace reset: {question.inner_text()}")
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    eventually(page, lambda: numbers(page) == [0, 0, 0] and clock(page) == "0:00.0", "at zero")
    expect(page.locator(".bank-clock.running")).to_have_count(0)
    # A browser that has not seen the reset knows of it, too.
    other = stage.open("/bank")
    connected(other)
    expect(other.get_by_role("main")).to_contain_text("Nobody waits.")
    eventually(other, lambda: (numbers(other), clock(other)) == ([0, 0, 0], "0:00.0"), "at zero, in another browser")


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
