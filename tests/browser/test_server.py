"""The whole app on a PostgreSQL server, which dies while somebody works and comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Server
from tests.browser.hands import (
    check,
    check_button,
    editor_text,
    expect_state,
    focus_editor,
    open_exercise,
    ready,
    type_code,
)
from tests.browser.test_real import DIRECT_VIEW, RIGHT
from tests.postgres import Postgres

pytestmark = pytest.mark.sandbox


def test_a_server_that_dies_and_comes_back_costs_a_moment(
    page: Page, start: Callable[..., Server], tmp_path: Path, postgres: Postgres, postgresql_url: str
) -> None:
    """Meanwhile the page says whose fault it is; afterwards the same page keeps drafts and checks again, and no log has the password."""
    app = start(PROJECT / "tutor_app.py", TUTOR_HOME=str(tmp_path / "home"), TUTOR_DATABASE_URL=postgresql_url)
    open_exercise(page, app.url)
    type_code(page, DIRECT_VIEW)
    check(page, seconds=60)
    expect_state(page, "split-order", "failed")
    postgres.crash()
    try:
        type_code(page, RIGHT)
        check_button(page).click()
        expect(page.get_by_text("This is our fault: your code could not be handed in just now.")).to_be_visible(
            timeout=20_000
        )
    finally:
        postgres.start()
    focus_editor(page)
    page.keyboard.press("Control+End")
    page.keyboard.type("# done")
    check(page, seconds=60)
    expect_state(page, "split-order", "passed")
    expect(page.get_by_text("This is our fault")).to_have_count(0)
    page.reload()
    ready(page)
    expect_state(page, "split-order", "passed")
    assert editor_text(page) == RIGHT + "# done"
    assert "s3cret" not in app.log.read_text()
