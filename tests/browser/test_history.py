"""Earlier attempts in a real browser, on a fake engine."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import check, expect_text, open_exercise, type_code

PATIENCE = 30_000


def test_an_earlier_attempt_is_read_and_put_back(page: Page, fake_app: Server) -> None:
    """By keyboard: the tab, an attempt with its reason and its changes, and its text in the editor; the text that stood there comes back."""
    open_exercise(page, fake_app.url)
    for text in ("# view(B, h, T\nx = 1\n", "# unscaled\nx = 2\n"):
        type_code(page, text)
        check(page)
    type_code(page, "# half a line")
    page.get_by_role("tab", name="Verdict").focus()
    page.keyboard.press("End")
    history = page.locator(".st-key-history")
    rows = history.locator("details")
    expect(rows).to_have_count(2, timeout=PATIENCE)
    for row, words in ((rows.nth(0), "2 of 5 milestones"), (rows.nth(1), "3 of 5 milestones")):
        expect(row.locator("summary")).to_contain_text(words)
    rows.nth(0).locator("summary").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(0)).to_contain_text("The scores go into the softmax without the factor", timeout=PATIENCE)
    for line in ("-# view(B, h, T", "+# unscaled", "-x = 1", "+x = 2"):
        expect(rows.nth(0).locator("pre")).to_contain_text(line)
    rows.nth(1).locator("summary").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(1)).to_contain_text("The first attempt", timeout=PATIENCE)
    rows.nth(1).get_by_role("button", name="Put this text into the editor").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(1)).to_contain_text("This is the text in the editor.", timeout=PATIENCE)
    expect_text(page, "# view(B, h, T\nx = 1\n")
    page.get_by_role("button", name="Bring back my text").click()
    expect(page.get_by_role("button", name="Bring back my text")).to_have_count(0, timeout=PATIENCE)
    expect_text(page, "# half a line")
