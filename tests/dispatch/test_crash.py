"""Real processes that are killed in the middle: nothing that was handed in is lost, nothing is judged twice."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.dispatch.child import MADE_UP
from tests.store.samples import SLUG, verdict
from tests.waiting import eventually
from tutor.dispatch.local import STOPPED, LocalDispatch
from tutor.model import SubmissionState
from tutor.store.sql import SqlStore, open_store

PROJECT = Path(__file__).resolve().parents[2]
Start = Callable[[], "subprocess.Popen[bytes]"]
UNLIMITED = resource.RLIM_INFINITY


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    made = open_store(url)
    yield made
    made.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    path.touch()
    return path


@pytest.fixture
def command(url: str, log: Path) -> list[str]:
    return [sys.executable, "-m", "tests.dispatch.child", url, str(log)]


@pytest.fixture
def start(command: list[str]) -> Iterator[Start]:
    processes: list[subprocess.Popen[bytes]] = []

    def launch() -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=PROJECT)
        processes.append(process)
        return process

    yield launch
    for process in processes:
        process.kill()
        process.communicate()


def test_a_killed_worker_loses_nothing(store: SqlStore, start: Start, log: Path) -> None:
    """After SIGKILL in the middle of a check another worker runs it again once the lease ends, and saves one verdict."""
    me = store.local_learner().id
    store.save_draft(me, SLUG, "draft")
    number = store.add_submission(me, SLUG, 1, "slow").id
    first = start()
    assert eventually(lambda: log.read_text() == f"{number}\n")
    first.kill()
    first.wait()
    killed = store.submission(number)
    assert killed is not None
    assert (killed.state, killed.tries) == (SubmissionState.RUNNING, 1)
    second = start()
    assert eventually(lambda: store.submission(number).state is SubmissionState.DONE)
    found, draft = store.submission(number), store.draft(me, SLUG)
    assert found is not None
    assert draft is not None
    assert (found.tries, found.verdict, found.source, draft.source) == (2, verdict(), "slow", "draft")
    output, _ = second.communicate(timeout=10)
    assert second.returncode == 0
    events = [json.loads(line) for line in output.splitlines()]
    assert events == [
        {"event": "ready", "device": "cpu", "proof": MADE_UP.model_dump(mode="json")},
        {"event": "done", "id": number},
    ]
    assert log.read_text() == f"{number}\n{number}\nclosed\n"


def test_sigterm_puts_unfinished_work_back_at_once(store: SqlStore, start: Start, log: Path) -> None:
    """A worker told to end releases its claim, closes its sandbox and ends with 0; bad lines on stdin do not hurt it."""
    number = store.add_submission(store.local_learner().id, SLUG, 1, "slow").id
    process = start()
    assert process.stdin is not None
    process.stdin.write(b"not a number\n\xff\n\n")
    process.stdin.flush()
    assert eventually(lambda: log.read_text() == f"{number}\n")
    process.terminate()
    assert process.wait(10) == 0
    assert store.waiting() == (number,)
    assert log.read_text() == f"{number}\nclosed\n"


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_full_disk_costs_time_and_nothing_else(store: SqlStore, start: Start, log: Path) -> None:
    """A process that may write nothing claims nothing and keeps a verdict it has; with room again each check has been made once."""
    me = store.local_learner().id
    process = start()
    assert process.stderr is not None
    running = store.add_submission(me, SLUG, 1, "gate").id
    assert eventually(lambda: log.read_text() == f"{running}\n")
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, UNLIMITED))
    waiting = store.add_submission(me, SLUG, 1, "quick").id
    log.with_suffix(".go").touch()
    refusals = {f"result of submission {running} is not saved yet", f"Submission {waiting} stays for the next sweep"}
    while refusals:
        line = process.stderr.readline().decode()
        assert line, "the process has ended"
        refusals -= {one for one in refusals if one in line and "room and quota left" in line}
    found = [store.submission(number) for number in (running, waiting)]
    assert [(one.state, one.tries, one.verdict) for one in found if one] == [
        (SubmissionState.RUNNING, 1, None),
        (SubmissionState.QUEUED, 0, None),
    ]
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (UNLIMITED, UNLIMITED))
    for number in (running, waiting):
        assert eventually(lambda number=number: store.submission(number).state is SubmissionState.DONE)
        done = store.submission(number)
        assert done is not None
        assert (done.tries, done.verdict) == (1, verdict())
    assert log.read_text() == f"{running}\n{waiting}\n"


def test_the_page_keeps_its_checker_alive(store: SqlStore, command: list[str], log: Path) -> None:
    """Rung through the local dispatch, a check is done; after SIGKILL in the next one it is restarted and finishes that too."""
    dispatch = LocalDispatch(command, cwd=PROJECT)
    try:
        assert eventually(lambda: dispatch.state().ready)
        me = store.local_learner().id
        quick = store.add_submission(me, SLUG, 1, "quick").id
        dispatch.ring(quick)
        assert dispatch.wait(quick, 0.8)
        slow = store.add_submission(me, SLUG, 1, "slow").id
        dispatch.ring(slow)
        assert eventually(lambda: f"{slow}\n" in log.read_text())
        process = dispatch._process
        assert process is not None
        process.kill()
        assert eventually(lambda: dispatch.state().problem == STOPPED)
        assert dispatch.wait(slow, 10)
        assert dispatch.state().ready
    finally:
        dispatch.close()
    assert log.read_text().endswith("closed\n")
