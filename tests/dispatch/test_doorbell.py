"""The process around a worker, called in place: what it says when it cannot start, and that it closes what it opened."""

from __future__ import annotations

import io
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.dispatch.child import MADE_UP, MadeUpChecking
from tests.store.samples import SLUG, verdict
from tutor.doorbell import DIED, ENDED, REFUSED, serve_doorbell
from tutor.errors import StoreError, WallMissing
from tutor.model import Submission, Verdict
from tutor.store.memory import MemoryStore
from tutor.store.protocol import Store
from tutor.walls import Proof, Wall
from tutor.worker import Checking

NO_PROOF = Proof().model_dump(mode="json")


class ClosingStore(MemoryStore):
    closed = False

    def close(self) -> None:
        self.closed = True


class QuietChecking(MadeUpChecking):
    closed = False

    def check(self, submission: Submission) -> Verdict:
        return verdict()

    def close(self) -> None:
        self.closed = True


class PatientBells(io.BytesIO):
    """Ends only after a submission was said to be done, as a page would that waits for its verdict."""

    def __init__(self, lines: bytes, events: io.BytesIO) -> None:
        super().__init__(lines)
        self._events = events

    def __next__(self) -> bytes:
        line = self.readline()
        deadline = time.monotonic() + 5
        while not line and b"done" not in self._events.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not line:
            raise StopIteration
        return line


def serve(
    open_store: Callable[[], Store], open_checking: Callable[[], Checking], bells: bytes = b""
) -> tuple[int, list[object]]:
    events = io.BytesIO()
    code = serve_doorbell(
        open_store, open_checking, concurrency=1, lease_seconds=9, bells=PatientBells(bells, events), events=events
    )
    return code, [json.loads(line) for line in events.getvalue().splitlines()]


def test_a_wall_that_does_not_hold_is_told_with_all_the_others() -> None:
    """The page can show what is missing, and why, although nothing is run."""
    found = Proof(walls=(Wall(id="seccomp", on=False, detail="not there"),), holes=("fork (succeeded)",))

    def open_checking() -> Checking:
        raise WallMissing("It does not hold.", found)

    _, events = serve(ClosingStore, open_checking)
    assert events == [{"event": "refused", "problem": "It does not hold.", "proof": found.model_dump(mode="json")}]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (WallMissing("No wall here. Run doctor."), "No wall here. Run doctor."),
        (RuntimeError("odd"), "The checker could not start (RuntimeError). The terminal of the app shows the reason."),
    ],
)
def test_a_sandbox_that_cannot_be_built_is_a_refusal(error: Exception, says: str) -> None:
    """Whatever stops the sandbox from being built is one event with a sentence, exit code 3, and a closed store."""
    store = ClosingStore()

    def open_checking() -> Checking:
        raise error

    assert serve(lambda: store, open_checking) == (REFUSED, [{"event": "refused", "problem": says, "proof": NO_PROOF}])
    assert store.closed


def test_a_database_that_cannot_be_opened_is_a_refusal() -> None:
    """A store error at start reaches the page as the sentence it is, and no sandbox is built."""

    def open_store() -> Store:
        raise StoreError("The file is not a database.")

    def open_checking() -> Checking:
        raise AssertionError

    code, events = serve(open_store, open_checking)
    assert (code, events) == (
        REFUSED,
        [{"event": "refused", "problem": "The file is not a database.", "proof": NO_PROOF}],
    )


def test_it_works_until_its_input_ends_and_closes_everything() -> None:
    """Ready comes first, done follows, and the end of the input closes sandbox and store and restores the signals."""
    store, checking = ClosingStore(), QuietChecking(Path("unused"))
    number = store.add_submission(store.local_learner().id, SLUG, 1, "x").id
    before = signal.getsignal(signal.SIGTERM)
    code, events = serve(lambda: store, lambda: checking, b"%d\n" % number)
    assert code == ENDED
    assert events == [
        {"event": "ready", "device": "cpu", "proof": MADE_UP.model_dump(mode="json")},
        {"event": "done", "id": number},
    ]
    assert (store.closed, checking.closed) == (True, True)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.usefixtures("quick_sweeps")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("part", ["_work_off", "_keep_claims", "sweep"])
def test_a_process_whose_threads_died_ends(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listening without checking would never be noticed: it closes everything and ends with 1, although its input is still open."""
    store, checking = ClosingStore(), QuietChecking(Path("unused"))

    def die(*_: object) -> None:
        raise SystemExit if part == "_work_off" else MemoryError

    monkeypatch.setattr(f"tutor.worker.Worker.{part}", die)
    read, write = os.pipe()
    with os.fdopen(read, "rb") as bells, os.fdopen(write, "wb"):
        code = serve_doorbell(
            lambda: store, lambda: checking, concurrency=1, lease_seconds=9, bells=bells, events=io.BytesIO()
        )
    assert (code, store.closed, checking.closed) == (DIED, True, True)
