"""Checks asked for at the worst moment: 0 to 300 ms after a keystroke, over and over, and what became of each.

``python -m tests.browser.collisions 200 1`` does 200 of them, with seed 1, against the fake app, prints what became of them, and fails
if anything was lost.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FAKE_APP, FLAGS, Server, chromium
from tests.browser.hands import SLUG, check_button, editor_text, focus_editor, open_exercise, type_code
from tutor.store.sql import SqlStore, open_store

LATEST = 0.3  # seconds between the key and the click
PATIENCE = 30.0
# Looks ten times a second whether the editor, its button and the panels are on the page.
_WATCH = """() => {
  window.vanished = 0;
  const needed = [".st-key-editor iframe", "[class*='st-key-ace-'][class*='-mend']", ".st-key-results [role='tab']"];
  setInterval(() => { if (!needed.every(one => document.querySelector(one))) window.vanished += 1; }, 100);
}"""


@dataclass
class Tally:
    """What became of the collisions; all but ``collisions`` should be 0.

    Args:
        collisions: so many were made.
        lost_texts: afterwards the editor held another text than the one typed.
        stale_checks: another text was checked.
        lost_clicks: nothing was checked.
        vanished: looks at which a part of the page was missing.
        lost_drafts: in the end, 1 if the draft is not the text.
    """

    collisions: int = 0
    lost_texts: int = 0
    stale_checks: int = 0
    lost_clicks: int = 0
    vanished: int = 0
    lost_drafts: int = 0


def collide(page: Page, store: SqlStore, rounds: int, seed: int) -> Tally:
    """Type and check so many times on an open exercise, at moments that ``seed`` decides."""
    draw, me, tally = random.Random(seed), store.local_learner().id, Tally()  # noqa: S311  moments, no secrets
    expected = "# passes "
    type_code(page, expected)
    page.evaluate(_WATCH)
    for number in range(rounds):
        before = store.latest_submission(me, SLUG)
        focus_editor(page)
        page.keyboard.press("Control+End")
        added = f"{number}{draw.choice(['a', ' ', 'xy'])}"
        page.keyboard.type(added, delay=draw.choice([0, 15]))
        expected += added
        page.wait_for_timeout(draw.uniform(0, LATEST * 1_000))
        if draw.random() < 0.3:
            page.keyboard.press("Control+Enter")
        else:
            check_button(page).click()
        checked = _checked(store, me, before.id if before else 0, page)
        tally.collisions += 1
        tally.lost_clicks += checked is None
        tally.stale_checks += checked not in {None, expected}
        page.wait_for_timeout(draw.uniform(0, 600))  # the next one meets this one's verdict, or what follows it
        tally.lost_texts += editor_text(page) != expected
    tally.vanished = int(page.evaluate("window.vanished"))
    tally.lost_drafts = int(not _drafted(store, me, expected, page))
    return tally


def _checked(store: SqlStore, me: int, after: int, page: Page) -> str | None:
    """The text that is checked next; None if there is none within reason."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        newest = store.latest_submission(me, SLUG)
        if newest is not None and newest.id > after:
            return newest.source
        page.wait_for_timeout(30)
    return None


def _drafted(store: SqlStore, me: int, text: str, page: Page) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        draft = store.draft(me, SLUG)
        if draft is not None and draft.source == text:
            return True
        page.wait_for_timeout(100)
    return False


def main(rounds: int = 200, seed: int = 1) -> int:
    """Run the collisions on a server and a browser of their own; the exit status is 0 if nothing was lost."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = f"sqlite:///{folder}/tutor.db"
        server = Server(FAKE_APP, {"FAKE_DATABASE": database}, Path(folder, "server.log"))
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            server.wait(120)
            page = browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
            open_exercise(page, server.url)
            store = open_store(database)
            tally = collide(page, store, rounds, seed)
            store.close()
        finally:
            browser.close()
            server.stop()
    print(f"seed {seed}:", ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in asdict(tally).items()))
    return int(tally != Tally(collisions=rounds))


if __name__ == "__main__":
    sys.exit(main(*(int(given) for given in sys.argv[1:])))
