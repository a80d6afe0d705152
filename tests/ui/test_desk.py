"""The state of the editor, without a page."""

from __future__ import annotations

import time

import pytest

from tests.ui.fakes import STARTER, exercise, fake_tutor
from tutor.dispatch.protocol import CheckerState
from tutor.errors import StoreError
from tutor.model import Submission, SubmissionState
from tutor.service import Tutor
from tutor.ui.desk import SETTLE_SECONDS, Desk


def _desk(tutor: Tutor | None = None) -> Desk:
    tutor = tutor or fake_tutor(seconds=0.0)
    return Desk.open(tutor, tutor.learner(), exercise())


def _draft(desk: Desk) -> str | None:
    found = desk.tutor.draft(desk.learner, desk.exercise.slug)
    return found.source if found else None


def test_a_new_desk_has_the_starter_and_saves_nothing() -> None:
    """Opening an exercise makes no draft."""
    desk = _desk()
    desk.report(STARTER)
    assert desk.text == STARTER
    assert _draft(desk) is None


def test_a_change_is_saved_once_and_found_again() -> None:
    """What was typed is the draft, and a new desk starts with it."""
    desk = _desk()
    desk.report(STARTER)
    desk.report("x = 1")
    assert _draft(desk) == "x = 1"
    assert _desk(desk.tutor).text == "x = 1"


def test_a_late_report_of_an_older_text_is_no_news() -> None:
    """The editor reports late; a check that carried newer text is not undone by it."""
    desk = _desk()
    desk.report(STARTER)
    desk.submit("newer")
    desk.report(STARTER)
    assert desk.text == "newer"
    desk.report("newest")
    assert desk.text == "newest"


def test_start_over_keeps_the_old_text_until_the_next_change() -> None:
    """The text that was replaced comes back on request, and is let go with the next keystroke."""
    desk = _desk()
    desk.report("mine")
    before = desk.generation
    desk.replace(desk.exercise.starter)
    assert (desk.text, desk.aside, desk.generation) == (STARTER, "mine", before + 1)
    desk.bring_back()
    assert (desk.text, desk.aside, _draft(desk)) == ("mine", None, "mine")
    desk.replace(desk.exercise.starter)
    desk.report(STARTER)
    desk.report(STARTER + "x")
    assert desk.aside is None


def test_a_second_click_on_an_unfinished_check_is_the_same_check() -> None:
    """Clicking twice hands in once; another text is another attempt."""
    desk = _desk(fake_tutor(state=CheckerState(ready=False)))
    desk.submit("x = 1")
    first = desk.latest()
    desk.submit("x = 1\r\n".replace("\r\n", ""))
    assert first is not None
    assert desk.latest() == first
    desk.submit("x = 2")
    assert desk.latest() != first


def test_refusals_are_kept_for_the_page_until_the_text_changes() -> None:
    """A text that is not taken leaves a sentence, and the next change clears it."""
    desk = _desk(fake_tutor(source_bytes=1_024))
    desk.submit("x" * 2_000)
    assert desk.refusal is not None
    assert desk.refusal.code == "too-large"
    assert desk.latest() is None
    desk.report("x = 1")
    assert desk.refusal is None
    assert desk.draft_problem is None


def test_a_store_that_refuses_is_our_fault(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """When nothing can be stored the page says whose fault it is, the log says why, and the text stays."""
    desk = _desk()

    def refuse(*_: object) -> None:
        raise StoreError("disk full")

    monkeypatch.setattr(desk.tutor, "submit", refuse)
    monkeypatch.setattr(desk.tutor, "save_draft", refuse)
    desk.submit("x = 1")
    assert desk.refusal is not None
    assert desk.draft_problem is not None
    assert desk.refusal.message.startswith("This is our fault")
    assert "not handed in: disk full" in caplog.text
    assert "not saved: disk full" in caplog.text
    assert desk.text == "x = 1"


def test_a_result_that_cannot_be_read_never_stops_the_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Looking at an unreadable result raises nothing and is logged once; the next text is handed in and its result is read."""
    desk = _desk()
    desk.submit("x = 1")
    assert desk.look() is not None

    def refuse(*_: object) -> None:
        raise RuntimeError("stored by another version")

    with monkeypatch.context() as broken:
        broken.setattr(desk.tutor, "latest", refuse)
        assert [desk.look(), desk.look()] == [None, None]
        assert (desk.unread, desk.last_done) == (True, None)
        desk.submit("x = 2")
        assert not desk.refusal
    seen = desk.look()
    assert seen
    assert (seen.source, desk.unread, desk.last_done) == ("x = 2", False, seen)
    assert caplog.text.count("Traceback") == 1


def test_a_wait_that_fails_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """When waiting for a fresh result fails, the page shows what it finds and does not wait again."""
    desk = _desk()
    desk.submit("x = 1")
    waited = []

    def refuse(*_: object) -> None:
        waited.append(1)
        raise StoreError("gone")

    monkeypatch.setattr(desk.tutor, "wait", refuse)
    assert desk.look() is not None
    assert desk.look() is not None
    assert (len(waited), desk.unread) == (1, False)


def _shown(desk: Desk) -> Submission:
    seen = desk.look()
    assert seen is not None
    assert desk.last_done is not None
    return desk.last_done


def test_a_hint_is_taken_on_what_the_page_shows() -> None:
    """A hint counts at once on the shown result, a click on a count that is no longer shown does not, and a new desk finds it."""
    desk = _desk()
    desk.submit("unscaled")
    number = _shown(desk).id
    for seen, taken in ((0, 1), (0, 1), (1, 2)):
        desk.take_hint(number, seen)
        assert desk.last_done is not None
        assert desk.last_done.hints_taken == taken
    assert _shown(_desk(desk.tutor)).hints_taken == 2


def test_a_hint_counts_while_the_next_check_is_on_its_way() -> None:
    """The result on the page is the older one until the newer is there; hints on it are shown all the same."""
    desk = _desk()
    desk.submit("unscaled")
    number = _shown(desk).id
    desk.submit("unscaled slow")
    assert _shown(desk).id == number
    desk.take_hint(number, 0)
    assert _shown(desk).hints_taken == 1


def test_a_hint_that_cannot_be_had_is_told_until_the_next_try(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When the store refuses, nothing is counted, the desk remembers it and the log says why; the next try clears it."""
    desk = _desk()
    desk.submit("unscaled")
    number = _shown(desk).id

    def refuse(*_: object) -> None:
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(desk.tutor, "take_hint", refuse)
        desk.take_hint(number, 0)
    assert (desk.hint_lost, _shown(desk).hints_taken) == (True, 0)
    assert "disk full" in caplog.text
    desk.take_hint(number, 0)
    assert (desk.hint_lost, _shown(desk).hints_taken) == (False, 1)


def test_a_native_button_waits_for_the_newest_text() -> None:
    """Without the mended editor a click checks what arrives within the pause after it."""
    desk = _desk()
    desk.ask()
    assert not desk.settle()
    desk.report("typed just before the click")
    time.sleep(SETTLE_SECONDS)
    assert desk.settle()
    seen = desk.look()
    assert seen is not None
    assert (seen.source, seen.state) == ("typed just before the click", SubmissionState.DONE)
