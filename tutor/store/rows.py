"""The parts that several statements about submissions share: what is read, what is free, what is one's own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import (
    ColumnElement,
    Delete,
    Row,
    Select,
    Update,
    and_,
    case,
    delete,
    func,
    select,
    update,
)

from tutor.attempts import Attempt, attempt
from tutor.errors import StoreError
from tutor.model import Answer, Status, Submission, SubmissionState, Verdict
from tutor.store.rules import KEEP_TRIALS, MARKS, ORDER, rank
from tutor.store.tables import answers, milestone_results, submissions
from tutor.trials import OUTCOME, TRIAL, Purpose

READ = tuple(submissions.c[name] for name in Submission.model_fields)
LISTED = tuple(submissions.c[name] for name in ("id", "submitted_at", "state", "hints_taken", "verdict"))
UNFINISHED = submissions.c.state.in_([SubmissionState.QUEUED, SubmissionState.RUNNING])


def own(submission_id: int, worker: str) -> Update:
    """An UPDATE that touches the submission only while ``worker`` holds it."""
    return update(submissions).where(
        submissions.c.id == submission_id,
        submissions.c.worker == worker,
        submissions.c.state == SubmissionState.RUNNING,
    )


def mine(learner_id: int, slug: str, purpose: Purpose = Purpose.CHECK) -> ColumnElement[bool]:
    """What a learner had run of an exercise, for one purpose."""
    return and_(
        submissions.c.learner_id == learner_id, submissions.c.slug == slug, submissions.c.purpose == str(purpose)
    )


def outlived(learner_id: int, slug: str, purpose: Purpose, now: datetime) -> Delete:
    """A DELETE of finished trials that a new one replaces, but for what another tab is deleting: two that wait for each other's rows never end."""
    older = submissions.c.finished_at < now - KEEP_TRIALS
    unheld = select(submissions.c.id).where(mine(learner_id, slug, purpose), older).with_for_update(skip_locked=True)
    return delete(submissions).where(submissions.c.id.in_(unheld.correlate(None)))


def reached_by(whose: ColumnElement[bool]) -> Select[Any]:
    """``learner_id``, ``slug``, ``milestone`` and what ``rules.reached`` asks for, of every milestone that had a result.

    ``best`` is the place in ``ORDER`` of the best status.

    Args:
        whose: which submissions to look at.
    """
    status, places = milestone_results.c.status, {str(status): rank(status) for status in ORDER}
    milestone = (submissions.c.learner_id, submissions.c.slug, milestone_results.c.milestone)
    return (
        select(
            *milestone,
            func.max(case(places, value=status)).label("best"),
            func.min(submissions.c.submitted_at).filter(status == Status.PASSED).label("passed_at"),
            func.min(submissions.c.hinted_at).filter(status == Status.FAILED).label("hinted_at"),
        )
        .join(submissions, submissions.c.id == milestone_results.c.submission_id)
        .where(whose)
        .group_by(*milestone)
    )


def newest_answers(learner_id: int, slug: str) -> Select[Any]:
    """A learner's newest answer to every question of an exercise; ``best`` is the place in ``MARKS`` of the best one."""
    places = {str(mark): MARKS.index(mark) for mark in MARKS}
    grouped = (
        select(func.max(answers.c.id).label("id"), func.max(case(places, value=answers.c.mark)).label("best"))
        .where(answers.c.learner_id == learner_id, answers.c.slug == slug)
        .group_by(answers.c.question)
        .subquery()
    )
    return select(answers, grouped.c.best).join(grouped, grouped.c.id == answers.c.id)


def answer_of(row: Row[Any]) -> Answer:
    """The answer in a row of ``newest_answers``."""
    best = MARKS[row.best]
    return Answer(question=row.question, text=row.answer, mark=row.mark, answered_at=row.answered_at, best=best)


def attempt_of(row: Row[Any]) -> Attempt:
    """What is told of the submission in a row of ``LISTED``. A verdict that cannot be read hides no other attempt, so it is as if there were none."""
    try:
        verdict = None if row.verdict is None else Verdict.model_validate_json(row.verdict, extra="ignore")
    except ValidationError:
        verdict = None
    return attempt(row.id, row.submitted_at, row.state, row.hints_taken, verdict)


def submission_of(row: Row[Any]) -> Submission:
    """The submission in a row of ``READ``; keys of a verdict that nobody knows here are left out.

    Raises:
        StoreError: another version of the tutor stored it in a form that this one cannot read.
    """
    values = dict(row._mapping)
    try:
        if values["verdict"] is not None:
            # Format 1 may gain keys; a verdict that a later version wrote must not lock its learner out of this one.
            values["verdict"] = Verdict.model_validate_json(values["verdict"], extra="ignore")
        for name, adapter in (("trial", TRIAL), ("outcome", OUTCOME)):
            if values[name] is not None:
                values[name] = adapter.validate_json(values[name], extra="ignore")
        return Submission.model_validate(values)
    except ValidationError as error:
        raise StoreError(
            f"Submission {values['id']} is stored in a form this version cannot read ({error.errors()[0]['msg']}). "
            "Install the version of the tutor that wrote it, or hand the code in again."
        ) from error
