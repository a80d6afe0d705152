"""Room for code: what the editor shows without scrolling sideways, and how it grows."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import expect_text, focus_editor, open_exercise, ready, type_code
from tutor.catalog import Catalog

_EDITOR = "document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor"
# Widest line of the text, and how much is to be seen of it.
_WIDTHS = f"(ed => [ed.session.getScreenWidth() * ed.renderer.characterWidth + 2 * ed.renderer.$padding, ed.renderer.$size.scrollerWidth])({_EDITOR})"
_LONG = "        self.W_Q = nn.Linear(d_model, d_model, bias=False)  # (B, T, d)"


def _height(page: Page) -> float:
    box = page.locator(".st-key-editor iframe").bounding_box()
    assert box is not None
    return float(box["height"])


def test_no_line_of_a_starter_is_cut(page: Page, real_app: Server, catalog: Catalog) -> None:
    """At 1280 pixels every starter can be read to the end of its lines, and a layer with three arguments fits into a constructor."""
    for exercise in catalog.exercises:
        open_exercise(page, real_app.url, exercise.slug)
        expect_text(page, exercise.starter)
        widest, seen = page.evaluate(_WIDTHS)
        assert widest <= seen, exercise.slug
    type_code(page, _LONG)
    widest, seen = page.evaluate(_WIDTHS)
    assert widest <= seen


def test_the_editor_grows_with_the_code_and_never_shrinks(page: Page, fake_app: Server) -> None:
    """All lines are in view up to a limit; what is deleted leaves the height as it is, and a new editor has it from the start."""
    open_exercise(page, fake_app.url)
    least = _height(page)
    type_code(page, "x = 1\n" * 30)
    page.wait_for_function(f"{_EDITOR}.isRowFullyVisible(0) && {_EDITOR}.isRowFullyVisible(30)")
    grown = _height(page)
    assert grown > least
    page.keyboard.type("y")
    page.wait_for_timeout(1_000)
    assert _height(page) == grown
    type_code(page, "z = 1")
    page.wait_for_timeout(500)
    assert _height(page) == grown
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Start over").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Bring back my text")).to_be_visible()
    ready(page)
    assert _height(page) == grown
    type_code(page, "x = 1\n" * 200)
    page.wait_for_timeout(500)
    assert grown < _height(page) < 850


def test_on_a_phone_long_lines_are_wrapped(browser: Browser, shared_fake_app: Server) -> None:
    """At 375 pixels nothing has to be scrolled sideways to read a line."""
    context = browser.new_context(
        viewport={"width": 375, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    context.add_cookies([{"name": "browser", "value": "room-375", "url": shared_fake_app.url}])
    page = context.new_page()
    open_exercise(page, shared_fake_app.url)
    type_code(page, _LONG)
    assert page.evaluate(f"{_EDITOR}.session.getUseWrapMode()")
    assert page.evaluate(f"{_EDITOR}.session.getScreenLength()") > 1
    focus_editor(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    context.close()
