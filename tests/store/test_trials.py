"""Trial runs in the queue: served like checks, and never taken for one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store.samples import SLUG, AnyStore, ManualClock, queue_one, statuses, verdict
from tutor.model import Status, SubmissionState
from tutor.store.rules import KEEP_TRIALS
from tutor.trials import (
    Grid,
    HeadMap,
    Lens,
    Looked,
    Lost,
    Maps,
    Outcome,
    Purpose,
    Scratch,
    SmallExample,
    Stopped,
    Trial,
)


def _tried(store: AnyStore, trial: Trial, outcome: Outcome | None = None) -> int:
    number = store.add_submission(store.local_learner().id, SLUG, 1, "x = 1", trial).id
    if outcome is not None:
        store.claim(number, "a", 60)
        store.finish(number, "a", outcome)
    return number


@pytest.mark.parametrize(
    ("trial", "outcome"),
    [
        (Scratch(lines="print(1)\n"), Looked(printed="1\n", seconds=0.5)),
        (Scratch(), Looked(stopped=Stopped(message="m", next_step="n", line=3, in_lines=True))),
        (SmallExample(), Lost(reason="The disk is full.")),
        (
            Lens(words=("the", "cat")),
            Maps(words=("the", "cat"), heads=(HeadMap(look="uniform", wanted=Grid(shape=(1, 2), values=(0.5, None))),)),
        ),
    ],
)
def test_a_trial_comes_back_with_its_outcome(store: AnyStore, trial: Trial, outcome: Outcome) -> None:
    """What was asked for and what came of it are what was stored; there is no verdict."""
    number = _tried(store, trial, outcome)
    found = store.latest_submission(store.local_learner().id, SLUG, trial.kind)
    assert found is not None
    assert (found.id, found.trial, found.outcome, found.verdict) == (number, trial, outcome, None)
    assert found.state is SubmissionState.DONE


def test_a_trial_is_no_attempt(store: AnyStore) -> None:
    """The latest attempt, the newest pass and the progress know no trials, and one kind of trial knows no other."""
    me = store.local_learner().id
    check = queue_one(store)
    store.claim(check, "a", 60)
    store.finish(check, "a", verdict())
    trial = _tried(store, Scratch(), Looked())
    latest, passed = store.latest_submission(me, SLUG), store.latest_passed(me, SLUG)
    assert latest is not None
    assert passed is not None
    assert (latest.id, passed.id) == (check, check)
    assert statuses(store.progress(me)) == {SLUG: {"skeleton": Status.PASSED}}
    scratch = store.latest_submission(me, SLUG, Purpose.SCRATCH)
    assert scratch is not None
    assert scratch.id == trial
    assert store.latest_submission(me, SLUG, Purpose.LENS) is None


def test_a_trial_has_its_turn_like_a_check(store: AnyStore) -> None:
    """It waits in the same queue, is claimed the same way, and counts for the load of its learner."""
    me = store.local_learner().id
    first, second = queue_one(store), _tried(store, Scratch())
    assert store.waiting() == (first, second)
    claimed = store.claim(second, "a", 60)
    assert claimed is not None
    assert claimed.trial == Scratch()
    assert store.load(me, 60).mine == 2
    store.finish(second, "a", Looked(seconds=2.5))
    assert (store.load(me, 60).mine, store.load(me, 60).seconds) == (1, 2.5)


def test_old_trials_of_a_kind_go_when_a_new_one_comes(store: AnyStore, clock: ManualClock) -> None:
    """What nobody can come back to is not kept; what is recent, unfinished, of another kind or a check stays."""
    old, other = _tried(store, Scratch(), Looked()), _tried(store, SmallExample(), Lost(reason="r"))
    waiting = _tried(store, Scratch())
    check = queue_one(store)
    clock.advance(KEEP_TRIALS.total_seconds() + 1)
    recent = _tried(store, Scratch(), Looked())
    newest = _tried(store, Scratch())
    assert store.submission(old) is None
    assert all(store.submission(number) is not None for number in (other, waiting, check, recent, newest))
    assert newest not in {old, other, waiting, check, recent}


def test_many_tabs_that_ask_for_the_same_look_do_not_wait_for_each_other(store: AnyStore, clock: ManualClock) -> None:
    """Eight threads each replace what is old, and hold it until they have added their own."""
    old = [_tried(store, Scratch(), Looked()) for _ in range(30)]
    clock.advance(KEEP_TRIALS.total_seconds() + 1)
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda _: _tried(store, Scratch()), range(8)))
    assert [store.submission(number) for number in old] == [None] * len(old)
    assert len(set(added)) == 8
    assert store.waiting() == tuple(sorted(added))


def test_a_number_is_never_given_twice(store: AnyStore, clock: ManualClock) -> None:
    """Also where the newest row of all goes: who still looks at its number does not see another's."""
    old = _tried(store, Scratch(), Looked())
    clock.advance(KEEP_TRIALS.total_seconds() + 1)
    assert _tried(store, Scratch()) > old
    assert store.submission(old) is None
