"""What a browser shows while the broker, the coordinator or the page is away. The test orders, and reads the lines."""

from browser import connected, expect, say, scenario, wait_for_order


@scenario
def while_others_are_away(stage):
    """each change of the connection has its colour, its word, its sign and a notice, and nothing is missed after it"""
    page = stage.open("/departments/work")
    connected(page)
    say("ready")
    while (order := wait_for_order()) != "end":
        word, *names = order.split(" ")
        if word == "state":
            badge = page.locator(".standing .badge")
            expect(badge).to_contain_text(names[0])
            colour = {"connected": "good", "slow": "warn", "lost": "bad"}[names[0]]
            expect(page.locator(f".standing .badge.{colour}")).to_be_visible()
            say(f"shows {badge.inner_text()}: {page.locator('.standing').inner_text()}".replace("\n", " "))
        elif word == "notice":
            expect(page.locator("[role=status], [aria-live=polite], .notices").get_by_text(names[0]).first).to_be_visible()
            say("shows the notice")
        elif word == "ended":
            expect(page.get_by_role("main")).to_contain_text(f"{int(names[0]):,} succeeded")
            say(f"shows {names[0]} succeeded")
        elif word == "old":
            expect(page.locator("body")).to_contain_text("old")
            say("shows that it is old")
        else:
            raise AssertionError(f"unknown order {order}")
    # While others are away, requests fail, and the browser says so.
    stage.forgive(
        "503", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
