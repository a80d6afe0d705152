"""A clock that is set forward or back by days: no verdict is lost, none counts twice, nobody waits until the old time comes round."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.store.samples import SLUG, AnyStore, ManualClock, queue_one, serve_next, statuses, verdict
from tutor.model import Load, Status, SubmissionState
from tutor.settings import Settings
from tutor.store.rules import LONGEST_LEASE_SECONDS

DAYS = 3 * 86_400.0

either_way = pytest.mark.parametrize("jump", [DAYS, -DAYS], ids=["forward", "back"])


@either_way
def test_what_is_queued_is_still_taken_in_its_order(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """A jump changes neither who waits nor whose turn it is."""
    numbers = [queue_one(store), queue_one(store)]
    clock.advance(jump)
    numbers.append(queue_one(store))
    assert store.waiting() == tuple(numbers)
    assert [store.submissions_ahead(number) for number in numbers] == [0, 1, 2]
    latest = store.latest_submission(store.local_learner().id, SLUG)
    assert latest is not None
    assert latest.id == numbers[-1]


@either_way
def test_what_a_dead_worker_held_is_free_after_the_jump(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """A lease from before the jump is not believed: its submission waits again, is nobody's turn, and is checked again."""
    number = queue_one(store)
    store.claim(number, "dead", 6)
    clock.advance(jump)
    assert store.waiting(each=1) == (number,)
    assert store.submissions_ahead(queue_one(store)) == 1
    again = store.claim(number, "alive", 6)
    assert again is not None
    assert again.tries == 2
    assert store.claim(number, "third", 6) is None
    assert store.finish(number, "alive", verdict())


@either_way
def test_a_worker_that_lives_keeps_its_claim(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """Its next sign of life puts the lease right, by the new time, and its verdict is taken."""
    number = queue_one(store)
    store.claim(number, "a", 6)
    clock.advance(jump)
    assert store.renew(number, "a", 6)
    assert store.waiting() == ()
    clock.advance(5.9)
    assert store.claim(number, "b", 6) is None
    assert store.finish(number, "a", verdict())
    found = store.submission(number)
    assert found is not None
    assert (found.state, found.tries, found.finished_at) == (SubmissionState.DONE, 1, clock.now)


@either_way
def test_a_verdict_from_before_the_jump_is_taken(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """Whoever still has the claim may finish, however long or short the check seems to have been."""
    number = queue_one(store)
    store.claim(number, "a", 6)
    clock.advance(jump)
    assert store.finish(number, "a", verdict())
    assert statuses(store.progress(store.local_learner().id)) == {SLUG: {"skeleton": Status.PASSED}}
    clock.advance(-jump)
    assert store.waiting() == ()


@either_way
def test_of_two_verdicts_around_the_jump_one_counts(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """If another worker took over meanwhile, the late verdict of the first is not taken, neither before nor after the second's."""
    number = queue_one(store)
    store.claim(number, "first", 6)
    clock.advance(jump)
    store.claim(number, "second", 6)
    late = verdict({"skeleton": Status.FAILED}, Status.FAILED)
    assert not store.finish(number, "first", late)
    assert store.finish(number, "second", verdict())
    assert not store.finish(number, "first", late)
    found = store.submission(number)
    assert found is not None
    assert found.verdict == verdict()
    assert store.load(store.local_learner().id, 60) == Load(mine=0, all=0, seconds=0.01)


def test_a_small_step_back_keeps_nobody_waiting_for_long(store: AnyStore, clock: ManualClock) -> None:
    """Within the longest lease a step back cannot be told from a long lease, so it is waited for, but no longer than that."""
    number = queue_one(store)
    store.claim(number, "dead", 6)
    clock.advance(-300)
    assert store.waiting() == ()
    clock.advance(306)
    assert store.waiting() == (number,)


def test_the_longest_lease_that_can_be_set_is_believed(store: AnyStore, clock: ManualClock) -> None:
    """It holds from its first moment to its last, also between two machines whose clocks are as far apart as it is long."""
    longest, number = 300.0, queue_one(store)
    with pytest.raises(ValidationError):
        Settings(lease_seconds=longest + 1)
    store.claim(number, "a", Settings(lease_seconds=longest).lease_seconds)
    assert store.claim(number, "b", 6) is None
    clock.advance(-longest)
    assert 2 * longest <= LONGEST_LEASE_SECONDS
    assert store.claim(number, "b", 6) is None
    clock.advance(2 * longest - 0.1)
    assert store.claim(number, "b", 6) is None


@either_way
def test_checking_time_is_not_held_against_anybody_after_the_jump(
    store: AnyStore, clock: ManualClock, jump: float
) -> None:
    """The last minute is that of the clock as it goes now; what is checked from now on counts in it."""
    me = store.local_learner().id
    for _ in range(2):
        number = queue_one(store)
        store.claim(number, "a", 6)
        store.finish(number, "a", verdict())
        assert store.load(me, 60).seconds == 0.01
        clock.advance(jump)
        assert store.load(me, 60).seconds == 0


@either_way
def test_the_turns_go_round_after_the_jump(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """Who was served before it is neither last nor first for days: every learner has one turn in three."""
    names = ("flood",) * 5 + ("quiet",) * 4 + ("other",) * 3
    whose = {store.add_submission(store.learner_named(name).id, SLUG, 1, "x").id: name for name in names}
    serve_next(store, clock)
    serve_next(store, clock)
    clock.advance(jump)
    for _ in range(2):
        assert {whose[serve_next(store, clock)] for _ in range(3)} == set(names)


@either_way
def test_the_newest_draft_stays_the_newest(store: AnyStore, clock: ManualClock, jump: float) -> None:
    """What was typed last is the draft, whatever the clock says of it."""
    me = store.local_learner().id
    store.save_draft(me, SLUG, "older")
    clock.advance(jump)
    store.save_draft(me, SLUG, "newer")
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert draft.source == "newer"
