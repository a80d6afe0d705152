"""The hint ladder on the page, in a real browser, on a fake engine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import answered, check, editor_text, gutter, open_exercise, ready, type_code

CODE = "# unscaled\n" + "x = 1\n" * 10
HINTS = ("What happens to the size of a dot product", "nothing divides them before line 9", "/ math.sqrt(d_k)")


def _button(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("Show a hint"))


def _expect_hints(page: Page, taken: int) -> None:
    """So many of the three hints are on the page, and the button offers the next."""
    shown = page.locator(".st-key-diagnosis")
    if taken < 3:
        expect(_button(page)).to_contain_text(f"Show a hint ({taken + 1} of 3)")
    else:
        expect(_button(page)).to_have_count(0)
        expect(shown).to_contain_text("These were all the hints")
    for number, text in enumerate(HINTS, start=1):
        expect(shown.get_by_text(text)).to_have_count(1 if number <= taken else 0)


def test_hints_are_taken_one_at_a_time_and_seen_again_after_a_reload(page: Page, fake_app: Server) -> None:
    """The reason and its line are there at once; each click shows one more hint; a reload shows what was taken, and goes on."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    shown = page.locator(".st-key-diagnosis")
    expect(shown).to_contain_text("The scores go into the softmax without the factor 1 / sqrt(d_k)")
    expect(shown.get_by_text("line 8", exact=True)).to_be_visible()
    _expect_hints(page, 0)
    for taken in (1, 2):
        _button(page).click()
        _expect_hints(page, taken)
    page.reload()
    ready(page)
    answered(page)
    _expect_hints(page, 2)
    _button(page).click()
    _expect_hints(page, 3)


def test_hints_are_within_reach_of_the_keyboard(page: Page, fake_app: Server) -> None:
    """Tab finds the line and the button, Enter and Space press it, the focus goes on to the next, and after the last on to the milestones."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    page.get_by_role("button", name="Start over").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tab", name="Verdict")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Go to line 8 in the editor").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(_button(page)).to_be_focused()
    for taken, key in ((1, "Enter"), (2, "Space"), (3, "Enter")):
        page.keyboard.press(key)
        _expect_hints(page, taken)
        if taken < 3:
            expect(_button(page)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".st-key-milestone-skeleton summary")).to_be_focused()
    expect(page.locator(".st-key-diagnosis")).to_have_attribute("aria-live", "polite")


def test_a_double_click_takes_one_hint(page: Page, fake_app: Server) -> None:
    """Two clicks in the time of a double click ask once, however far the page got between them."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    _button(page).dblclick()
    _expect_hints(page, 1)
    _button(page).dblclick(delay=60)
    _expect_hints(page, 2)
    page.wait_for_timeout(1_000)
    _expect_hints(page, 2)


def test_two_tabs_take_the_hint_that_each_of_them_offers(page: Page, fake_app: Server) -> None:
    """A second tab that still offers the first hint shows what the first tab took, and counts none on top."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    other = page.context.new_page()
    open_exercise(other, fake_app.url)
    answered(other)
    _button(page).click()
    _expect_hints(page, 1)
    _button(other).click()
    _expect_hints(other, 1)


def test_taking_a_hint_leaves_the_text_alone(page: Page, fake_app: Server) -> None:
    """A key straight before the click is kept, the hint appears, and the result is called that of an earlier version."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    type_code(page, CODE + "# more")
    page.keyboard.type("!")
    _button(page).click()
    _expect_hints(page, 1)
    expect(page.locator(".st-key-earlier")).to_be_visible()
    assert editor_text(page) == f"{CODE}# more!"
    page.reload()
    ready(page)
    assert editor_text(page) == f"{CODE}# more!"


def test_the_line_of_the_reason_is_marked(page: Page, fake_app: Server) -> None:
    """The gutter carries the reason at its line, beside what the failed check says there."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    page.wait_for_timeout(400)
    found = gutter(page)
    assert [one["row"] for one in found] == [7, 7]
    assert found[0]["text"].startswith("The scores go into the softmax")


def test_nothing_in_a_reason_acts(page: Page, fake_app: Server) -> None:
    """A reason that quotes the student shows HTML and Markdown as characters."""
    open_exercise(page, fake_app.url)
    type_code(page, CODE)
    check(page)
    shown = page.locator(".st-key-diagnosis")
    expect(shown).to_contain_text("<img src=x onerror=alert(1)> $x^2$ **bold**")
    expect(shown.locator("img, .katex, a:not([href='#line-8']), strong:text-is('bold')")).to_have_count(0)
    # The line is ours, and the only one.
    expect(shown.locator("a")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_all_hints_fit(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """With every hint on two causes shown, code block included, the page is not wider than the window."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"hints-{scheme}-{width}", "url": url}])
    page = context.new_page()
    open_exercise(page, url)
    type_code(page, f"# exchanged\n{CODE}")
    check(page)
    for cause in ("first", "second"):
        for number in (1, 2, 3):
            button = page.get_by_role("button", name=f"Show a hint on the {cause} cause ({number} of 3)")
            button.click()
            expect(button).to_have_count(0)
    shown = page.locator(".st-key-diagnosis")
    expect(shown.locator("pre").last).to_contain_text("weights = scores.softmax(dim=-1)")
    box = shown.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
