"""The smallest example in a real browser, on a fake engine."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import open_exercise, type_code

WAIT = 20_000


def _find(page: Page) -> None:
    """Open the panel, have the example found, and wait for it."""
    page.get_by_role("tab", name="Smallest example", exact=True).click()
    page.get_by_role("button", name="Find the smallest example").click()
    expect(page.locator(".st-key-example-result").get_by_text("Your numbers differ in this case")).to_be_visible(
        timeout=WAIT
    )


def test_the_lines_arrive_in_the_scratch_area_and_run(page: Page, fake_app: Server) -> None:
    """Numbers that differ are marked by a sign; one click puts the lines where one more click runs them, and opens that panel."""
    open_exercise(page, fake_app.url)
    page.get_by_role("tab", name="Try it", exact=True).click()
    lines = page.get_by_role("textbox", name="Your lines")
    lines.fill("mine = 1")
    lines.press("Control+Enter")
    type_code(page, "x = 1\n")
    _find(page)
    shown = page.locator(".st-key-example-result")
    cell = shown.get_by_role("cell", name="≠ -11.50")
    expect(cell).to_have_count(1)
    expect(shown.get_by_role("cell", name="≠ not finite")).to_have_count(1)
    expect(shown.locator("img, .katex, a")).to_have_count(0)
    shown.get_by_role("button", name="Put into Try it").click()
    expect(page.get_by_role("tab", name="Try it", exact=True)).to_have_attribute("aria-selected", "true", timeout=WAIT)
    expect(lines).to_be_visible()
    box = lines.bounding_box()
    assert box is not None
    assert box["height"] > 250
    expect(lines).to_have_value(
        "import torch\n\nQ = torch.tensor([[[1., 0., 2., -1.]]])\nprint(Q)\n# right: [[[1.00]]]\n"
    )
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".st-key-scratch-result")).to_contain_text("torch.tensor", timeout=WAIT)
    page.get_by_role("button", name="Bring back my lines").click()
    expect(lines).to_have_value("mine = 1", timeout=WAIT)
    page.get_by_role("tab", name="Smallest example", exact=True).click()
    expect(shown).to_be_visible()
    expect(lines).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_all_tables_fit(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """No table is wider than the window, and the two with results stand side by side or below each other."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"example-{scheme}-{width}", "url": url}])
    page = context.new_page()
    open_exercise(page, url)
    type_code(page, "x = 1\n")
    _find(page)
    tables = page.locator(".st-key-example table")
    assert tables.count() > 5
    for number in range(tables.count()):
        box = tables.nth(number).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
