"""Who may work on a submission and whose verdict is taken, on the fake and on a real SQLite file alike."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from tests.store.samples import AnyStore, ManualClock, queue_one, verdict
from tutor.model import Status, SubmissionState


def test_a_claim_is_given_once(store: AnyStore) -> None:
    """A claimed submission is running, counts a try, and is not given again."""
    number = queue_one(store)
    claimed = store.claim(number, "a", 10)
    assert claimed is not None
    assert (claimed.state, claimed.tries, claimed.source) == (SubmissionState.RUNNING, 1, "x = 1")
    assert store.claim(number, "b", 10) is None
    assert store.claim(number, "a", 10) is None
    assert store.claim(number + 1, "a", 10) is None


def test_of_many_claims_at_once_one_wins(store: AnyStore) -> None:
    """Eight threads claim each of ten submissions at the same moment; each is given exactly once."""
    numbers = [queue_one(store) for _ in range(10)]
    start = threading.Barrier(8)

    def claim_all(name: str) -> list[int]:
        start.wait(timeout=5)
        return [number for number in numbers if store.claim(number, name, 60) is not None]

    with ThreadPoolExecutor(8) as pool:
        won = [number for numbers in pool.map(claim_all, "abcdefgh") for number in numbers]
    assert sorted(won) == numbers


def test_a_lease_that_ran_out_is_free_again(store: AnyStore, clock: ManualClock) -> None:
    """A silent worker loses its claim when the lease ends, not before, and can no longer finish once it is taken."""
    number = queue_one(store)
    store.claim(number, "dead", 6)
    clock.advance(5.9)
    assert store.waiting() == ()
    clock.advance(0.1)
    assert store.waiting() == (number,)
    again = store.claim(number, "alive", 6)
    assert again is not None
    assert again.tries == 2
    assert not store.renew(number, "dead", 6)
    assert not store.release(number, "dead")
    assert not store.finish(number, "dead", verdict())
    assert store.finish(number, "alive", verdict())


def test_a_renewed_lease_holds(store: AnyStore, clock: ManualClock) -> None:
    """Renewing prolongs one's own claim from now on."""
    number = queue_one(store)
    store.claim(number, "a", 6)
    clock.advance(5)
    assert store.renew(number, "a", 6)
    assert not store.renew(number, "b", 6)
    clock.advance(5)
    assert store.waiting() == ()
    assert store.claim(number, "b", 6) is None


def test_a_late_worker_may_finish_while_nobody_took_over(store: AnyStore, clock: ManualClock) -> None:
    """A lease that ran out costs nothing as long as no other worker claimed the submission."""
    number = queue_one(store)
    store.claim(number, "slow", 1)
    clock.advance(60)
    assert store.finish(number, "slow", verdict())


def test_a_released_claim_waits_again(store: AnyStore) -> None:
    """Releasing puts the submission back and keeps the count of tries; only the owner may."""
    number = queue_one(store)
    assert not store.release(number, "a")
    store.claim(number, "a", 60)
    assert not store.release(number, "b")
    assert store.release(number, "a")
    found = store.submission(number)
    assert found is not None
    assert (found.state, found.tries) == (SubmissionState.QUEUED, 1)
    assert store.waiting() == (number,)


def test_a_verdict_is_saved_exactly_once(store: AnyStore, clock: ManualClock) -> None:
    """The first finish of the owner is kept whole; every later one is refused and changes nothing."""
    number = queue_one(store)
    assert not store.finish(number, "a", verdict())
    store.claim(number, "a", 60)
    assert not store.finish(number, "b", verdict())
    first = verdict({"skeleton": Status.FAILED}, Status.FAILED, printed="ä\0\n")
    assert store.finish(number, "a", first)
    clock.advance(1)
    assert not store.finish(number, "a", verdict())
    assert store.claim(number, "a", 60) is None
    assert not store.renew(number, "a", 60)
    assert not store.release(number, "a")
    found = store.submission(number)
    assert found is not None
    assert (found.state, found.verdict) == (SubmissionState.DONE, first)
    assert found.finished_at == found.submitted_at


def test_of_many_finishes_at_once_one_counts(store: AnyStore) -> None:
    """Eight threads finish the same claim; one is told that it did."""
    number = queue_one(store)
    store.claim(number, "a", 60)
    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda _: store.finish(number, "a", verdict()), range(8)))
    assert saved.count(True) == 1
