"""The worker loop on a good day: rings, sweeps, heartbeats, shutdown, and never twice."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from tests.dispatch.helpers import Check, add, make_worker, passes, read, running
from tests.store.samples import verdict
from tests.waiting import eventually
from tutor.model import Submission, SubmissionState, Verdict
from tutor.store.memory import MemoryStore
from tutor.store.sql import open_store


def test_a_ring_leads_to_a_verdict(store: MemoryStore) -> None:
    """A submission that is rung for is checked, saved and announced, without waiting for a sweep."""
    done: list[int] = []
    worker = make_worker(store, passes, done)
    with running(worker):
        number = add(store)
        started = time.monotonic()
        worker.ring(number)
        assert eventually(lambda: done == [number])
        assert time.monotonic() - started < 0.5
    assert read(store, number).verdict == verdict()


def test_a_lost_ring_is_found_by_the_sweep(store: MemoryStore) -> None:
    """Submissions nobody rang for, old or new, are found within about a second."""
    done: list[int] = []
    numbers = [add(store)]
    with running(make_worker(store, passes, done)):
        numbers.append(add(store))
        assert eventually(lambda: sorted(done) == numbers, 3)


def test_rings_for_nothing_are_harmless(store: MemoryStore) -> None:
    """A double ring, a ring for a finished submission and one for an unknown id change nothing."""
    seen: list[int] = []

    def check(submission: Submission) -> Verdict:
        seen.append(submission.id)
        time.sleep(0.05)
        return verdict()

    done: list[int] = []
    worker = make_worker(store, check, done)
    number = add(store)
    with running(worker):
        for one in (number, number, 999, number):
            worker.ring(one)
        assert eventually(lambda: done == [number])
        worker.ring(number)
        worker.handle(number)
        time.sleep(0.1)
    assert (seen, done) == ([number], [number])


def test_a_heartbeat_keeps_the_claim_of_a_long_check(store: MemoryStore) -> None:
    """A check four times as long as the lease is neither given to a second worker nor lost."""
    runs: list[str] = []

    def slow(name: str) -> Check:
        def check(submission: Submission) -> Verdict:
            runs.append(name)
            time.sleep(1.2)
            return verdict()

        return check

    done: list[int] = []
    number = add(store)
    first = make_worker(store, slow("first"), done, name="first", lease=0.3)
    second = make_worker(store, slow("second"), done, name="second", lease=0.3)
    with running(first):
        assert eventually(lambda: runs == ["first"])
        with running(second):
            assert eventually(lambda: done == [number])
    assert (runs, read(store, number).tries) == (["first"], 1)


def test_two_workers_on_one_file_judge_every_submission_once(tmp_path: Path) -> None:
    """Two workers with their own connections to one SQLite file share thirty submissions, each judged exactly once."""
    url = f"sqlite:///{tmp_path / 'tutor.db'}"
    stores = [open_store(url), open_store(url)]
    runs: list[int] = []
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        runs.append(submission.id)
        time.sleep(0.01)
        return verdict()

    numbers = [add(stores[0]) for _ in range(30)]
    workers = [make_worker(store, check, done, name=f"w{index}") for index, store in enumerate(stores)]
    with running(*workers):
        for number in numbers:
            for worker in workers:
                worker.ring(number)
        assert eventually(lambda: len(done) == 30, 10)
    assert sorted(runs) == sorted(done) == numbers
    assert all(read(stores[1], number).state is SubmissionState.DONE for number in numbers)
    for store in stores:
        store.close()


def test_a_shutdown_puts_unfinished_work_back(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopping does not wait for a hanging check: its submission is queued again, and its late answer is not taken."""
    monkeypatch.setattr("tutor.worker.GRACE_SECONDS", 0.1)
    started, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        started.set()
        go_on.wait(5)
        return verdict()

    numbers = [add(store), add(store)]
    with running(make_worker(store, check, done, many=1)):
        assert started.wait(5)
    assert store.waiting() == tuple(numbers)
    go_on.set()
    time.sleep(0.1)
    assert (store.waiting(), done) == (tuple(numbers), [])


def test_one_learner_who_floods_delays_nobody_else(store: MemoryStore) -> None:
    """With one check at once for each learner, the second thread is free for the others, who are served first."""
    order: list[str] = []
    names = {store.learner_named(name).id: name for name in ("flood", "quiet")}
    blocked = threading.Event()

    def check(submission: Submission) -> Verdict:
        order.append(names[submission.learner_id])
        if order.count("flood") == 1 and order[-1] == "flood":
            blocked.wait(5)
        return verdict()

    flood, quiet = names
    for learner in (flood, flood, flood, quiet):
        store.add_submission(learner, "one", 1, "x")
    done: list[int] = []
    with running(make_worker(store, check, done, each=1)):
        assert eventually(lambda: order[:2] == ["flood", "quiet"] or order[:2] == ["quiet", "flood"])
        assert eventually(lambda: done == [4])
        time.sleep(0.1)
        assert len(order) == 2, "the flood has its one place taken"
        blocked.set()
        assert eventually(lambda: len(done) == 4)


def test_a_ring_for_one_wakes_for_whoever_has_the_turn(store: MemoryStore) -> None:
    """The row decides: what was never rung for and waits longer comes first."""
    seen: list[int] = []

    def check(submission: Submission) -> Verdict:
        seen.append(submission.id)
        return verdict()

    worker = make_worker(store, check, many=1)
    with running(worker):
        assert eventually(worker._bells.empty)
        time.sleep(0.05)
        numbers = [add(store), add(store)]
        worker.ring(numbers[1])
        assert eventually(lambda: seen == numbers, 0.5)


def test_sweeps_do_not_pile_up(store: MemoryStore) -> None:
    """While everybody is busy, bells for those who would look anyway are not added for ever."""
    worker = make_worker(store, passes)
    for _ in range(50):
        worker.sweep()
    assert worker._bells.qsize() == worker._concurrency
