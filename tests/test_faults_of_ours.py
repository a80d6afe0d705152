"""Faults of ours made to happen around the real sandbox: a check ends as broken or is run again, and never as the student's failure."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.store.samples import SLUG
from tests.waiting import eventually
from tutor import checking
from tutor.catalog import Catalog
from tutor.checking import Checker
from tutor.content import Exercise
from tutor.dispatch.inline import InlineDispatch
from tutor.engine import SubmissionChecking, open_checker
from tutor.intake import Limits
from tutor.model import Status, Submission, SubmissionState, Verdict
from tutor.sandbox import launcher
from tutor.service import Tutor
from tutor.settings import Settings
from tutor.store.memory import MemoryStore
from tutor.ui.words import BROKEN
from tutor.worker import TRIES, Worker

pytestmark = pytest.mark.sandbox

STUCK = "\n\nwhile True:\n    pass\n"

# A zygote that is told by signals when there is no memory for a fork.
SHORT_OF_MEMORY = """
import errno, os, runpy, signal

fork, short = os.fork, []

def fork_or_refuse():
    if short:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    return fork()

os.fork = fork_or_refuse
signal.signal(signal.SIGUSR1, lambda *_: short.append(True))
signal.signal(signal.SIGUSR2, lambda *_: short.clear())
runpy.run_path({inside!r}, run_name="__main__")
"""


class Place:
    """A real checker under a worker loop of which each turn is seen, and a store in memory."""

    def __init__(self, checker: Checker, catalog: Catalog) -> None:
        self.checker, self.catalog, self.store = checker, catalog, MemoryStore()
        subject = SubmissionChecking(checker, catalog)
        self.worker = Worker(
            self.store, subject.check, subject.broken, name="w", concurrency=1, lease_seconds=60, on_done=lambda _: None
        )
        self.tutor = Tutor(catalog, self.store, InlineDispatch(lambda _: None), Limits(learner_seconds=600))

    def settled(self, source: str) -> tuple[Submission, Verdict]:
        """Hand in, and let the worker try until there is a verdict."""
        made = self.tutor.submit(self.tutor.learner(), SLUG, source)
        assert isinstance(made, Submission)
        while True:
            self.worker.handle(made.id)
            found = self.store.submission(made.id)
            assert found is not None
            if found.state is SubmissionState.DONE:
                assert found.verdict is not None
                return found, found.verdict


@pytest.fixture(scope="module")
def patient(catalog: Catalog) -> Iterator[Checker]:
    """A checker with limits so long that what is stuck is ended by the fault and by nothing else."""
    checker = open_checker(Settings(workers=1, case_seconds=60, check_seconds=120), catalog)
    yield checker
    checker.close()


@pytest.fixture
def place(patient: Checker, catalog: Catalog) -> Place:
    return Place(patient, catalog)


def _app(open_tutor) -> None:
    from tutor.ui.app import main  # noqa: PLC0415  the function's text alone is run

    main(open_tutor)


def page(tutor: Tutor) -> str:
    """What the page of the exercise says."""
    app = AppTest.from_function(_app, args=(lambda: tutor,), default_timeout=20)
    app.query_params["exercise"] = SLUG
    app.run()
    assert not app.exception
    return "\n".join(str(element.value) for kind in (app.subheader, app.text, app.markdown) for element in kind)


def is_ours(place: Place, verdict: Verdict) -> bool:
    """Nothing in the verdict is held against the student, and the page says whose fault it was."""
    assert verdict.status is Status.BROKEN
    assert {one.status for one in verdict.milestones} == {Status.BROKEN}
    assert verdict.error is not None
    assert "our fault, not yours" in verdict.error.explanation
    assert place.tutor.progress(place.tutor.learner()) == {}
    said = page(place.tutor)
    return "This check did not work" in said and BROKEN in said


def kill_worker(checker: Checker, pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def kill_zygote(checker: Checker, pid: int) -> None:
    zygote = checker._pool.zygote_pid
    assert zygote is not None
    os.kill(zygote, signal.SIGKILL)


@pytest.mark.parametrize("kill", [kill_worker, kill_zygote])
def test_what_is_killed_at_every_try_ends_as_broken(
    place: Place, exercise: Exercise, kill: Callable[[Checker, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in the middle of each try, a check is given up as ours; the next one passes."""
    pool = place.checker._pool
    take = pool._take

    def take_and_kill_soon() -> object:
        taken = take()
        threading.Timer(0.2, kill, (place.checker, taken.pid)).start()
        return taken

    with monkeypatch.context() as deadly:
        deadly.setattr(pool, "_take", take_and_kill_soon)
        submission, verdict = place.settled(exercise.reference + STUCK)
    assert submission.tries == TRIES
    assert is_ours(place, verdict)
    assert place.settled(exercise.reference)[1].status is Status.PASSED


def test_a_check_during_which_memory_runs_out_is_run_again(
    place: Place, exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there is no memory to judge once, the second try has the verdict, which is right."""
    assess = checking.assess

    def out_of_memory_once(*given: object) -> object:
        monkeypatch.setattr(checking, "assess", assess)
        return bytearray(1 << 62)

    monkeypatch.setattr(checking, "assess", out_of_memory_once)
    submission, verdict = place.settled(exercise.reference)
    assert (submission.tries, verdict.status) == (2, Status.PASSED)


@pytest.mark.parametrize("part", ["plan", "observations", "assess"])
def test_a_checker_without_memory_is_never_the_students_failure(
    place: Place, exercise: Exercise, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever part of the checking finds no memory at every try, the check ends as broken; the next one passes."""
    with monkeypatch.context() as short:
        short.setattr(checking, part, lambda *_: bytearray(1 << 62))
        submission, verdict = place.settled(exercise.reference)
    assert submission.tries == TRIES
    assert is_ours(place, verdict)
    assert place.settled(exercise.reference)[1].status is Status.PASSED


def test_a_zygote_that_cannot_fork_is_ours(
    catalog: Catalog, exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the system has no memory for a process, checks end as broken and say so; with memory again the next one passes."""
    (tmp_path / "__main__.py").write_text(SHORT_OF_MEMORY.format(inside=str(launcher.INSIDE / "__main__.py")))
    monkeypatch.setattr(launcher, "INSIDE", tmp_path)
    checker = open_checker(Settings(workers=1, case_seconds=60, check_seconds=120), catalog)
    try:
        place, pool = Place(checker, catalog), checker._pool
        assert eventually(lambda: len(pool._idle) == 1)
        zygote = pool.zygote_pid
        assert zygote is not None
        os.kill(zygote, signal.SIGUSR1)
        # The worker that waits already needs no fork.
        assert place.settled(exercise.reference)[1].status is Status.PASSED
        place = Place(checker, catalog)
        submission, verdict = place.settled(exercise.reference)
        assert submission.tries == TRIES
        assert verdict.error is not None
        assert "Cannot allocate memory" in verdict.error.message
        assert is_ours(place, verdict)
        os.kill(zygote, signal.SIGUSR2)
        assert eventually(lambda: len(pool._idle) == 1, 60)
        assert place.settled(exercise.reference)[1].status is Status.PASSED
        assert pool.zygote_pid == zygote
    finally:
        checker.close()
