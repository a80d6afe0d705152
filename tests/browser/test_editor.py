"""The editor on the page, in a real browser, on a fake engine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import (
    SLUG,
    answered,
    check,
    check_button,
    editor_text,
    expect_state,
    focus_editor,
    gutter,
    milestone_state,
    open_exercise,
    ready,
    type_code,
)


def test_enter_keeps_what_was_typed(page: Page, fake_app: Server) -> None:
    """``return x`` and Enter stays ``return x``: live completion is off."""
    open_exercise(page, fake_app.url)
    type_code(page, "def f(x):\n")
    page.keyboard.type("    return x", delay=40)
    page.wait_for_timeout(300)
    page.keyboard.press("Enter")
    assert editor_text(page).splitlines()[1] == "    return x"


def test_control_enter_checks_the_newest_text(page: Page, fake_app: Server) -> None:
    """Ctrl+Enter straight after the last key checks that key, and adds no line."""
    open_exercise(page, fake_app.url)
    type_code(page, "# passe")
    answer = "# passes"
    page.keyboard.type("s")
    page.keyboard.press("Control+Enter")
    answered(page)
    assert editor_text(page) == answer
    for name in ("skeleton", "forward", "one-head", "split-order", "causal"):
        assert milestone_state(page, name) == "passed"


def test_check_button_sends_the_newest_text(page: Page, fake_app: Server) -> None:
    """A click right after a keystroke checks that keystroke; the first failing milestone is open with its parts."""
    open_exercise(page, fake_app.url)
    type_code(page, "# view(B, h, T\n")
    page.keyboard.type("x = 1")
    check(page)
    assert [milestone_state(page, name) for name in ("skeleton", "forward", "one-head", "split-order", "causal")] == [
        "passed", "passed", "passed", "failed", "not run yet",
    ]  # fmt: skip
    opened = page.locator(".st-key-milestone-split-order")
    for part in ("Wanted", "Got", "line 8", "Look at what __init__ assigns"):
        expect(opened.get_by_text(part).first).to_be_visible()
    expect(page.locator(".st-key-milestone-skeleton details")).not_to_have_attribute("open", "")


def test_every_check_in_a_row_shows_its_own_verdict(page: Page, fake_app: Server) -> None:
    """Once the page has come to rest after a check, what it shows is the verdict of that check and not of the one before."""
    open_exercise(page, fake_app.url)
    for text, word in (
        ("# view(B, h, T", "failed"),
        ("# passes", "passed"),
        ("# broken", "broken"),
        ("# passes 2", "passed"),
    ):
        type_code(page, text)
        check(page)
        assert milestone_state(page, "split-order") == word


def test_editor_has_a_label_and_a_way_out(page: Page, fake_app: Server) -> None:
    """The text area and the frame are named; Tab indents, Escape then Tab leaves forward, Escape then Shift+Tab backward."""
    open_exercise(page, fake_app.url)
    area = page.frame_locator("iframe[title='Code editor']").get_by_role("textbox", name=re.compile("^Your code"))
    expect(area).to_have_count(1)
    type_code(page, "x")
    page.keyboard.press("Tab")
    assert editor_text(page).strip() == "x"
    assert editor_text(page) != "x"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(check_button(page)).to_be_focused()
    focus_editor(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.tagName") != "IFRAME"


def test_student_text_never_acts(page: Page, fake_app: Server) -> None:
    """HTML and Markdown in messages, errors and printed text are shown as characters."""
    open_exercise(page, fake_app.url)
    type_code(page, "# raises\n" * 12)
    check(page)
    results = page.locator(".st-key-results")
    expect(results.get_by_text("RuntimeError").first).to_be_visible()
    expect(results.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    acting = results.locator("img, .katex, a:not(.st-key-checker-line a, [href^='#line-']), strong:text-is('bold')")
    expect(acting).to_have_count(0)
    results.get_by_text("What your code printed").click()
    expect(results.get_by_text("hello")).to_be_visible()


def test_gutter_marks_lines_until_the_text_changes(page: Page, fake_app: Server) -> None:
    """The line that the failed check speaks of carries one mark; the next keystroke takes it away."""
    open_exercise(page, fake_app.url)
    type_code(page, "# raises\n" * 12)
    check(page)
    page.wait_for_timeout(400)
    assert [(one["row"], one["type"]) for one in gutter(page)] == [(9, "error")]
    focus_editor(page)
    page.keyboard.type("y")
    page.wait_for_timeout(800)
    assert gutter(page) == []


def test_draft_and_verdict_survive_reload_and_page_change(page: Page, fake_app: Server) -> None:
    """After a reload, and after a visit to the first page, text and verdict are there; a change is told apart from the result."""
    open_exercise(page, fake_app.url)
    type_code(page, "# view(B, h, T")
    check(page)
    page.reload()
    ready(page)
    assert editor_text(page) == "# view(B, h, T"
    expect_state(page, "split-order", "failed")
    focus_editor(page)
    page.keyboard.press("Control+End")
    page.keyboard.type(" and more")
    expect(page.locator(".st-key-earlier")).to_contain_text("belongs to an earlier version of your code")
    page.get_by_role("link", name="All exercises").click()
    page.get_by_role("link", name="Continue: 3 of 5 passed").click()
    ready(page)
    assert editor_text(page) == "# view(B, h, T and more"
    assert page.url.endswith(f"/{SLUG}")
    page.go_back()
    expect(page.get_by_role("link", name="Continue: 3 of 5 passed")).to_be_visible()


def test_start_over_asks_and_can_be_undone(page: Page, fake_app: Server) -> None:
    """Start over asks first, brings the starter, and the old text comes back on request."""
    open_exercise(page, fake_app.url)
    type_code(page, "mine = 1")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep my text").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert editor_text(page) == "mine = 1"
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Start over").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    ready(page)
    page.wait_for_function(
        "document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor')?.env.editor.getValue().includes('class MultiHeadAttention')"
    )
    page.get_by_role("button", name="Bring back my text").click()
    page.wait_for_function(
        "document.querySelector('.st-key-editor iframe')?.contentDocument.querySelector('#ace-editor')?.env.editor.getValue() === 'mine = 1'"
    )
    expect(page.get_by_role("button", name="Bring back my text")).to_have_count(0)


def test_plain_text_editor_is_a_full_alternative(page: Page, fake_app: Server) -> None:
    """The labelled text area holds the same text, checks what stands in it, and gives the text back."""
    open_exercise(page, fake_app.url)
    type_code(page, "# passe")
    page.wait_for_timeout(500)
    page.get_by_text("Plain text editor").click()
    area = page.get_by_role("textbox", name="Your code")
    expect(area).to_have_value("# passe")
    assert "mono" in area.evaluate("element => getComputedStyle(element).fontFamily")
    area.fill("# passes")
    page.locator(".st-key-check-plain").get_by_role("button", name="Check").click()
    expect_state(page, "causal", "passed")
    page.get_by_text("Plain text editor").click()
    ready(page)
    assert editor_text(page) == "# passes"


def test_works_without_the_mending(page: Page, fake_app: Server) -> None:
    """Where the mending script cannot reach the editor, a plain Check button appears and checks the newest text."""
    page.add_init_script(
        "Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', { get() { throw new Error('closed'); } })"
    )
    page.goto(f"{fake_app.url}/{SLUG}")
    button = page.locator(".st-key-check-fallback").get_by_role("button", name="Check")
    expect(button).to_be_visible(timeout=20_000)
    page.frame_locator(".st-key-editor iframe").locator("#ace-editor .ace_scroller").click()
    page.keyboard.press("Control+A")
    page.keyboard.type("# passes")
    page.keyboard.press("Escape")
    button.click()
    expect_state(page, "causal", "passed")


def test_clicks_among_keystrokes_lose_nothing(page: Page, fake_app: Server) -> None:
    """Checks at every moment after a keystroke: no text is lost, no check is of an older text, the button stays."""
    open_exercise(page, fake_app.url)
    type_code(page, "x = 1  # passes ")
    expected = "x = 1  # passes "
    for step in range(24):
        page.keyboard.type("ab")
        expected += "ab"
        page.wait_for_timeout(step * 13)
        check_button(page).click() if step % 2 else page.keyboard.press("Control+Enter")
        focus_editor(page)
        page.keyboard.press("Control+End")
        assert editor_text(page) == expected
    answered(page)
    expect_state(page, "causal", "passed")
    page.wait_for_timeout(600)
    page.reload()
    ready(page)
    assert editor_text(page) == expected


def test_address_with_a_query_leads_to_the_exercise(page: Page, fake_app: Server) -> None:
    """``/?exercise=slug`` opens the exercise, an unknown slug the first page with a sentence about it."""
    page.goto(f"{fake_app.url}/?exercise={SLUG}")
    ready(page)
    page.goto(f"{fake_app.url}/?exercise=%3Cb%3Enone")
    expect(page.get_by_text("There is no exercise called “<b>none”")).to_be_visible()


def test_a_slow_verdict_marks_its_lines_without_a_key(page: Page, fake_app: Server) -> None:
    """A check that takes longer than the server waits comes with the clock; the gutter and those who listen hear of it then."""
    open_exercise(page, fake_app.url)
    type_code(page, "# slow\n# view(B, h, T\n" + "x = 1\n" * 10)
    check(page)
    page.wait_for_function(
        "() => document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor.session.getAnnotations().length"
    )
    expect(page.get_by_text(re.compile("^Checked: 3 of 5 milestones passed"))).to_have_count(1)


@pytest.mark.parametrize("plain", [False, True])
def test_a_line_that_is_spoken_of_leads_into_the_editor(page: Page, fake_app: Server, plain: bool) -> None:
    """A click, or Enter, on the line beside a finding puts the caret there and brings it into view; the address stays as it is."""
    open_exercise(page, fake_app.url)
    code = "# raises\n" * 80
    type_code(page, code)
    check(page)
    if plain:
        page.get_by_text("Plain text editor").click()
        expect(page.get_by_role("textbox", name="Your code")).to_have_value(code)
    link = page.locator(".st-key-results").get_by_role("link", name="Go to line 10 in the editor").first
    address = page.url
    for act in (link.click, lambda: link.press("Enter")):
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        act()
        page.wait_for_timeout(600)
        if plain:
            area = page.get_by_role("textbox", name="Your code")
            expect(area).to_be_focused()
            assert area.evaluate("a => a.value.slice(0, a.selectionStart)") == "# raises\n" * 9
        else:
            found = "document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor"
            assert page.evaluate(f"{found}.getCursorPosition()") == {"row": 9, "column": 0}
            assert page.evaluate(f"{found}.isRowFullyVisible(9) && {found}.isFocused()")
        expect(page.locator(".st-key-plain textarea, .st-key-editor iframe").first).to_be_in_viewport()
    assert page.url == address
