"""Looking back on attempts, without a page."""

from __future__ import annotations

import pytest

from tests.ui.fakes import fake_tutor, hand_in
from tutor.errors import StoreError
from tutor.model import Status, Submission
from tutor.service import Tutor
from tutor.ui.past import DIFF_LINES, PAGE, Past, difference

SLUG = "multi-head-attention"


def _past(tutor: Tutor) -> Past:
    return Past(tutor, tutor.learner(), SLUG)


def _newest(tutor: Tutor) -> Submission | None:
    return tutor.latest(tutor.learner(), SLUG)


def test_attempts_come_in_pages_and_each_knows_the_one_before() -> None:
    """The newest first, ten at a time; the last of a page is compared with the first of the next."""
    tutor = fake_tutor(seconds=0.0)
    past = _past(tutor)
    assert (past.attempts(_newest(tutor)), past.more) == ((), False)
    numbers = [hand_in(tutor, f"text {number}").id for number in range(PAGE + 2)][::-1]
    assert [one.id for one in past.attempts(_newest(tutor))] == numbers[:PAGE]
    assert past.more
    assert past.before(numbers[PAGE - 1]) == numbers[PAGE]
    past.older()
    assert [one.id for one in past.attempts(_newest(tutor))] == numbers
    assert (past.more, past.before(numbers[-1])) == (False, None)
    assert past.text(numbers[-1]) == "text 0"
    assert past.text(10_000) is None


def test_the_list_is_read_again_only_when_there_is_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """A redraw costs no query; a new attempt, its verdict and a hint do."""
    tutor = fake_tutor(seconds=0.0)
    past, asked = _past(tutor), []
    listed = tutor.history
    monkeypatch.setattr(tutor, "history", lambda *given: asked.append(given) or listed(*given))
    first = hand_in(tutor, "unscaled")
    for _ in range(5):
        past.attempts(_newest(tutor))
    assert len(asked) == 1
    tutor.take_hint(tutor.learner(), first.id, 0)
    (only,) = past.attempts(_newest(tutor))
    assert (only.hints_taken, only.status, only.traps) == (1, Status.FAILED, ("unscaled",))
    hand_in(tutor, "passes")
    assert [one.status for one in past.attempts(_newest(tutor))] == [Status.PASSED, Status.FAILED]
    assert len(asked) == 3


def test_an_older_attempt_that_ends_later_is_seen() -> None:
    """While one of those listed is on its way, the list is read at every look."""
    tutor = fake_tutor(seconds=0.0)
    past, me = _past(tutor), tutor.learner()
    slow = tutor.submit(me, SLUG, "slow passes")
    assert isinstance(slow, Submission)
    hand_in(tutor, "passes")
    assert [one.status for one in past.attempts(_newest(tutor))] == [Status.PASSED, None]
    tutor.wait(me, slow.id, 10)
    assert [one.status for one in past.attempts(_newest(tutor))] == [Status.PASSED, Status.PASSED]


def test_a_list_that_cannot_be_read_is_as_it_was(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was listed stays, the page can say that it is not the newest, and the log hears of it once."""
    tutor = fake_tutor(seconds=0.0)
    past = _past(tutor)
    first = hand_in(tutor, "passes")
    past.attempts(_newest(tutor))

    def refuse(*_: object) -> None:
        raise StoreError("disk full")

    hand_in(tutor, "passes too")
    with monkeypatch.context() as broken:
        broken.setattr(tutor, "history", refuse)
        broken.setattr(tutor, "submission", refuse)
        for _ in range(2):
            assert [one.id for one in past.attempts(_newest(tutor))] == [first.id]
        assert (past.unread, past.text(first.id)) == (True, None)
    assert caplog.text.count("could not be listed: disk full") == 1
    assert len(past.attempts(_newest(tutor))) == 2
    assert (past.unread, past.text(first.id)) == (False, "passes")


def test_the_difference_is_what_one_reads() -> None:
    """Lines taken away and put in, with two lines around them; nothing for the same text; a huge one is cut and says so."""
    old = "a\nb\nc\nd\ne\nf\n"
    assert difference(old, old.replace("d", "D")) == "lines 2 to 6\n b\n c\n-d\n+D\n e\n f"
    assert difference(old, old.replace("\n", "\r\n")) == ""
    lines = difference("", "x\n" * 2_000).splitlines()
    assert (len(lines), lines[-1]) == (DIFF_LINES + 1, "... and 1,601 more lines")
