"""What was passed with hints and without, and what is next, in a real browser, on a fake engine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import answered, check, milestone, milestone_state, open_exercise, ready, type_code
from tutor.ui.words import ONCE_MORE

MILESTONES = ("skeleton", "forward", "one-head", "split-order", "causal")


def _hint(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Show a hint")).click()
    expect(page.locator(".st-key-hint-1")).to_be_visible()


def _pass_with_a_hint(page: Page, url: str) -> None:
    """Fail at “One head”, take a hint, pass."""
    open_exercise(page, url)
    type_code(page, "# unscaled")
    check(page)
    _hint(page)
    type_code(page, "# passes")
    check(page)


def test_the_way_of_a_milestone_with_a_hint(page: Page, fake_app: Server) -> None:
    """Failing it is next, then it is passed with hints, on the exercise's page and on the first one; the rest is one's own."""
    open_exercise(page, fake_app.url)
    type_code(page, "# unscaled")
    check(page)
    summary = page.locator(".st-key-summary")
    expect(summary).to_contain_text("2 of 5 milestones passed")
    expect(summary.get_by_text("Next: 3. One head")).to_be_visible()
    expect(milestone(page, "one-head").locator("details")).to_have_attribute("open", "")
    _hint(page)
    type_code(page, "# passes")
    check(page)
    expected = ["passed", "passed", "passed, with hints", "passed", "passed"]
    assert [milestone_state(page, name) for name in MILESTONES] == expected
    expect(summary.get_by_text(ONCE_MORE)).to_be_visible()
    expect(summary.get_by_text("Next:")).to_have_count(0)
    expect(page.get_by_role("link", name="Next: Causal attention")).to_be_visible()
    page.reload()
    ready(page)
    answered(page)
    assert [milestone_state(page, name) for name in MILESTONES] == expected
    page.get_by_role("link", name="All exercises").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_text("5 of 10 milestones passed, 4 of them without hints")).to_be_visible()
    page.get_by_text("5 of 5 milestones", exact=True).click()
    said = page.locator(".st-key-path-multi-head-attention li")
    expect(said).to_have_text([re.compile(f" {word}$") for word in expected])


def test_a_second_pass_without_hints_is_told_nothing_more(page: Page, fake_app: Server) -> None:
    """Whoever did it once more is not asked to do it once more; what was written down stays."""
    _pass_with_a_hint(page, fake_app.url)
    type_code(page, "# passes, once more")
    check(page)
    expect(page.get_by_text(ONCE_MORE)).to_have_count(0)
    assert milestone_state(page, "one-head") == "passed, with hints"


def test_those_who_listen_hear_the_same_words(page: Page, fake_app: Server) -> None:
    """The tree of what can be read aloud has the words at the milestone, the sentence, and what is next."""
    _pass_with_a_hint(page, fake_app.url)
    heard = page.locator(".st-key-results").aria_snapshot()
    one_head = heard[heard.index("3. One head") : heard.index("4. Split and merge")]
    assert "text: passed, with hints" in one_head
    assert heard.count("with hints") == 1
    assert ONCE_MORE in heard
    assert 'link "Next: Causal attention"' in heard


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_longer_word_fits(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """Neither page is wider than the window, and the title keeps at least half of its row."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"reached-{scheme}-{width}", "url": url}])
    page = context.new_page()
    _pass_with_a_hint(page, url)
    row = milestone(page, "one-head").locator("summary").bounding_box()
    badge = milestone(page, "one-head").locator("summary .stMarkdownBadge").bounding_box()
    assert row is not None
    assert badge is not None
    assert badge["x"] + badge["width"] <= row["x"] + row["width"]
    assert badge["width"] <= row["width"] / 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    type_code(page, "# nothing holds")
    check(page)
    milestone(page, "one-head").locator("summary").click()
    before = milestone(page, "one-head").locator(
        ".stMarkdownBadge", has_text="passed in an earlier attempt, with hints"
    )
    expect(before).to_be_visible()
    assert before.evaluate("badge => 0 < badge.clientWidth && badge.scrollWidth <= badge.clientWidth"), "cut off"
    page.goto(url)
    expect(page.get_by_text("5 of 10 milestones passed, 4 of them without hints")).to_be_visible(timeout=20_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
