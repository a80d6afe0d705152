"""Going to another page at an awkward moment, on a fake engine."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import editor_text, focus_editor, open_exercise, ready, type_code


@pytest.mark.parametrize("delay", [0, 60, 190])
def test_leaving_straight_after_a_key_keeps_the_key(page: Page, fake_app: Server, delay: int) -> None:
    """A click on another page right after a key draws that page, every time, and the key is in the draft on return."""
    open_exercise(page, fake_app.url)
    type_code(page, "# text ")
    expected = "# text "
    for step in range(10 if delay == 60 else 3):
        focus_editor(page)
        page.keyboard.press("Control+End")
        page.keyboard.type(str(step))
        expected += str(step)
        page.wait_for_timeout(delay)
        page.get_by_role("link", name="All exercises").click()
        start = page.locator(".st-key-go-multi-head-attention a")
        expect(start).to_be_visible(timeout=8_000)
        page.wait_for_timeout(300)
        expect(start).to_be_visible()
        start.click()
        ready(page)
        assert editor_text(page) == expected


def test_plain_text_is_kept_when_the_page_is_left(page: Page, fake_app: Server) -> None:
    """What was typed in the text area just before a click on another page is there on return."""
    open_exercise(page, fake_app.url)
    page.get_by_text("Plain text editor").click()
    page.get_by_role("textbox", name="Your code").fill("# mine")
    page.get_by_role("link", name="All exercises").click()
    page.locator(".st-key-go-multi-head-attention a").click()
    expect(
        page.locator("iframe[title='Code editor']").or_(page.get_by_role("textbox", name="Your code"))
    ).to_be_visible()
    if page.get_by_role("textbox", name="Your code").count():
        expect(page.get_by_role("textbox", name="Your code")).to_have_value("# mine")
    else:
        ready(page)
        assert editor_text(page) == "# mine"
