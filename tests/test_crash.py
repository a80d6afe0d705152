"""Killing any part in the middle of a check loses no draft and no attempt: real processes, real sandbox."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tutor.model import Status, SubmissionState
from tutor.settings import PROJECT, load_settings
from tutor.wiring import build_tutor

pytestmark = pytest.mark.sandbox

SLUG = "multi-head-attention"
PATIENCE = 60.0
SLOW = """

_forward = MultiHeadAttention.forward


def _slowly(self, *args, **kwargs):
    import time

    time.sleep(0.15)
    return _forward(self, *args, **kwargs)


MultiHeadAttention.forward = _slowly
"""

# An app of its own: hands something in, leaves a draft, then waits to be killed.
APP = """
import sys, time
from tutor.settings import load_settings
from tutor.wiring import build_tutor
tutor = build_tutor(load_settings())
learner = tutor.learner()
tutor.save_draft(learner, sys.argv[1], "typed but not handed in")
print(tutor.submit(learner, sys.argv[1], sys.stdin.read()).id, flush=True)
time.sleep(600)
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A database of its own, a short lease, one place."""
    for name, value in (("HOME", str(tmp_path)), ("LEASE_SECONDS", "1.5"), ("WORKERS", "1")):
        monkeypatch.setenv(f"TUTOR_{name}", value)
    return tmp_path


@pytest.fixture
def tutor(home):
    """The page's side with a real checker beside it."""
    made = build_tutor(load_settings())
    yield made
    made.close()


def _until(question, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        answer = question()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"did not come true in {patience} s: {question.__name__}")


def _children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _checker_pid(tutor):
    return tutor._dispatch._process.pid


def _zygote_pid(tutor):
    inside = [
        pid for pid in _children(_checker_pid(tutor)) if b"sandbox/inside" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return inside[0]


def _running(tutor, exercise):
    """Hand in something slow and wait until it is being checked."""
    learner = tutor.learner()
    _until(lambda: tutor.checker_state().ready)
    submission = tutor.submit(learner, SLUG, exercise.reference + SLOW)
    _until(lambda: tutor.submission(learner, submission.id).state is SubmissionState.RUNNING)
    time.sleep(0.3)
    assert tutor.submission(learner, submission.id).state is SubmissionState.RUNNING
    return submission.id


def _done(tutor, submission_id):
    learner = tutor.learner()
    found = _until(lambda: (s := tutor.submission(learner, submission_id)) and s.state is SubmissionState.DONE and s)
    assert found.verdict.status is Status.PASSED
    return found


def _kill_zygote(tutor):
    os.kill(_zygote_pid(tutor), signal.SIGKILL)


def _kill_workers(tutor):
    for pid in _children(_zygote_pid(tutor)):
        os.kill(pid, signal.SIGKILL)


def _kill_checker(tutor):
    os.kill(_checker_pid(tutor), signal.SIGKILL)


@pytest.mark.parametrize("kill", [_kill_zygote, _kill_workers, _kill_checker])
def test_an_attempt_survives_the_death_of_a_part(tutor, exercise, kill):
    """Whatever dies, the attempt is checked again and passes; it never counts as the student's failure, and the next passes, too."""
    submission_id = _running(tutor, exercise)
    kill(tutor)
    assert _done(tutor, submission_id).tries >= 2
    following = tutor.submit(tutor.learner(), SLUG, exercise.reference)
    assert _done(tutor, following.id).tries == 1


def test_an_attempt_and_a_draft_survive_the_death_of_the_whole_app(home, exercise):
    """After kill -9 of the app, the next start finishes what was handed in and still has what was typed."""
    app = subprocess.Popen(
        [sys.executable, "-c", APP, SLUG], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with app:
        app.stdin.write(exercise.reference + SLOW)
        app.stdin.close()
        submission_id = int(app.stdout.readline())
        time.sleep(1.0)
        app.kill()
    tutor = build_tutor(load_settings())
    try:
        assert tutor.draft(tutor.learner(), SLUG).source == "typed but not handed in"
        _done(tutor, submission_id)
    finally:
        tutor.close()
