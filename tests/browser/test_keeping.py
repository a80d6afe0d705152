"""Nothing that was typed is lost: at a reload, without a connection, over a restart, after a crash, and in two tabs. On a fake engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, WebSocketRoute, expect

from tests.browser.conftest import FAKE_APP, Server
from tests.browser.hands import (
    check_button,
    editor_text,
    expect_state,
    expect_text,
    focus_editor,
    open_exercise,
    ready,
    type_code,
)

PATIENCE = 30_000


def _type_on(page: Page, text: str) -> None:
    """Go on at the end of the text."""
    focus_editor(page)
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def _type_offline(page: Page, text: str) -> None:
    """Go on at the end of the text, also behind Streamlit's word about the connection, which is in the way of a click."""
    page.evaluate(
        "document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor.focus()"
    )
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def _held(page: Page) -> int:
    """How many texts the browser tab holds that the server has not kept yet."""
    return int(page.evaluate("Object.keys(sessionStorage).filter(key => key.startsWith('draft:')).length"))


def _expect_kept(page: Page) -> None:
    """Wait until the server has all that was typed, which the tab then holds no longer."""
    page.wait_for_function(
        "Object.keys(sessionStorage).every(key => !key.startsWith('draft:'))", polling=100, timeout=PATIENCE
    )


def _other_tab(page: Page) -> Locator:
    return page.locator(".st-key-other-tab")


def _again(browser: Browser, page: Page, url: str) -> Page:
    """The same learner in another browser, which knows nothing but the address."""
    cookies = [
        {"name": one["name"], "value": one["value"], "url": url}
        for one in page.context.cookies()
        if one["name"] == "browser"
    ]
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.add_cookies(cookies)  # type: ignore[arg-type]
    return context.new_page()


@pytest.mark.parametrize("delay", [0, 60, 150, 190, 230])
def test_a_reload_straight_after_a_key_keeps_the_key(
    page: Page, browser: Browser, fake_app: Server, delay: int
) -> None:
    """Whenever the page is reloaded, the last key is in the editor again and then in the draft; nobody is asked anything."""
    open_exercise(page, fake_app.url)
    type_code(page, "# text ")
    expected = "# text "
    for step in range(2):
        _type_on(page, f"{step} ")
        expected += f"{step} "
        page.wait_for_timeout(delay)
        page.reload()
        ready(page)
        expect_text(page, expected)
        _expect_kept(page)
    expect(_other_tab(page)).to_have_count(0)
    other = _again(browser, page, fake_app.url)
    open_exercise(other, fake_app.url)
    assert editor_text(other) == expected
    other.context.close()


def test_a_reload_in_the_plain_editor_keeps_what_was_not_sent(page: Page, fake_app: Server) -> None:
    """A text area sends nothing before it is left; what stands in it is there after a reload all the same."""
    open_exercise(page, fake_app.url)
    page.get_by_text("Plain text editor").click()
    area = page.get_by_role("textbox", name="Your code")
    area.fill("# typed and never left")
    page.reload()
    ready(page)
    expect_text(page, "# typed and never left")
    _expect_kept(page)


def test_what_is_typed_without_a_connection_is_kept(page: Page, browser: Browser, fake_app: Server) -> None:
    """The connection breaks, one types on, and it comes back: the text stays in the editor, and then it is in the draft."""
    routes: list[WebSocketRoute] = []
    down = False

    def pass_on(route: WebSocketRoute) -> None:
        if down:
            route.close()
            return
        route.connect_to_server()
        routes.append(route)

    page.route_web_socket("**/_stcore/stream", pass_on)
    open_exercise(page, fake_app.url)
    type_code(page, "# before")
    _expect_kept(page)
    down = True
    for route in routes:
        route.close()
    page.wait_for_timeout(300)
    _type_offline(page, ", meanwhile")
    page.wait_for_timeout(1_000)
    down = False
    expect_text(page, "# before, meanwhile")
    _expect_kept(page)
    expect(_other_tab(page)).to_have_count(0)
    other = _again(browser, page, fake_app.url)
    open_exercise(other, fake_app.url)
    assert editor_text(other) == "# before, meanwhile"
    other.context.close()


def _database(folder: Path) -> str:
    return f"sqlite:///{folder / 'tutor.db'}"


@pytest.mark.parametrize("replaced", [False, True])
def test_what_is_typed_while_the_server_restarts_is_kept(
    page: Page, start: Callable[..., Server], tmp_path: Path, replaced: bool
) -> None:
    """The server is killed, one types on, and it is started again: the text stays, also in an editor whose text was once replaced."""
    first = start(FAKE_APP, FAKE_DATABASE=_database(tmp_path))
    open_exercise(page, first.url)
    type_code(page, "# before")
    _expect_kept(page)
    if replaced:
        page.get_by_role("button", name="Start over").click()
        page.get_by_role("dialog").get_by_role("button", name="Start over").click()
        page.get_by_role("button", name="Bring back my text").click()
        expect_text(page, "# before")
        ready(page)
        _expect_kept(page)
    first.process.kill()
    first.process.wait(10)
    page.wait_for_timeout(300)
    _type_offline(page, ", meanwhile")
    page.wait_for_timeout(500)
    start(FAKE_APP, port=first.port, FAKE_DATABASE=_database(tmp_path))
    _expect_kept(page)
    expect_text(page, "# before, meanwhile")
    expect(_other_tab(page)).to_have_count(0)
    page.reload()
    ready(page)
    assert editor_text(page) == "# before, meanwhile"


def test_a_tab_that_slept_through_a_restart_overwrites_nothing(
    page: Page, browser: Browser, start: Callable[..., Server], tmp_path: Path
) -> None:
    """While it was away, another browser saved: its own text stays in the editor, the other one in the draft, and it is asked."""
    first = start(FAKE_APP, FAKE_DATABASE=_database(tmp_path))
    open_exercise(page, first.url)
    type_code(page, "# before")
    _expect_kept(page)
    first.process.kill()
    first.process.wait(10)
    _type_offline(page, ", in the sleeping tab")
    page.context.set_offline(True)
    again = start(FAKE_APP, port=first.port, FAKE_DATABASE=_database(tmp_path))
    other = _again(browser, page, again.url)
    open_exercise(other, again.url)
    assert editor_text(other) == "# before"
    type_code(other, "# elsewhere")
    _expect_kept(other)
    page.context.set_offline(False)
    expect(_other_tab(page)).to_be_visible(timeout=60_000)
    assert editor_text(page) == "# before, in the sleeping tab"
    other.reload()
    ready(other)
    assert editor_text(other) == "# elsewhere"
    other.context.close()
    _other_tab(page).get_by_role("button", name="Keep mine").click()
    expect(_other_tab(page)).to_have_count(0, timeout=PATIENCE)
    _expect_kept(page)
    page.reload()
    ready(page)
    assert editor_text(page) == "# before, in the sleeping tab"


def test_a_crash_of_the_browser_loses_nothing(page: Page, browser: Browser, fake_app: Server) -> None:
    """The tab dies without a word; another browser finds the text, the result and the way back to the text set aside."""
    open_exercise(page, fake_app.url)
    type_code(page, "# mine, set aside")
    _expect_kept(page)
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog").get_by_role("button", name="Start over").click()
    expect(page.get_by_role("button", name="Bring back my text")).to_be_visible(timeout=PATIENCE)
    ready(page)
    type_code(page, "# view(B, h, T")
    check_button(page).click()
    expect_state(page, "split-order", "failed")
    _type_on(page, " and more")
    _expect_kept(page)
    other = _again(browser, page, fake_app.url)
    _crash(page)
    open_exercise(other, fake_app.url)
    assert editor_text(other) == "# view(B, h, T and more"
    expect_state(other, "split-order", "failed")
    other.get_by_role("button", name="Bring back my text").click()
    expect_text(other, "# mine, set aside")
    other.context.close()


def _crash(page: Page) -> None:
    """Let the process behind the tab die."""
    with page.expect_event("crash"), suppress(Error):
        page.goto("chrome://crash", timeout=5_000)


def test_the_second_tab_is_told_and_overwrites_nothing(page: Page, fake_app: Server) -> None:
    """Two tabs write different texts: each keeps its own, over a reload and a page change, and the draft is the first one's until the learner chooses, in either tab."""
    open_exercise(page, fake_app.url)
    type_code(page, "# shared")
    _expect_kept(page)
    second = page.context.new_page()
    open_exercise(second, fake_app.url)
    assert editor_text(second) == "# shared"
    page.bring_to_front()
    _type_on(page, ", first")
    _expect_kept(page)
    second.bring_to_front()
    _type_on(second, ", second")
    expect(_other_tab(second)).to_contain_text("also open in another tab", timeout=PATIENCE)
    assert editor_text(second) == "# shared, second"
    second.reload()
    ready(second)
    expect_text(second, "# shared, second")
    expect(_other_tab(second)).to_be_visible(timeout=PATIENCE)
    second.get_by_role("link", name="All exercises").click()
    second.locator(".st-key-go-multi-head-attention a").click()
    ready(second)
    assert editor_text(second) == "# shared, second"
    _other_tab(second).get_by_role("button", name="Take the newer text").click()
    expect_text(second, "# shared, first")
    expect(_other_tab(second)).to_have_count(0)
    second.get_by_role("button", name="Bring back my text").click()
    expect_text(second, "# shared, second")
    page.bring_to_front()
    expect(_other_tab(page)).to_be_visible(timeout=PATIENCE)
    assert editor_text(page) == "# shared, first"
    _other_tab(page).get_by_role("button", name="Keep mine").click()
    expect(_other_tab(page)).to_have_count(0, timeout=PATIENCE)
    third = page.context.new_page()
    open_exercise(third, fake_app.url)
    assert editor_text(third) == "# shared, first"
    expect(_other_tab(third)).to_have_count(0)


def test_one_tab_alone_is_never_asked(page: Page, fake_app: Server) -> None:
    """Typing, checking, leaving, coming back and reloading in one tab bring no question about another."""
    open_exercise(page, fake_app.url)
    type_code(page, "# view(B, h, ")
    page.keyboard.type("T")
    check_button(page).click()
    expect_state(page, "split-order", "failed")
    for _ in range(2):
        _type_on(page, "x")
        page.get_by_role("link", name="All exercises").click()
        page.locator(".st-key-go-multi-head-attention a").click()
        ready(page)
        _type_on(page, "y")
        page.reload()
        ready(page)
    expect_text(page, "# view(B, h, Txyxy")
    _expect_kept(page)
    assert _held(page) == 0
    expect(_other_tab(page)).to_have_count(0)
