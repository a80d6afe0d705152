"""The shapes of the learner's own lines, and the line that a check speaks of, in a real browser, on a fake engine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import answered, check, editor_text, focus_editor, open_exercise, type_code

CODE = """q, k, v = self.split(self.W_Q(Q)), self.split(self.W_K(K)), self.split(self.W_V(V))
w = self.W_Q.weight  # <img src=x onerror=alert(1)> **bold**
scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
weights = torch.softmax(scores, dim=-2)
# walks away



return self.W_O(context), weights"""
_VIEW = "document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_the_lines_stand_with_their_shapes(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """Code, shape and tick of every line can be read, the first line that leaves stands out, and nothing is wider than the window."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"shapes-{scheme}-{width}", "url": url}])
    page = context.new_page()
    open_exercise(page, url)
    type_code(page, CODE)
    check(page)
    page.get_by_role("tab", name="Shapes").click()
    panel = page.locator(".st-key-walk")
    expect(panel.get_by_text("One call of your code, with B = 2, T_q = T_k = T = 7")).to_be_visible()
    expect(panel).to_contain_text("Line 4 is the first that leaves it: its shape is right, its numbers are not.")
    departing = panel.locator("[class*='st-key-walk-departs-']")
    expect(departing).to_contain_text("weights = torch.softmax(scores, dim=-2)")
    expect(departing).to_contain_text("leaves the reference here")
    assert "mono" in departing.locator(".stText").evaluate("element => getComputedStyle(element).fontFamily").lower()
    assert departing.evaluate("element => getComputedStyle(element).backgroundColor") != "rgba(0, 0, 0, 0)"
    ticked = panel.locator("[class*='st-key-walk-equal-']").first
    expect(ticked).to_contain_text(re.compile(r"\(2, 3, 7, 5\) = \(B, h, T_q, d_k\)\s*\S*\s*= q_heads"))
    expect(panel.get_by_text("<img src=x onerror=alert(1)> **bold**")).to_be_visible()
    expect(panel.locator("img, strong:text-is('bold')")).to_have_count(0)
    box = panel.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_line_a_check_speaks_of_comes_into_view(page: Page, fake_app: Server) -> None:
    """After a check the editor shows the failing line; caret and focus stay, and nothing scrolls without a check."""
    open_exercise(page, fake_app.url)
    code = "# raises\n" * 80
    type_code(page, code)
    assert not page.evaluate(f"{_VIEW}.isRowFullyVisible(9)")
    page.keyboard.press("Control+Enter")
    answered(page)
    page.wait_for_function(f"{_VIEW}.isRowFullyVisible(9)")
    assert page.evaluate(f"{_VIEW}.getCursorPosition()") == {"row": 80, "column": 0}
    page.keyboard.type("x")
    assert editor_text(page) == f"{code}x"
    focus_editor(page)
    page.keyboard.press("Control+End")
    page.wait_for_timeout(1_500)
    assert not page.evaluate(f"{_VIEW}.isRowFullyVisible(9)")
