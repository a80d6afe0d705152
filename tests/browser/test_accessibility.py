"""Every page in front of axe-core, light and dark, wide and narrow, before and after a check, every panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import check, open_exercise, type_code

# The editor's frame is judged in test_editor.py; what lies in there is not ours, but for what was mended.
_OPTIONS = {"iframes": False, "resultTypes": ["violations"]}
_GRAVE = {"serious", "critical"}


@pytest.fixture(params=[("light", 1280), ("dark", 375)], ids=["light-wide", "dark-narrow"])
def page(request: pytest.FixtureRequest, browser: Browser, shared_fake_app: Server) -> Iterator[Page]:
    """A page of the fake app; both schemes and both widths are seen."""
    scheme, width = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.add_cookies([{"name": "browser", "value": f"axe-{request.node.name}", "url": shared_fake_app.url}])
    yield context.new_page()
    context.close()


def _grave(page: Page) -> list[str]:
    """What axe finds that keeps somebody out, each with the first places."""
    found: list[dict[str, Any]] = Axe().run(page, options=_OPTIONS).response["violations"]
    return [
        f"{one['id']}: {one['help']} {[(node['target'], node['failureSummary']) for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in _GRAVE
    ]


def _home(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.get_by_role("heading", name="Attention, written by you")).to_be_visible(timeout=20_000)


def _walls(page: Page, url: str) -> None:
    page.goto(f"{url}/walls")
    expect(page.get_by_role("heading", name="What keeps your code in")).to_be_visible(timeout=20_000)


def _started(page: Page, url: str) -> None:
    open_exercise(page, url)


def _failed(page: Page, url: str) -> None:
    open_exercise(page, url)
    type_code(page, "# unscaled")
    check(page)
    page.get_by_role("button", name=re.compile("Show a hint")).click()
    expect(page.locator(".st-key-hint-1")).to_be_visible()


def _hinted(page: Page, url: str) -> None:
    _failed(page, url)
    type_code(page, "# passes")
    check(page)
    expect(page.get_by_text("passed, with hints")).to_be_visible()


def _reached(page: Page, url: str) -> None:
    _hinted(page, url)
    _home(page, url)
    page.get_by_text("5 of 5 milestones", exact=True).click()
    expect(page.get_by_text("passed, with hints")).to_be_visible()


def _question(page: Page, url: str) -> None:
    open_exercise(page, url)
    page.get_by_role("tab", name=re.compile("Questions")).click()
    expect(page.get_by_text("questions done")).to_be_visible()


def _compared(page: Page, url: str) -> None:
    open_exercise(page, url)
    type_code(page, "# passes")
    check(page)
    page.get_by_role("link", name="Compare with the reference").click()
    expect(page.get_by_role("heading", name="Beside the reference")).to_be_visible(timeout=20_000)


def _heads(page: Page, url: str) -> None:
    open_exercise(page, url)
    type_code(page, "# mine")
    page.get_by_role("tab", name="Heads").click()
    page.get_by_role("button", name="Show the heads").click()
    expect(page.locator(".st-key-lens").get_by_label("Yours, head 1", exact=True).locator("svg")).to_be_visible(
        timeout=60_000
    )


@pytest.mark.parametrize("go", [_home, _walls, _started, _failed, _hinted, _reached, _question, _compared, _heads])
def test_nobody_is_kept_out(page: Page, shared_fake_app: Server, go: Callable[[Page, str], None]) -> None:
    """No page has a grave finding, by the rules of axe-core."""
    go(page, shared_fake_app.url)
    assert _grave(page) == []


def test_every_panel_can_be_used(page: Page, shared_fake_app: Server) -> None:
    """Each panel under the editor is opened in turn."""
    _failed(page, shared_fake_app.url)
    panels = page.locator(".st-key-results").get_by_role("tab")
    for number in range(panels.count()):
        panels.nth(number).click()
        page.wait_for_timeout(300)  # the line under the tabs moves
        assert _grave(page) == [], panels.nth(number).inner_text()
