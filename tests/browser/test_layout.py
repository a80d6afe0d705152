"""How the pages look: widths, light and dark, silence of the console, and what is said when something is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import FAKE_APP, Server
from tests.browser.hands import check, expect_state, focus_editor, open_exercise, ready, type_code

# Streamlit's own: for every component in a frame, and its two probes below the address of a page that is opened directly.
_KNOWN = ("Unrecognized feature", "allow-scripts and allow-same-origin", "/_stcore/health", "/_stcore/host-config")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (375, 800)])
def test_pages_fit_and_stay_silent(
    browser: Browser, shared_fake_app: Server, scheme: str, width: int, height: int
) -> None:
    """Neither page is wider than the window, in light and dark; the console has no errors; nothing leaves the machine."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"{scheme}-{width}", "url": url}])
    page, told, asked = context.new_page(), [], []
    page.on(
        "console",
        lambda message: told.append(f"{message.text} {message.location['url']}") if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    expect(page.get_by_role("heading", name="Attention, written by you")).to_be_visible(timeout=20_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    open_exercise(page, url)
    type_code(page, "# raises\n" * 12)
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor") == "rgb(22, 24, 26)"
    assert dark == (scheme == "dark")
    assert [text for text in told if not any(known in text for known in _KNOWN)] == []
    assert [one for one in asked if not one.startswith((url, "data:", "blob:"))] == []
    context.close()


def test_slow_check_says_so_and_then_shows_its_verdict(page: Page, fake_app: Server) -> None:
    """While a check is on its way the page says so, typing goes on, and the verdict appears by itself."""
    open_exercise(page, fake_app.url)
    type_code(page, "# slow passes")
    page.keyboard.press("Control+Enter")
    stop = page.get_by_role("button", name="Stop")
    for _ in range(8):
        expect(stop).to_have_count(0)  # Streamlit's own: it would take the results off the page and stop no check
        page.wait_for_timeout(200)
    expect(page.locator(".st-key-waiting")).to_contain_text("Running your code", timeout=5_000)
    expect_state(page, "causal", "passed")
    expect(page.locator(".st-key-waiting")).to_have_count(0)


def test_broken_check_is_our_fault(page: Page, fake_app: Server) -> None:
    """A broken verdict says whose fault it is, and what was reached before stays."""
    open_exercise(page, fake_app.url)
    type_code(page, "# view(B, h, T")
    check(page)
    type_code(page, "# broken")
    check(page)
    expect(page.locator(".st-key-summary")).to_contain_text("This is our fault and does not count")
    expect_state(page, "skeleton", "broken")
    page.locator(".st-key-milestone-skeleton summary").click()
    expect(page.get_by_text("It still counts.").first).to_be_visible()


def test_missing_wall_is_a_banner_and_submissions_are_kept(page: Page, start: Callable[..., Server]) -> None:
    """When the checker refuses to run, the page says why, and a submission is stored all the same."""
    server = start(FAKE_APP, FAKE_CHECKER_PROBLEM="the kernel has no seccomp.")
    open_exercise(page, server.url)
    expect(page.locator(".st-key-checker-state")).to_contain_text("the kernel has no seccomp")
    focus_editor(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-waiting")).to_contain_text("Next in line", timeout=5_000)


def test_text_survives_a_restart_of_the_server(page: Page, start: Callable[..., Server]) -> None:
    """After the server was killed and started again, the open page finds its way back and nothing typed is lost."""
    first = start(FAKE_APP)
    open_exercise(page, first.url)
    type_code(page, "# view(B, h, T")
    page.wait_for_timeout(500)
    first.process.kill()
    first.process.wait(10)
    page.wait_for_timeout(500)
    start(FAKE_APP, port=first.port)
    ready(page)
    focus_editor(page)
    page.keyboard.press("Control+End")
    page.wait_for_timeout(4_000)
    page.keyboard.type(" again")
    page.keyboard.press("Control+Enter")
    expect_state(page, "split-order", "failed")
