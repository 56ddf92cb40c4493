"""The page by the keyboard alone."""

from browser import connected, eventually, expect, scenario

FOCUSED = "document.activeElement"


def tab_through(page, most=60):
    """The words of everything that Tab reaches from the top, in order, until it comes round."""
    words = []
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(f"{FOCUSED} === document.body"):
            break
        words.append(page.evaluate(f"{FOCUSED}.textContent.trim() || {FOCUSED}.getAttribute('aria-label') || {FOCUSED}.id"))
    return words


@scenario
def the_way_in(stage):
    """the link past the menu comes first and leads to the content, and / goes to the search"""
    page = stage.open("/")
    connected(page)
    expect(page.locator("main tbody a").first).to_be_visible()
    page.keyboard.press("Tab")
    assert "Skip" in page.evaluate(f"{FOCUSED}.textContent")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate(f"document.querySelector('main').contains({FOCUSED})"), "the next one is not in the content"
    page.keyboard.press("/")
    page.keyboard.type("noop")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs?find=noop")
    expect(page.get_by_role("heading", name="Found")).to_be_visible()


@scenario
def everything_is_reached(stage):
    """Tab reaches every link and every button, and each that has the focus is seen to have it"""
    page = stage.open("/departments/work")
    connected(page)
    expect(page.get_by_role("button", name="Cancel all")).to_be_visible()
    page.evaluate("window.unseen = 0")
    page.evaluate(
        "addEventListener('focusin', ({ target }) => (unseen += getComputedStyle(target).outlineStyle === 'none'))")
    wanted = page.eval_on_selector_all(
        "a[href], button, select, input", "all => all.filter((one) => one.checkVisibility()).map((one) => "
        "one.textContent.trim() || one.getAttribute('aria-label') || one.id)")
    reached = tab_through(page)
    assert reached == wanted, f"Tab reaches {reached}, and there are {wanted}"
    assert page.evaluate("unseen") == 0, "the focus is not seen"


@scenario
def a_dialog(stage):
    """Enter opens a question, which holds the focus; Escape closes it, and the focus is where it was"""
    page = stage.open("/departments/work")
    connected(page)
    button = page.get_by_role("button", name="Resize")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("spinbutton")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("Tab")
        where = page.evaluate(f"{FOCUSED} === document.body || document.querySelector('dialog').contains({FOCUSED})")
        assert where, "the focus has left the question"
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()


@scenario
def pressed(stage):
    """Enter and the space bar press a button, which keeps the focus"""
    page = stage.open("/departments/other")
    connected(page)
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()


@scenario
def who_wants_no_motion(stage):
    """nothing moves for somebody who wants no motion; for others something does"""
    moves = {motion: moved(stage, motion) for motion in ("reduce", "no-preference")}
    assert moves["reduce"] == 0, f"{moves['reduce']} things have moved"
    assert moves["no-preference"] > 0, "nothing moves at all: this scenario could not fail"


def moved(stage, motion):
    """How many animations and transitions begin while somebody goes over buttons and links, and opens a question."""
    page = stage.open("/departments/work", reduced_motion=motion)
    connected(page)
    page.evaluate(
        "window.moves = 0; for (const name of ['transitionrun', 'animationstart']) addEventListener(name, () => (moves += 1))")
    for name in ["Jobs", "Failed", "Workers"]:
        page.get_by_role("navigation").get_by_role("link", name=name).hover()
    for name in ["Pause", "Resize", "Cancel all"]:
        page.get_by_role("button", name=name).hover()
    page.get_by_role("button", name="Cancel all").hover()
    page.get_by_role("button", name="Resize").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    running = page.evaluate("document.getAnimations().length")
    if motion != "reduce":
        eventually(page, lambda: page.evaluate("moves"), "in motion")
    return page.evaluate("moves") + running
