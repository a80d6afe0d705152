"""The worker and the page on a real database that is full or locked: nothing is lost, nothing is checked twice, nobody is blamed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.dispatch.helpers import add, make_worker, passes, read, running
from tests.store.samples import SLUG, url, verdict
from tests.store.trouble import LARGE, Disk, WatchedStore, locked, watched
from tests.ui.fakes import exercise
from tests.waiting import eventually
from tutor.catalog import Catalog
from tutor.dispatch.inline import InlineDispatch
from tutor.intake import Limits
from tutor.model import Status, Submission, SubmissionState, Verdict
from tutor.service import Tutor
from tutor.store.sql import open_store
from tutor.ui.desk import Desk

Trouble = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tutor.db"


@pytest.fixture
def database(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedStore]:
    """A real database that waits 20 ms for a lock instead of 10 s, and a worker that tries again soon."""
    pragmas = ("PRAGMA busy_timeout = 20", "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON")
    monkeypatch.setattr("tutor.store.connect._PRAGMAS", pragmas)
    monkeypatch.setattr("tutor.worker.FIRST_PAUSE", 0.01)
    monkeypatch.setattr("tutor.worker.LONGEST_PAUSE", 0.05)
    store = watched(open_store(url(file)))
    yield store
    store.close()


@pytest.fixture(params=["full", "locked"])
def trouble(request: pytest.FixtureRequest, database: WatchedStore, file: Path) -> Trouble:
    """Opens a time of trouble with the database."""
    disk = Disk(database._engine)

    @contextmanager
    def full() -> Iterator[None]:
        disk.fill()
        try:
            yield
        finally:
            disk.empty()

    return full if request.param == "full" else lambda: locked(file)


def test_a_verdict_that_cannot_be_stored_is_kept_until_it_can(database: WatchedStore, trouble: Trouble) -> None:
    """However often the database refuses, the verdict is offered again: one check, one try, and the verdict as it was made."""
    made = verdict({"skeleton": Status.FAILED}, Status.FAILED, printed=LARGE)
    started, go_on = threading.Event(), threading.Event()
    runs: list[int] = []
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        runs.append(submission.id)
        started.set()
        assert go_on.wait(10)
        return made

    number = add(database)
    with running(make_worker(database, check, done)):
        assert started.wait(10)
        with trouble():
            go_on.set()
            assert eventually(lambda: database.refused["finish"] > 8)
            found = read(database, number)
            assert (found.state, found.verdict, done) == (SubmissionState.RUNNING, None, [])
        assert eventually(lambda: done == [number])
        following = add(database)
        assert eventually(lambda: done == [number, following])
    found = read(database, number)
    assert (found.tries, found.verdict, runs) == (1, made, [number, following])


@pytest.mark.usefixtures("quick_sweeps")
def test_a_claim_that_is_refused_is_made_later(database: WatchedStore, file: Path) -> None:
    """While the database is locked nothing is started and no try is counted; afterwards the check is made once."""
    done: list[int] = []
    number = add(database)
    with locked(file), running(make_worker(database, passes, done)):
        assert eventually(lambda: database.refused["claim"] > 3)
        assert (read(database, number).state, read(database, number).tries) == (SubmissionState.QUEUED, 0)
    with running(make_worker(database, passes, done)):
        assert eventually(lambda: done == [number])
    assert read(database, number).tries == 1


def test_a_lease_that_cannot_be_renewed_costs_nothing(database: WatchedStore, file: Path) -> None:
    """The lease runs out behind a lock, the check goes on, and its verdict is taken when the lock is gone."""
    started, go_on = threading.Event(), threading.Event()
    runs: list[int] = []
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        runs.append(submission.id)
        started.set()
        assert go_on.wait(10)
        return verdict()

    number = add(database)
    with running(make_worker(database, check, done, lease=0.06)):
        assert started.wait(10)
        with locked(file):
            assert eventually(lambda: database.refused["renew"] > 5 and number in database.waiting())
            go_on.set()
            assert eventually(lambda: database.refused["finish"] > 1)
        assert eventually(lambda: done == [number])
    found = read(database, number)
    assert (found.state, found.tries, found.verdict, runs) == (SubmissionState.DONE, 1, verdict(), [number])


def test_a_stop_in_the_middle_of_it_ends_soon_and_the_check_is_made_again(
    database: WatchedStore, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is told to end does not wait for the database; the next one checks the submission again."""
    monkeypatch.setattr("tutor.worker.GRACE_SECONDS", 0.1)
    started, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        started.set()
        assert go_on.wait(10)
        return verdict()

    number = add(database)
    with ExitStack() as trouble, running(make_worker(database, check, done, lease=0.3)):
        assert started.wait(10)
        trouble.enter_context(locked(file))
        go_on.set()
        assert eventually(lambda: database.refused["finish"] > 0)
    assert read(database, number).verdict is None
    with running(make_worker(database, passes, done, name="next")):
        assert eventually(lambda: done == [number])


def test_handing_in_says_that_it_could_not_be_kept_and_whose_fault_it_is(
    database: WatchedStore, trouble: Trouble, caplog: pytest.LogCaptureFixture
) -> None:
    """One sentence on the page, the reason in the log, nothing half stored; the same click works when the trouble is over."""
    worker = make_worker(database, passes)
    tutor = Tutor(Catalog((exercise(),), ()), database, InlineDispatch(worker.handle), Limits())
    desk = Desk.open(tutor, tutor.learner(), exercise())
    text = LARGE[:60_000]
    with trouble():
        desk.submit(text)
        assert desk.refusal is not None
        assert desk.refusal.message == "This is our fault: your code could not be handed in just now."
        assert desk.refusal.next_step == "The text is still in the editor. Please try again in a minute."
        assert desk.draft_problem is not None
        assert desk.draft_problem.message == "This is our fault: the draft could not be saved just now."
    assert (desk.text, database.waiting(), tutor.latest(desk.learner, SLUG)) == (text, (), None)
    assert "was not handed in: The database" in caplog.text
    assert "was not saved: The database" in caplog.text
    desk.submit(text)
    desk.save()
    seen = desk.look()
    assert seen is not None
    assert (desk.refusal, desk.draft_problem, seen.verdict) == (None, None, verdict())
