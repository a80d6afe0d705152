"""The clock is set forward or back by days under workers that run: every check ends with one verdict, announced once."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.dispatch.helpers import add, make_worker, passes, read, running
from tests.store.samples import AnyStore, ManualClock, verdict
from tests.waiting import eventually
from tutor.model import Submission, SubmissionState, Verdict
from tutor.store.memory import MemoryStore
from tutor.store.sql import open_store

DAYS = 3 * 86_400.0

pytestmark = [
    pytest.mark.usefixtures("quick_sweeps"),
    pytest.mark.parametrize("jump", [DAYS, -DAYS], ids=["forward", "back"]),
]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest, clock: ManualClock) -> Iterator[AnyStore]:
    """A store that several workers share, with a clock that the test sets."""
    kind: str = request.param
    made = MemoryStore(clock) if kind == "memory" else open_store(request.getfixturevalue(f"{kind}_url"), clock)
    yield made
    made.close()


def test_a_check_that_runs_meanwhile_counts_once(shared: AnyStore, clock: ManualClock, jump: float) -> None:
    """Whether another worker takes the check over or not, one verdict is stored, and the queue goes on."""
    started, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        started.set()
        assert go_on.wait(10)
        return verdict()

    number = add(shared)
    workers = [make_worker(shared, check, done, name=name, lease=0.3) for name in ("first", "second")]
    with running(*workers):
        assert started.wait(10)
        clock.advance(jump)
        following = add(shared)
        go_on.set()
        assert eventually(lambda: set(done) == {number, following})
    assert sorted(done) == [number, following]
    assert all(read(shared, one).verdict == verdict() for one in done)


def test_what_a_dead_worker_had_is_checked_again(shared: AnyStore, clock: ManualClock, jump: float) -> None:
    """The claim of a worker that is gone does not outlive the jump."""
    done: list[int] = []
    number = add(shared)
    shared.claim(number, "dead", 6)
    clock.advance(jump)
    with running(make_worker(shared, passes, done)):
        assert eventually(lambda: done == [number])
    found = read(shared, number)
    assert (found.state, found.tries) == (SubmissionState.DONE, 2)
