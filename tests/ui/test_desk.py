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


def test_start_over_keeps_the_old_text_within_reach() -> None:
    """The text that was replaced comes back on request, also after more was typed, which is then within reach itself."""
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
    assert desk.aside == "mine"
    desk.bring_back()
    assert (desk.text, desk.aside) == ("mine", STARTER + "x")


def test_what_was_replaced_is_found_by_the_next_session() -> None:
    """A reload after Start over finds the starter in the editor and the old text within reach."""
    desk = _desk()
    desk.report("mine")
    desk.replace(desk.exercise.starter)
    again = _desk(desk.tutor)
    assert (again.text, again.aside) == (STARTER, "mine")
    again.bring_back()
    assert (again.text, _draft(again), _desk(desk.tutor).aside) == ("mine", "mine", None)


def test_a_text_that_cannot_be_kept_is_set_aside_as_far_as_it_can() -> None:
    """Start over is possible from a text with a character no database can hold; what is within reach is what is kept."""
    desk = _desk()
    desk.report("mine")
    desk.report("mine\0")
    assert desk.draft_problem is not None
    desk.replace(desk.exercise.starter)
    assert (desk.draft_problem, desk.is_kept) == (None, True)
    assert desk.aside == _desk(desk.tutor).aside == "mine\ufffd"


def test_turning_the_pages_of_the_history_keeps_what_was_typed() -> None:
    """One attempt after the other in the editor leaves the text that was there before them within reach."""
    desk = _desk()
    desk.write("mine, never checked")
    for attempt in ("first", "second"):
        desk.replace(attempt, elsewhere=True)
        assert (desk.text, desk.aside) == (attempt, "mine, never checked")
    desk.write("second, changed")
    desk.replace("first", elsewhere=True)
    assert desk.aside == "second, changed"


def _two() -> tuple[Desk, Desk]:
    """Two tabs on the same text."""
    one = _desk()
    one.write("shared")
    return one, _desk(one.tutor)


def test_the_second_tab_overwrites_nothing_and_is_told() -> None:
    """Who types in a tab that has not seen the newest draft keeps its text there, and the draft stays as it is."""
    one, two = _two()
    one.write("one")
    two.write("two")
    assert two.newer is not None
    assert (two.newer.source, two.text, two.is_kept, _draft(two)) == ("one", "two", False, "one")
    two.write("two and more")
    assert (_draft(two), one.newer) == ("one", None)
    one.write("one, on and on")
    assert _draft(two) == "one, on and on"


def test_a_tab_that_only_looks_is_told_too() -> None:
    """A tab in which nothing was typed learns at its next look that another one saved."""
    one, two = _two()
    two.notice()
    assert two.newer is None
    one.write("one")
    two.notice()
    assert two.newer is not None
    assert two.newer.source == "one"


def test_taking_the_newer_text_keeps_mine_within_reach() -> None:
    """The newer text is in the editor, one's own comes back on request, and the other tab is not bothered."""
    one, two = _two()
    one.write("one")
    two.write("two")
    two.take_newer()
    assert (two.text, two.aside, two.newer, _draft(two)) == ("one", "two", None, "one")
    one.notice()
    assert one.newer is None
    one.write("one, further")
    assert _draft(one) == "one, further"


def test_keeping_mine_replaces_the_newer_text_on_purpose() -> None:
    """Then one's own text is the draft, the newer one is within reach, and the other tab is told in its turn."""
    one, two = _two()
    one.write("one")
    two.write("two")
    two.keep_mine()
    assert (two.text, two.aside, two.newer, _draft(two)) == ("two", "one", None, "two")
    one.write("one, further")
    assert one.newer is not None
    assert (one.newer.source, _draft(one)) == ("two", "two")


def test_a_choice_is_asked_for_again_when_the_draft_changed_meanwhile() -> None:
    """What is kept on purpose replaces the text that was shown, not a third one that came after it."""
    one, two = _two()
    one.write("one")
    two.write("two")
    one.write("one, further")
    two.keep_mine()
    assert two.newer is not None
    assert (two.newer.source, _draft(two)) == ("one, further", "one, further")
    two.keep_mine()
    assert _draft(two) == "two"


def test_the_same_text_in_two_tabs_is_no_conflict() -> None:
    """A draft that another session saved with the very text of this one is taken for its own, and what comes next is saved."""
    one, two = _two()
    one.write("same")
    two.write("same")
    assert two.newer is None
    two.write("same, further")
    assert (two.newer, _draft(two)) == (None, "same, further")


def test_a_reload_is_no_conflict() -> None:
    """A new session that reads the draft of the one before it goes on where that one ended, however often."""
    desk = _desk()
    for number in range(3):
        desk.write(f"text {number}")
        desk = _desk(desk.tutor)
        desk.report(desk.text)
        desk.notice()
        assert (desk.text, desk.newer) == (f"text {number}", None)


def test_a_browser_that_outlived_its_session_saves_what_it_holds() -> None:
    """After a restart the editor reports a text typed meanwhile; with the revision it grew from it is the draft, without a question."""
    old = _desk()
    old.write("before")
    new = _desk(old.tutor)
    new.report("before, and typed while nobody listened")
    new.resume("before, and typed while nobody listened", old.base, old.id, shown=True)
    assert (new.newer, new.draft_problem, new.generation) == (None, None, 0)
    assert _draft(new) == "before, and typed while nobody listened"


def test_a_browser_that_outlived_its_session_overwrites_no_newer_text() -> None:
    """If another tab saved meanwhile, the old tab's text stays in the editor, unsaved, and the learner is asked."""
    old, other = _two()
    other.write("newer")
    new = _desk(old.tutor)
    new.report("shared, and older")
    assert new.newer is not None
    new.resume("shared, and older", old.base, old.id, shown=True)
    assert new.newer is not None
    assert (new.newer.source, new.text, _draft(new)) == ("newer", "shared, and older", "newer")


def test_keys_lost_on_the_way_come_back_after_a_reload() -> None:
    """What the tab held is put into the editor anew and saved; told twice, it is taken once."""
    old = _desk()
    old.write("x = ")
    new = _desk(old.tutor)
    new.report("x = ")
    for _ in range(2):
        new.resume("x = 12", old.base, old.id, shown=False)
        assert (new.text, _draft(new), new.generation, new.newer) == ("x = 12", "x = 12", 1, None)


def test_what_the_session_before_saved_late_is_no_conflict() -> None:
    """A part of the text that the old session saved before or after the new one began is older than what the tab held."""
    for late in (False, True):
        old = _desk()
        old.write("x")
        base = old.base
        if not late:
            old.write("x = 1")
        new = _desk(old.tutor)
        if late:
            old.write("x = 1")
        new.resume("x = 12", base, old.id, shown=True)
        assert (new.newer, new.is_kept, _draft(new)) == (None, True, "x = 12")
        old.write("x = 1, later still")
        assert _draft(new) == "x = 12"


def test_a_draft_that_cannot_be_read_is_no_conflict(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A look that fails raises nothing, changes nothing, and is logged once."""
    desk = _desk()
    desk.write("mine")

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("gone")

    monkeypatch.setattr(desk.tutor, "draft", refuse)
    desk.notice()
    desk.notice()
    assert (desk.newer, desk.text) == (None, "mine")
    assert caplog.text.count("could not be read: gone") == 1


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

    def refuse(*_: object, **__: object) -> None:
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

    def refuse(*_: object, **__: object) -> None:
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

    def refuse(*_: object, **__: object) -> None:
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

    def refuse(*_: object, **__: object) -> None:
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
