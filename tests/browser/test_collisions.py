"""Checks in the middle of typing, at moments that are drawn: a few of what ``collisions.py`` does by the hundred."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.collisions import Tally, collide
from tests.browser.conftest import FAKE_APP, Server
from tests.browser.hands import open_exercise
from tutor.store.sql import open_store


def test_checks_right_after_keystrokes_lose_nothing(page: Page, start: Callable[..., Server], tmp_path: Path) -> None:
    """Every click checks the text as it stands, which is in the editor and the draft; nothing leaves the page meanwhile."""
    database = f"sqlite:///{tmp_path / 'tutor.db'}"
    open_exercise(page, start(FAKE_APP, FAKE_DATABASE=database).url)
    store = open_store(database)
    assert collide(page, store, rounds=15, seed=7) == Tally(collisions=15)
    store.close()
