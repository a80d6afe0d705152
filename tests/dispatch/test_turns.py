"""Whoever floods the queue with slow checks delays another learner by at most the check that is running."""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.dispatch.helpers import make_worker, running
from tests.store.samples import SLUG, AnyStore, verdict
from tests.waiting import eventually
from tutor.model import Submission, SubmissionState, Verdict
from tutor.store.memory import MemoryStore
from tutor.store.sql import open_store

PATIENCE = 10.0


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    """A store that several workers share."""
    kind: str = request.param
    made = MemoryStore() if kind == "memory" else open_store(request.getfixturevalue(f"{kind}_url"))
    yield made
    made.close()


class School:
    """Checks that start in the order in which the workers take them, and end when the test says so."""

    def __init__(self, store: AnyStore) -> None:
        self.store = store
        self._started: queue.Queue[int] = queue.Queue()
        self._may_end: dict[int, threading.Event] = defaultdict(threading.Event)

    def check(self, submission: Submission) -> Verdict:
        self._started.put(submission.id)
        assert self._may_end[submission.id].wait(PATIENCE)
        return verdict()

    def hand_in(self, name: str, many: int = 1) -> list[int]:
        learner = self.store.learner_named(name).id
        return [self.store.add_submission(learner, SLUG, 1, "x").id for _ in range(many)]

    def starts(self) -> int:
        """The next check that is started."""
        return self._started.get(timeout=PATIENCE)

    def end(self, *numbers: int) -> None:
        for number in numbers:
            self._may_end[number].set()

    def end_all(self) -> None:
        """Let everything end, in its turns, until nothing waits."""
        while self.store.load(0, 60).all:
            try:
                self.end(self._started.get(timeout=0.05))
            except queue.Empty:
                continue


@pytest.mark.usefixtures("quick_sweeps")
def test_the_flood_has_one_place_and_the_other_is_free(shared: AnyStore) -> None:
    """With two places and one check of each learner at once, another learner's check starts while the slow one still runs."""
    school = School(shared)
    flood = school.hand_in("flood", 4)
    with running(make_worker(shared, school.check, each=1)):
        assert school.starts() == flood[0]
        assert shared.waiting(each=1) == ()
        quiet = school.hand_in("quiet")
        assert school.starts() == quiet[0]
        school.end(quiet[0])
        assert eventually(lambda: shared.submission(quiet[0]).state is SubmissionState.DONE)
        running_still = shared.submission(flood[0])
        assert running_still is not None
        assert running_still.state is SubmissionState.RUNNING
        assert shared.waiting(each=1) == ()
        school.end(flood[0])
        school.end_all()


@pytest.mark.usefixtures("quick_sweeps")
@pytest.mark.parametrize("places", [1, 2])
def test_where_every_place_is_taken_one_check_is_waited_for(shared: AnyStore, places: int) -> None:
    """As soon as one of the running checks ends, the other learner has the turn, however many of the flood were there before."""
    school = School(shared)
    flood = school.hand_in("flood", 8)
    workers = [make_worker(shared, school.check, name=f"w{number}", many=1) for number in range(places)]
    with running(*workers):
        started = {school.starts() for _ in range(places)}
        assert started == set(flood[:places])
        quiet = school.hand_in("quiet", 2)
        assert shared.submissions_ahead(quiet[0]) == places
        school.end(flood[0])
        assert school.starts() == quiet[0]
        school.end(quiet[0])
        # Now one learner has had a turn and the other has, too: where one place is still the flood's, quiet comes first again.
        assert school.starts() == (flood[1] if places == 1 else quiet[1])
        school.end(*flood, *quiet)
        school.end_all()


@pytest.mark.usefixtures("quick_sweeps")
def test_a_class_takes_turns_beside_a_flood(shared: AnyStore) -> None:
    """In one place twelve learners are checked, one each, before the flood has its second."""
    school = School(shared)
    flood = school.hand_in("flood", 6)
    with running(make_worker(shared, school.check, many=1, each=1)):
        assert school.starts() == flood[0]
        others = [school.hand_in(f"learner {number}")[0] for number in range(12)]
        order = []
        school.end(flood[0])
        for _ in range(13):
            order.append(school.starts())
            school.end(order[-1])
        assert order == [*others, flood[1]]
        school.end_all()
