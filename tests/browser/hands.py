"""What a learner does with the page, as functions: open, type, check, read."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

SLUG = "multi-head-attention"
_WORDS = ("passed", "passed, with hints", "failed", "broken", "not run yet")


def open_exercise(page: Page, url: str, slug: str = SLUG) -> None:
    """Go to an exercise and wait until its editor can be used."""
    page.goto(f"{url}/{slug}")
    ready(page)


def ready(page: Page) -> None:
    """Wait until the editor is there and mended."""
    expect(page.locator("iframe[title='Code editor']")).to_be_visible(timeout=60_000)
    expect(check_button(page)).to_be_enabled()


def check_button(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^(Check|Checking…)$")).first


def focus_editor(page: Page) -> None:
    page.frame_locator("iframe[title='Code editor']").locator("#ace-editor .ace_scroller").click()


def editor_text(page: Page) -> str:
    """The text in the live editor."""
    return str(_editor(page, "editor => editor.getValue()"))


def expect_text(page: Page, text: str) -> None:
    """Wait until the editor, which may be a new one, holds a text."""
    page.wait_for_function(
        "text => document.querySelector('.st-key-editor iframe')?.contentDocument?.querySelector('#ace-editor')?.env?.editor.getValue() === text",
        arg=text,
        timeout=30_000,
    )


def gutter(page: Page) -> list[dict[str, Any]]:
    """The notes in the editor's gutter."""
    found: list[dict[str, Any]] = _editor(page, "editor => editor.session.getAnnotations()")
    return found


def _editor(page: Page, function: str) -> Any:
    return page.evaluate(
        f"({function})(document.querySelector('.st-key-editor iframe').contentDocument.querySelector('#ace-editor').env.editor)"
    )


def type_code(page: Page, text: str) -> None:
    """Replace the text of the editor the way a person does: select all, paste."""
    focus_editor(page)
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    focus_editor(page)
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")
    assert editor_text(page) == text


def check(page: Page, seconds: float = 15.0) -> None:
    """Press Check and wait for the verdict on the text as it stands."""
    check_button(page).click()
    answered(page, seconds)


# Calm: a result for the present text, nothing on its way, no run going on, and nothing repainted for a while. The parts of one
# run are painted one after the other, and a run that follows another begins a moment later: one look alone proves nothing.
_CALM = """quiet => {
  const watch = window.watchResults ??= { since: performance.now() };
  const results = document.querySelector(".st-key-results");
  if (watch.results !== results) {
    watch.observer?.disconnect();
    watch.observer = new MutationObserver(() => { watch.since = performance.now(); });
    if (results) watch.observer.observe(results, { childList: true, subtree: true, characterData: true });
    Object.assign(watch, { results, since: performance.now() });
  }
  const shows = name => document.querySelector(`.st-key-${name}`) !== null;
  // The mended editor's button lives in a shadow tree, which querySelectorAll does not enter.
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap(element => element.shadowRoot ?? [])];
  const buttons = roots.flatMap(root => [...root.querySelectorAll("button")]);
  const busy = buttons.some(button => button.textContent === "Checking…");
  const state = document.querySelector("[data-testid='stApp']")?.dataset.testScriptState;
  if (!shows("summary") || shows("waiting") || shows("earlier") || busy || state !== "notRunning") {
    watch.since = performance.now();
  }
  return performance.now() - watch.since > quiet;
}"""


def answered(page: Page, seconds: float = 15.0) -> None:
    """Wait until the page shows a result for the present text, and has come to rest."""
    page.evaluate("delete window.watchResults")  # the rest before this check does not count
    page.wait_for_function(_CALM, arg=500, polling=50, timeout=seconds * 1_000)


def milestone(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-milestone-{name}")


def milestone_state(page: Page, name: str) -> str:
    """What is said of a milestone: passed, with hints or without, failed, broken or not run yet."""
    label = milestone(page, name).locator("summary").inner_text()
    return next(word for word in _WORDS if label.rstrip().endswith(word))


def expect_state(page: Page, name: str, word: str) -> None:
    """Wait until a milestone has a state."""
    expect(milestone(page, name).locator("summary")).to_contain_text(word, timeout=15_000)
