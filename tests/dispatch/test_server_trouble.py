"""The worker and the page on a server that dies and comes back: nothing is lost, nothing is checked twice, nobody is blamed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.dispatch.helpers import add, make_worker, passes, read, running
from tests.postgres import Postgres
from tests.store.samples import SLUG, verdict
from tests.store.trouble import WatchedStore, watched
from tests.ui.fakes import exercise
from tests.waiting import eventually
from tutor.catalog import Catalog
from tutor.dispatch.inline import InlineDispatch
from tutor.dispatch.local import LocalDispatch
from tutor.intake import Limits
from tutor.model import Submission, SubmissionState, Verdict
from tutor.service import Tutor
from tutor.store.sql import open_store
from tutor.ui.desk import Desk

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def database(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedStore]:
    """A database on a server, and a worker that tries again soon."""
    monkeypatch.setattr("tutor.worker.FIRST_PAUSE", 0.01)
    monkeypatch.setattr("tutor.worker.LONGEST_PAUSE", 0.05)
    store = watched(open_store(postgresql_url))
    yield store
    store.close()


@contextmanager
def away(server: Postgres) -> Iterator[None]:
    """The server dies as if its machine had, and comes back."""
    server.crash()
    try:
        yield
    finally:
        server.start()


@pytest.mark.usefixtures("quick_sweeps")
def test_the_worker_outlives_the_server(postgres: Postgres, database: WatchedStore) -> None:
    """A verdict made meanwhile is offered until it is taken, its lease costs nothing, and the queue goes on by itself."""
    started, go_on = threading.Event(), threading.Event()
    runs: list[int] = []
    done: list[int] = []

    def check(submission: Submission) -> Verdict:
        runs.append(submission.id)
        started.set()
        assert go_on.wait(10)
        return verdict()

    number = add(database)
    with running(make_worker(database, check, done, lease=0.3)):
        assert started.wait(10)
        with away(postgres):
            assert eventually(lambda: database.refused["renew"] > 1)
            go_on.set()
            assert eventually(lambda: database.refused["finish"] > 3)
        assert eventually(lambda: done == [number])
        following = add(database)
        assert eventually(lambda: done == [number, following])
    found = read(database, number)
    assert (found.state, found.tries, found.verdict, runs) == (SubmissionState.DONE, 1, verdict(), [number, following])


def test_a_checking_process_waits_for_the_server_and_outlives_it(
    postgres: Postgres, postgresql_url: str, tmp_path: Path
) -> None:
    """Started while the server is away, it says why it cannot work, and works soon after; then the same process stays through the next time."""
    log = tmp_path / "log"
    log.touch()
    store = open_store(postgresql_url)
    me = store.local_learner().id
    number = store.add_submission(me, SLUG, 1, "gate").id
    with away(postgres):
        dispatch = LocalDispatch([sys.executable, "-m", "tests.dispatch.child", postgresql_url, str(log)], cwd=PROJECT)
        assert eventually(lambda: "Check that the database runs" in (dispatch.state().problem or ""))
        assert "s3cret" not in (dispatch.state().problem or "")
    try:
        assert eventually(lambda: log.read_text() == f"{number}\n")
        process = dispatch._process
        with away(postgres):
            log.with_suffix(".go").touch()
        assert dispatch.wait(number, 15)
        assert dispatch._process is process
    finally:
        dispatch.close()
    found = read(store, number)
    assert (found.tries, found.verdict) == (1, verdict())
    assert log.read_text() == f"{number}\nclosed\n"
    store.close()


def test_handing_in_says_that_it_could_not_be_kept_and_whose_fault_it_is(
    postgres: Postgres, database: WatchedStore, caplog: pytest.LogCaptureFixture
) -> None:
    """One sentence on the page, the reason in the log without the password; the same click works when the server is back."""
    worker = make_worker(database, passes)
    tutor = Tutor(Catalog((exercise(),), ()), database, InlineDispatch(worker.handle), Limits())
    desk = Desk.open(tutor, tutor.learner(), exercise())
    with away(postgres):
        desk.submit("x = 1")
        assert desk.look() is None
        assert desk.refusal is not None
        assert desk.refusal.message == "This is our fault: your code could not be handed in just now."
        assert desk.draft_problem is not None
        assert desk.unread
    assert "was not handed in: The database" in caplog.text
    assert "s3cret" not in caplog.text
    desk.submit("x = 1")
    desk.save()
    seen = desk.look()
    assert seen is not None
    assert (desk.refusal, desk.draft_problem, seen.verdict) == (None, None, verdict())


def test_a_command_ends_in_a_sentence(postgres: Postgres, postgresql_url: str) -> None:
    """On the command line, too: what is wrong with the database, and no traceback."""
    with away(postgres):
        done = subprocess.run(
            [sys.executable, "-m", "tutor", "worker"],
            env={"PATH": "/usr/bin:/bin", "TUTOR_DATABASE_URL": postgresql_url, "COLUMNS": "200"},
            cwd=PROJECT, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
        )  # fmt: skip
    told = (done.stdout + done.stderr).decode()
    assert done.returncode == 3
    assert "Check that the database runs" in told
    assert "Traceback" not in told
    assert "s3cret" not in told
