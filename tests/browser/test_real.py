"""The whole app in a real browser: real editor, real store, real sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import answered, check, editor_text, expect_state, milestone, open_exercise, ready, type_code

pytestmark = pytest.mark.sandbox

SUBMISSIONS = Path(__file__).parents[1] / "submissions" / "multi-head-attention"
MILESTONES = ("skeleton", "forward", "one-head", "split-order", "causal")
RIGHT = (SUBMISSIONS / "right" / "lesson_program.py").read_text()
DIRECT_VIEW = (SUBMISSIONS / "wrong" / "split_by_direct_view.py").read_text()


def _expect(page: Page, *words: str) -> None:
    for name, word in zip(MILESTONES, words, strict=True):
        expect_state(page, name, word)


def test_a_right_solution_passes_five_milestones(page: Page, real_app: Server) -> None:
    """The lesson's program, put into the editor by hand, passes; its printed demo is shown as text."""
    open_exercise(page, real_app.url)
    type_code(page, RIGHT)
    page.keyboard.type("# done")
    check(page, seconds=60)
    _expect(page, *["passed"] * 5)
    expect(page.get_by_text("All 5 milestones passed")).to_be_visible()


def test_a_direct_view_fails_split_order_and_survives_a_reload(page: Page, real_app: Server) -> None:
    """Shapes agree, numbers do not: split-order fails alone. A reload finds the draft and the last verdict again."""
    open_exercise(page, real_app.url)
    type_code(page, DIRECT_VIEW)
    check(page, seconds=60)
    wanted = ("passed", "passed", "passed", "failed", "not run yet")
    _expect(page, *wanted)
    expect(milestone(page, "split-order").get_by_text("differs from the reference").first).to_be_visible()
    page.reload()
    ready(page)
    assert editor_text(page) == DIRECT_VIEW
    answered(page)
    _expect(page, *wanted)


def test_control_enter_checks_and_an_error_names_its_line(page: Page, real_app: Server) -> None:
    """A crash is explained where it happened, without a traceback."""
    open_exercise(page, real_app.url)
    type_code(page, (SUBMISSIONS / "wrong" / "undefined_name.py").read_text())
    page.keyboard.press("Control+Enter")
    answered(page, seconds=60)
    opened = milestone(page, "forward")
    expect(opened.get_by_text("The name math is used but nothing in this file defines it").first).to_be_visible()
    expect(opened.get_by_text("line 24").first).to_be_visible()
    assert "Traceback" not in page.locator("body").inner_text()


def test_the_page_process_never_loads_torch(page: Page, real_app: Server) -> None:
    """After a whole check, torch is mapped in the checker but not in the process that serves the page."""
    open_exercise(page, real_app.url)
    type_code(page, RIGHT)
    check(page, seconds=60)
    served = real_app.process.pid
    children = [
        int(pid) for task in Path(f"/proc/{served}/task").iterdir() for pid in (task / "children").read_text().split()
    ]
    assert "libtorch" not in Path(f"/proc/{served}/maps").read_text()
    assert any("libtorch" in Path(f"/proc/{pid}/maps").read_text() for pid in children)
