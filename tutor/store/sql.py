"""The store behind SQLite and PostgreSQL. Every method is one short transaction that reads only, or writes first.

Writing first matters on SQLite: a transaction that has read cannot always become a writing one, however long it waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, func, insert, select, update

from tutor.attempts import Attempt
from tutor.model import Answer, Learner, Load, Mark, Status, Submission, SubmissionState
from tutor.progress import Progress, Reached
from tutor.store.claims import Claims
from tutor.store.connect import connect, plain_errors
from tutor.store.drafts import Drafts
from tutor.store.migrate import bring_up_to_date
from tutor.store.rows import (
    LISTED,
    READ,
    UNFINISHED,
    answer_of,
    attempt_of,
    mine,
    newest_answers,
    outlived,
    reached_by,
    submission_of,
)
from tutor.store.rules import LOCAL_LEARNER, ORDER, Clock, reached, utc_now
from tutor.store.tables import answers, learners, milestone_results, submissions
from tutor.store.turns import AHEAD, at
from tutor.trials import Purpose, Trial, purpose_of


def open_store(url: str, clock: Clock = utc_now) -> SqlStore:
    """Open a database and bring its tables up to date; the folder of a SQLite file is made.

    Args:
        url: SQLAlchemy URL of SQLite or PostgreSQL.
        clock: gives the time, timezone-aware UTC.

    Raises:
        StoreError: it cannot be opened, or a newer version of the tutor wrote it.
    """
    engine = connect(url)
    try:
        bring_up_to_date(engine)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine, clock)


class SqlStore(Claims, Drafts):
    """A ``Store`` in a database whose tables are up to date; see ``tutor.store.protocol`` for what each method promises."""

    # --- learners ---

    def local_learner(self) -> Learner:
        return self.learner_named(LOCAL_LEARNER)

    def learner_named(self, name: str) -> Learner:
        """The learner of that name; made on first use."""
        wanted = select(learners.c.id, learners.c.name).where(learners.c.name == name)
        with plain_errors(self._engine, "find or add the learner"):
            with self._alone.begin() as connection:
                found = connection.execute(wanted).one_or_none()
            if found is None:
                self._insert_or_lose(learners, name=name, created_at=self._clock())
                with self._alone.begin() as connection:
                    found = connection.execute(wanted).one()
        return Learner(id=found.id, name=found.name)

    # --- submissions, as a page sees them ---

    def add_submission(
        self, learner_id: int, slug: str, exercise_version: int, source: str, trial: Trial | None = None
    ) -> Submission:
        values = {
            "learner_id": learner_id,
            "slug": slug,
            "exercise_version": exercise_version,
            "source": source,
            "state": SubmissionState.QUEUED,
            "submitted_at": self._clock(),
            "tries": 0,
            "purpose": purpose_of(trial),
            "trial": trial and trial.model_dump_json(),
        }
        with self._transaction("store the submission") as connection:
            row = connection.execute(insert(submissions).values(values).returning(*READ)).one()
            if trial is not None:
                # Not before: SQLite would give the number of a row that is gone to the next one.
                connection.execute(outlived(learner_id, slug, trial.kind, self._clock()))
        return submission_of(row)

    def submission(self, submission_id: int) -> Submission | None:
        return self._one_submission(submissions.c.id == submission_id)

    def latest_submission(self, learner_id: int, slug: str, purpose: Purpose = Purpose.CHECK) -> Submission | None:
        return self._one_submission(mine(learner_id, slug, purpose))

    def history(self, learner_id: int, slug: str, limit: int, before: int | None = None) -> tuple[Attempt, ...]:
        older = mine(learner_id, slug) if before is None else and_(mine(learner_id, slug), submissions.c.id < before)
        listed = select(*LISTED).where(older).order_by(submissions.c.id.desc()).limit(limit)
        with self._statement("read the history") as connection:
            return tuple(attempt_of(row) for row in connection.execute(listed))

    def latest_passed(self, learner_id: int, slug: str) -> Submission | None:
        results = select(milestone_results.c.milestone).where(milestone_results.c.submission_id == submissions.c.id)
        others = results.where(milestone_results.c.status != Status.PASSED)
        return self._one_submission(and_(mine(learner_id, slug), results.exists(), ~others.exists()))

    def submissions_ahead(self, submission_id: int) -> int:
        given = {**at(self._clock()), "submission_id": submission_id}
        with self._statement("count the queue") as connection:
            found: int | None = connection.execute(AHEAD, given).scalar_one_or_none()
        return found or 0

    def load(self, learner_id: int, seconds: float) -> Load:
        mine = submissions.c.learner_id == learner_id
        now = self._clock()
        since = now - timedelta(seconds=seconds)
        # What ended in the future, by a clock that was set back since, is no more recent than what ended long ago.
        recent = and_(submissions.c.finished_at > since, submissions.c.finished_at <= now)
        spent = select(func.coalesce(func.sum(submissions.c.seconds), 0.0)).where(mine, recent).correlate(None)
        counts = select(func.count().filter(mine), func.count(), spent.scalar_subquery()).where(UNFINISHED)
        with self._statement("look at the queue") as connection:
            own_, all_, seconds = connection.execute(counts).one()
        return Load(mine=own_, all=all_, seconds=seconds)

    def take_hint(self, submission_id: int, seen: int) -> bool:
        as_seen = and_(submissions.c.id == submission_id, submissions.c.hints_taken == seen)
        first = {} if seen else {"hinted_at": self._clock()}
        one_more = update(submissions).where(as_seen).values(hints_taken=seen + 1, **first)
        return self._changes_one(one_more, "count the hint")

    def progress(self, learner_id: int) -> Progress:
        progress: dict[str, dict[str, Reached]] = {}
        with self._statement("read the progress") as connection:
            for row in connection.execute(reached_by(submissions.c.learner_id == learner_id)):
                one = reached(ORDER[row.best], row.passed_at, row.hinted_at)
                progress.setdefault(row.slug, {})[row.milestone] = one
        return progress

    # --- answers to learning questions ---

    def add_answer(self, learner_id: int, slug: str, question: str, text: str, mark: Mark) -> None:
        values = {"learner_id": learner_id, "slug": slug, "question": question, "answer": text, "mark": mark}
        with self._statement("store the answer") as connection:
            connection.execute(insert(answers).values(**values, answered_at=self._clock()))

    def answers(self, learner_id: int, slug: str) -> Mapping[str, Answer]:
        with self._statement("read the answers") as connection:
            return {row.question: answer_of(row) for row in connection.execute(newest_answers(learner_id, slug))}

    # --- helpers ---

    def _one_submission(self, condition: ColumnElement[bool]) -> Submission | None:
        newest = select(*READ).where(condition).order_by(submissions.c.id.desc()).limit(1)
        with self._statement("read a submission") as connection:
            row = connection.execute(newest).one_or_none()
        return None if row is None else submission_of(row)
