"""What was passed with hints is kept apart from what was passed without, on the fake and on a real SQLite file alike."""

from __future__ import annotations

import pytest

from tests.store.samples import SLUG, AnyStore, ManualClock, verdict
from tutor.model import Status
from tutor.trials import Scratch

FAILED, PASSED, IDLE = Status.FAILED, Status.PASSED, Status.NOT_RUN


class Attempts:
    """A learner who hands in and takes hints, a second between all that is done."""

    def __init__(self, store: AnyStore, clock: ManualClock, name: str = "Ada") -> None:
        self.store, self.clock = store, clock
        self.me = store.learner_named(name).id

    def submit(self, slug: str = SLUG) -> int:
        self.clock.advance(1)
        return self.store.add_submission(self.me, slug, 1, "x").id

    def finish(self, number: int, *, broken: bool = False, **milestones: Status) -> int:
        self.clock.advance(1)
        failed = Status.FAILED if Status.FAILED in milestones.values() else Status.PASSED
        self.store.claim(number, "a", 60)
        assert self.store.finish(number, "a", verdict(milestones, Status.BROKEN if broken else failed))
        return number

    def attempt(self, slug: str = SLUG, **milestones: Status) -> int:
        return self.finish(self.submit(slug), **milestones)

    def hint(self, number: int, seen: int = 0) -> None:
        self.clock.advance(1)
        assert self.store.take_hint(number, seen)

    def hinted(self, slug: str = SLUG) -> dict[str, bool]:
        """Whether each milestone that is passed was so with hints."""
        reached = self.store.progress(self.me).get(slug, {})
        return {name: one.hinted for name, one in reached.items() if one.passed}


@pytest.fixture
def ada(store: AnyStore, clock: ManualClock) -> Attempts:
    return Attempts(store, clock)


def test_a_hint_on_a_failed_check_before_the_pass_counts(ada: Attempts) -> None:
    """Only for what had failed there: what passed there already, or was not run, is one's own."""
    ada.hint(ada.attempt(skeleton=PASSED, forward=FAILED, causal=IDLE))
    assert ada.hinted() == {"skeleton": False}
    ada.attempt(skeleton=PASSED, forward=PASSED, causal=PASSED)
    assert ada.hinted() == {"skeleton": False, "forward": True, "causal": False}


def test_any_earlier_check_counts_and_so_does_any_hint(ada: Attempts) -> None:
    """The hint may lie several attempts back, before others without one, and be the first of many."""
    first = ada.attempt(skeleton=FAILED)
    for seen in range(3):
        ada.hint(first, seen)
    ada.attempt(skeleton=FAILED)
    ada.attempt(skeleton=IDLE)
    ada.attempt(skeleton=PASSED)
    assert ada.hinted() == {"skeleton": True}


def test_a_failure_is_neither(ada: Attempts) -> None:
    """What has not passed is not passed with hints, however many were taken."""
    ada.hint(ada.attempt(skeleton=FAILED))
    reached = ada.store.progress(ada.me)[SLUG]["skeleton"]
    assert (reached.status, reached.passed_at, reached.hinted) == (FAILED, None, False)


def test_hints_that_come_later_change_nothing(ada: Attempts) -> None:
    """Neither on a failure after the pass, nor on the old failure before it, nor once the text that passed is handed in."""
    old = ada.attempt(skeleton=FAILED)
    on_its_way = ada.submit()
    ada.hint(old)
    ada.finish(on_its_way, skeleton=PASSED)
    ada.hint(ada.attempt(skeleton=FAILED))
    ada.hint(old, 1)
    ada.attempt(skeleton=PASSED)
    assert ada.hinted() == {"skeleton": False}


def test_passing_again_without_hints_erases_nothing(ada: Attempts) -> None:
    """The first pass decides, and its time is kept."""
    ada.hint(ada.attempt(skeleton=FAILED))
    first = ada.store.submission(ada.attempt(skeleton=PASSED))
    assert first is not None
    for status in (FAILED, PASSED, PASSED):
        ada.attempt(skeleton=status)
    reached = ada.store.progress(ada.me)[SLUG]["skeleton"]
    assert (reached.passed_at, reached.hinted) == (first.submitted_at, True)


def test_each_exercise_and_each_learner_for_itself(ada: Attempts, store: AnyStore, clock: ManualClock) -> None:
    """A hint in another exercise, or of somebody else, is no hint here, whatever the milestones are called."""
    bob = Attempts(store, clock, "Bob")
    ada.hint(ada.attempt("cross-attention", skeleton=FAILED))
    bob.hint(bob.attempt(skeleton=FAILED))
    for one in (ada, bob):
        one.attempt(skeleton=FAILED)
        one.attempt(skeleton=PASSED)
        one.attempt("cross-attention", skeleton=PASSED)
    assert (ada.hinted(), ada.hinted("cross-attention")) == ({"skeleton": False}, {"skeleton": True})
    assert (bob.hinted(), bob.hinted("cross-attention")) == ({"skeleton": True}, {"skeleton": False})


def test_a_broken_check_and_a_trial_are_no_part_of_it(ada: Attempts) -> None:
    """A pass in a check that broke is none, so a hint after it still comes before the first; trials have no milestones."""
    failed = ada.attempt(skeleton=FAILED)
    ada.finish(ada.submit(), broken=True, skeleton=PASSED)
    ada.store.add_submission(ada.me, SLUG, 1, "x", Scratch())
    ada.hint(failed)
    ada.attempt(skeleton=PASSED)
    assert ada.hinted() == {"skeleton": True}
