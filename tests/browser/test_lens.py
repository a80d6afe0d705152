"""The attention lens in a real browser, on a fake engine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Server
from tests.browser.hands import open_exercise, type_code
from tests.browser.test_layout import _KNOWN

PATIENCE = 60_000


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_maps_are_painted_and_marked(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """Four charts with names and cells, leaks with a sign, two heads side by side where there is room; a look from the keyboard alone."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"lens-{scheme}-{width}", "url": url}])
    page, told = context.new_page(), []
    page.on(
        "console",
        lambda message: (
            told.append(f"{message.text} {message.location['url']}") if message.type in {"error", "warning"} else None
        ),
    )
    page.on("pageerror", lambda error: told.append(str(error)))
    open_exercise(page, url)
    type_code(page, "# mine")
    page.get_by_role("tab", name="Heads").click()
    sentence = page.get_by_role("textbox", name="A sentence")
    sentence.fill("the cat saw the <b>cat</b>")
    panel = page.locator(".st-key-lens")
    panel.get_by_text("Hide later words").click()
    show = panel.get_by_role("button", name="Show the heads")
    show.focus()
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Head 4 differs from the reference.", timeout=PATIENCE)
    panel.get_by_role("button", name=re.compile("4: the fourth")).click()
    panel.get_by_role("button", name=re.compile("2: the second")).click()
    yours = panel.get_by_label("Yours, head 4", exact=True)
    expect(yours.locator("svg")).to_be_visible(timeout=PATIENCE)
    expect(yours.get_by_text("✕", exact=True)).to_have_count(20)  # ten leaks, each with its halo
    expect(yours.get_by_text("5 <b>cat</b>", exact=True)).to_have_count(2)
    expect(panel.locator("svg.marks")).to_have_count(4)
    expect(panel.get_by_role("button", name=re.compile("Vega|Fullscreen|Download"))).to_have_count(0)
    expect(panel).to_contain_text("25 of 25 cells differ, 10 leak")
    first, last = panel.locator(".st-key-head-1").bounding_box(), panel.locator(".st-key-head-4").bounding_box()
    assert first is not None
    assert last is not None
    beside = last["x"] >= first["x"] + first["width"]
    assert beside == (width > 640)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [text for text in told if not any(known in text for known in _KNOWN)] == []
    context.close()
