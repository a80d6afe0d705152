"""The worker loop when something of ours fails: what it tries again and what it gives up."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.dispatch.helpers import add, broken, fails, make_worker, passes, read, running
from tests.store.samples import verdict
from tests.waiting import eventually
from tutor.errors import SandboxError, StoreError
from tutor.model import ErrorReport, Status, Submission, SubmissionState, Verdict
from tutor.store.memory import MemoryStore
from tutor.store.sql import open_store
from tutor.worker import CLAIMS, TRIES, Worker


@pytest.mark.usefixtures("quick_sweeps")
def test_a_failure_of_ours_is_tried_again(store: MemoryStore) -> None:
    """A check that raises twice and then answers gives the ordinary verdict on the third try."""

    def check(submission: Submission) -> Verdict:
        if submission.tries < TRIES:
            raise SandboxError("not yet")
        return verdict()

    done: list[int] = []
    number = add(store)
    with running(make_worker(store, check, done)):
        assert eventually(lambda: done == [number])
    found = read(store, number)
    assert (found.tries, found.verdict) == (3, verdict())


@pytest.mark.usefixtures("quick_sweeps")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SandboxError("The zygote is gone."), "The zygote is gone."),
        (ZeroDivisionError("secret"), "An unexpected ZeroDivisionError in the checker."),
    ],
)
def test_three_failures_of_ours_end_as_broken(store: MemoryStore, error: Exception, reason: str) -> None:
    """After three tries the verdict is broken, with a reason in words, and is announced like any other."""

    def check(submission: Submission) -> Verdict:
        raise error

    done: list[int] = []
    number = add(store)
    with running(make_worker(store, check, done)):
        assert eventually(lambda: done == [number])
    found = read(store, number)
    assert found.verdict is not None
    assert (found.tries, found.verdict.status, found.verdict.printed) == (TRIES, Status.BROKEN, reason)


def test_a_retry_waits_before_it_runs(store: MemoryStore) -> None:
    """Between two tries the submission rests, however often it is rung for, and is free for other workers meanwhile."""
    worker = Worker(
        store, fails, broken, name="w", concurrency=1, lease_seconds=9, on_done=print, retry_seconds=60
    )  # fmt: skip
    number = add(store)
    worker.handle(number)
    assert (read(store, number).tries, store.waiting()) == (1, (number,))
    with running(worker):
        worker.ring(number)
        time.sleep(0.1)
    assert read(store, number).tries == 1


def test_a_verdict_that_cannot_be_stored_ends_as_broken(tmp_path: Path) -> None:
    """A verdict with text no database can hold counts as our failure instead of being tried for ever."""
    odd = verdict().model_copy(update={"error": ErrorReport(type="ValueError", message="half \ud800")})
    store = open_store(f"sqlite:///{tmp_path / 'tutor.db'}")
    worker = make_worker(store, lambda submission: odd)
    number = add(store)
    for _ in range(TRIES):
        worker.handle(number)
    found = read(store, number).verdict
    store.close()
    assert found is not None
    assert found.status is Status.BROKEN


def test_a_submission_that_always_stops_the_checker_is_given_up(store: MemoryStore) -> None:
    """A submission whose worker died every time is not started for ever: it ends as broken without being run."""
    number = add(store)
    for _ in range(CLAIMS):
        store.claim(number, "dead", 0.0)
    ran: list[int] = []

    def check(submission: Submission) -> Verdict:
        ran.append(submission.id)
        return verdict()

    make_worker(store, check).handle(number)
    found = read(store, number).verdict
    assert found is not None
    assert (found.status, ran) == (Status.BROKEN, [])


class FaultyStore(MemoryStore):
    """Refuses some calls, the way a database does that is away for a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.refuse: dict[str, int] = {}

    def _meet(self, call: str) -> None:
        if self.refuse.get(call, 0) > 0:
            self.refuse[call] -= 1
            raise StoreError("The database is away.")

    def waiting(self, limit: int = 100, each: int | None = None) -> tuple[int, ...]:
        self._meet("waiting")
        return super().waiting(limit, each)

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        self._meet("claim")
        return super().claim(submission_id, worker, lease_seconds)

    def finish(self, submission_id: int, worker: str, verdict: Verdict) -> bool:
        self._meet("finish")
        return super().finish(submission_id, worker, verdict)


@pytest.mark.usefixtures("quick_sweeps")
def test_a_database_that_is_away_for_a_moment_costs_nothing() -> None:
    """Refused sweeps and claims are made up for later; a refused save is tried again without checking again."""
    store = FaultyStore()
    store.refuse = {"waiting": 1, "claim": 1, "finish": 2}
    runs: list[int] = []
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        runs.append(submission.id)
        return verdict()

    number = add(store)
    worker = make_worker(store, check, done)
    with running(worker):
        worker.ring(number)
        assert eventually(lambda: done == [number])
    assert runs == [number]


def test_a_listener_that_fails_does_not_stop_the_worker(store: MemoryStore) -> None:
    """An error while announcing a verdict is logged; the next submission is checked all the same."""

    def tell(number: int) -> None:
        raise BrokenPipeError

    numbers = [add(store), add(store)]
    worker = Worker(store, passes, broken, name="w", concurrency=1, lease_seconds=9, on_done=tell)
    with running(worker):
        assert eventually(lambda: all(read(store, one).state is SubmissionState.DONE for one in numbers))
