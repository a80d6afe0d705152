"""What is told of an attempt in a list of them: what came of it and why, without its text."""

from __future__ import annotations

from datetime import datetime

from tutor.fields import Frozen
from tutor.model import Status, SubmissionState, Verdict


class Attempt(Frozen):
    """One attempt at an exercise, looked back on.

    Args:
        id: of the submission, which has the text.
        submitted_at: when it was handed in.
        state: queued, running or done.
        status: what came of it; None while nothing has, or where it cannot be read.
        passed: so many milestones passed.
        total: of so many.
        traps: the known faults that explain the failure.
        how: what they do, in a sentence or two.
        first: title of the first check that failed.
        seconds: what the check took.
        hints_taken: so many hints were read.
    """

    id: int
    submitted_at: datetime
    state: SubmissionState
    status: Status | None = None
    passed: int = 0
    total: int = 0
    traps: tuple[str, ...] = ()
    how: str = ""
    first: str = ""
    seconds: float = 0.0
    hints_taken: int = 0


def attempt(
    number: int, submitted_at: datetime, state: SubmissionState, hints_taken: int, verdict: Verdict | None
) -> Attempt:
    """What is told of a submission, from its verdict where it has one."""
    if verdict is None:
        return Attempt(id=number, submitted_at=submitted_at, state=state, hints_taken=hints_taken)
    checks = [check for milestone in verdict.milestones for check in milestone.checks]
    why = verdict.diagnosis
    return Attempt(
        id=number,
        submitted_at=submitted_at,
        state=state,
        status=verdict.status,
        passed=sum(one.status is Status.PASSED for one in verdict.milestones),
        total=len(verdict.milestones),
        traps=why.traps if why else (),
        how=why.how if why else "",
        first=next((check.title for check in checks if check.status is Status.FAILED), ""),
        seconds=verdict.seconds,
        hints_taken=hints_taken,
    )
