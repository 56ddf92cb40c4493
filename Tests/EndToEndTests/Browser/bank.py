"""What the scenarios of the bank's screen share."""

import re

from browser import asked


def numbers(page):
    """The three numbers of the screen, of one moment: how many wait, are being served, and were served."""
    text = page.locator(".bank-standing").inner_text()
    found = [re.search(name + r"\s+([\d,]+)", text) for name in ("Waiting", "Being served", "Served")]
    return [int(one.group(1).replace(",", "")) if one else 0 for one in found]


def clock(page):
    return page.locator(".bank-clock").inner_text()


def add_ten(page, press=lambda button: button.click()):
    """Presses the button; the customers who have come in."""
    with page.expect_response("**/api/screens/bank/add") as answer:
        press(page.get_by_role("button", name="Add ten"))
    customers = answer.value.json()["customers"]
    assert len(set(customers)) == 10, customers
    return customers


def records(page, customers):
    return [asked(page, f"jobs/{customer}") for customer in customers]
