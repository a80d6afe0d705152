"""Learners, what they hand in and what they are answered, frozen and typed.

Times are timezone-aware UTC. Sizes are in bytes, durations in seconds.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Literal

from checkers.base import Ending
from tutor.fields import Frozen
from tutor.quiz import Question
from tutor.trials import Outcome, Trial
from tutor.walked import Walk

__all__ = [
    "AfterPass", "Answer", "Assessment", "CheckOutcome", "Diagnosis", "Draft", "Ending", "ErrorReport", "Learner", "Mark", "MilestoneOutcome", "Refusal", "Status",
    "Submission", "SubmissionState", "Verdict", "source_sha256",
]  # fmt: skip


# --- people and what they hand in ----------------------------------------------------------------------------------


class Learner(Frozen):
    id: int
    name: str


class Draft(Frozen):
    """The newest text of the editor, kept so that nothing typed is lost.

    Args:
        source: the text.
        saved_at: when.
        revision: how often it was saved; who saves tells the one that was seen.
        aside: the text that was there before another was put in its place, kept within reach.
        writer: the session that saved it.
    """

    source: str
    saved_at: datetime
    revision: int = 1
    aside: str | None = None
    writer: str | None = None


class SubmissionState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Submission(Frozen):
    """One attempt, or a trial run that is none. The row is the truth; a queue message only says that it is there."""

    id: int
    learner_id: int
    slug: str
    exercise_version: int
    source: str
    state: SubmissionState
    submitted_at: datetime
    finished_at: datetime | None = None
    tries: int = 0
    verdict: Verdict | None = None
    hints_taken: int = 0
    trial: Trial | None = None
    outcome: Outcome | None = None


class Refusal(Frozen):
    """Why a text was not taken as a submission, in one plain sentence, with the line where there is one."""

    code: str
    message: str
    next_step: str = ""
    line: int | None = None


class Load(Frozen):
    """What is being asked of the checker just now, by one learner and by all.

    Args:
        mine: the learner's own submissions that are not finished.
        all: those of everybody.
        seconds: checking time the learner had in the last minute.
    """

    mine: int
    all: int
    seconds: float


# --- answers to learning questions -----------------------------------------------------------------------------------


class Mark(StrEnum):
    """How good an answer is; an open one is ``UNMARKED`` until its learner has compared it with the model answer."""

    UNMARKED = "unmarked"
    WRONG = "wrong"
    PARTLY = "partly"
    RIGHT = "right"


class Answer(Frozen):
    """The newest answer to a question, with the best mark that any answer to it had."""

    question: str
    text: str
    mark: Mark
    answered_at: datetime
    best: Mark


# --- verdicts (JSON format 1, see the contract) --------------------------------------------------------------------


class Status(StrEnum):
    """``FAILED`` is the student's, ``BROKEN`` is ours and never counts; ``NOT_RUN`` = a prerequisite failed."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    BROKEN = "broken"


class CheckOutcome(Frozen):
    id: str
    title: str
    status: Status
    message: str = ""
    expected: str = ""
    actual: str = ""
    next_step: str = ""
    code: str = ""
    line: int | None = None


class MilestoneOutcome(Frozen):
    id: str
    title: str
    status: Status
    checks: tuple[CheckOutcome, ...]


class Reason(Frozen):
    """One cause in a sentence, with the line to change where it is known."""

    says: str
    line: int | None = None


class Diagnosis(Frozen):
    """Which known faults explain a failure. It explains, it never causes one.

    ``how`` is all of it in words. ``reasons`` are its causes one by one, ``proof`` what they account for, ``skips`` the first failed
    check, "milestone/check", where none of them speaks of it.
    """

    traps: tuple[str, ...]
    how: str
    line: int | None = None
    hints: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    proof: str = ""
    skips: str = ""


class ErrorReport(Frozen):
    """An error of the student's code with what it means here."""

    type: str
    message: str
    line: int | None = None
    explanation: str = ""


class Assessment(Frozen):
    """What the judge concludes from observations alone; a verdict adds where and when. ``case`` is the one that ``error`` ended."""

    status: Literal[Status.PASSED, Status.FAILED, Status.BROKEN]
    ending: Ending
    milestones: tuple[MilestoneOutcome, ...]
    error: ErrorReport | None = None
    case: str = ""


class AfterPass(Frozen):
    """What a submission that passed is told beside that.

    Args:
        calls: how many were compared.
        from_reference: the largest difference between its numbers and the reference's, in all of them.
        from_library: the same in one call between it and the library's own layer with the same weights; None where there is none.
        question: about its own code, made from what it did.
    """

    calls: int
    from_reference: float
    from_library: float | None = None
    question: Question | None = None


class Verdict(Frozen):
    """The answer to one submission. ``seed`` replays it; ``printed`` is what the student's code printed, ``walk`` what its lines did in one call."""

    format: Literal[1] = 1
    exercise: str
    exercise_version: int
    file: str = ""
    source_sha256: str
    checker_version: str
    status: Literal[Status.PASSED, Status.FAILED, Status.BROKEN]
    ending: Ending
    milestones: tuple[MilestoneOutcome, ...]
    diagnosis: Diagnosis | None = None
    error: ErrorReport | None = None
    device: str
    isolation: tuple[str, ...]
    seconds: float = 0.0
    seed: int = 0
    printed: str = ""
    after: AfterPass | None = None
    walk: Walk | None = None


Submission.model_rebuild()


def source_sha256(source: bytes) -> str:
    """Hex digest that ties a verdict to the exact text it belongs to."""
    return hashlib.sha256(source).hexdigest()
