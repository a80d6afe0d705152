"""The store behind SQLite and PostgreSQL. Every method is one short transaction that reads only, or writes first.

Writing first matters on SQLite: a transaction that has read cannot always become a writing one, however long it waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, Engine, Table, Update, and_, case, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tutor.errors import StoreError
from tutor.model import Answer, Draft, Learner, Load, Mark, Status, Submission, SubmissionState, Verdict
from tutor.store.connect import connect, plain_errors
from tutor.store.migrate import bring_up_to_date
from tutor.store.rows import READ, UNFINISHED, answer_of, free, newest_answers, own, submission_of, taken, turns
from tutor.store.rules import LOCAL_LEARNER, ORDER, Clock, counting_milestones, rank, utc_now
from tutor.store.tables import answers, drafts, learners, milestone_results, submissions


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


class SqlStore:
    """A ``Store`` in a database whose tables are up to date; see ``tutor.store.protocol`` for what each method promises."""

    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self._engine, self._clock = engine, clock

    # --- learners and drafts ---

    def local_learner(self) -> Learner:
        return self.learner_named(LOCAL_LEARNER)

    def learner_named(self, name: str) -> Learner:
        """The learner of that name; made on first use."""
        wanted = select(learners.c.id, learners.c.name).where(learners.c.name == name)
        with plain_errors(self._engine, "find or add the learner"):
            with self._engine.begin() as connection:
                found = connection.execute(wanted).one_or_none()
            if found is None:
                self._insert_or_lose(learners, name=name, created_at=self._clock())
                with self._engine.begin() as connection:
                    found = connection.execute(wanted).one()
        return Learner(id=found.id, name=found.name)

    def save_draft(self, learner_id: int, slug: str, source: str) -> None:
        now = self._clock()
        mine = and_(drafts.c.learner_id == learner_id, drafts.c.slug == slug)
        change = update(drafts).where(mine).values(source=source, saved_at=now)
        if self._changes_one(change, "save the draft"):
            return
        with plain_errors(self._engine, "save the draft"):
            if self._insert_or_lose(drafts, learner_id=learner_id, slug=slug, source=source, saved_at=now):
                return
        if not self._changes_one(change, "save the draft"):
            raise StoreError(f"The draft was not saved: there is no learner {learner_id}. Reload the page.")

    def draft(self, learner_id: int, slug: str) -> Draft | None:
        mine = and_(drafts.c.learner_id == learner_id, drafts.c.slug == slug)
        with self._transaction("read the draft") as connection:
            row = connection.execute(select(drafts.c.source, drafts.c.saved_at).where(mine)).one_or_none()
        return None if row is None else Draft(source=row.source, saved_at=row.saved_at)

    # --- submissions, as a page sees them ---

    def add_submission(self, learner_id: int, slug: str, exercise_version: int, source: str) -> Submission:
        values = {
            "learner_id": learner_id,
            "slug": slug,
            "exercise_version": exercise_version,
            "source": source,
            "state": SubmissionState.QUEUED,
            "submitted_at": self._clock(),
            "tries": 0,
        }
        with self._transaction("store the submission") as connection:
            row = connection.execute(insert(submissions).values(values).returning(*READ)).one()
        return submission_of(row)

    def submission(self, submission_id: int) -> Submission | None:
        return self._one_submission(submissions.c.id == submission_id)

    def latest_submission(self, learner_id: int, slug: str) -> Submission | None:
        return self._one_submission(and_(submissions.c.learner_id == learner_id, submissions.c.slug == slug))

    def latest_passed(self, learner_id: int, slug: str) -> Submission | None:
        mine = and_(submissions.c.learner_id == learner_id, submissions.c.slug == slug)
        results = select(milestone_results.c.milestone).where(milestone_results.c.submission_id == submissions.c.id)
        others = results.where(milestone_results.c.status != Status.PASSED)
        return self._one_submission(and_(mine, results.exists(), ~others.exists()))

    def submissions_ahead(self, submission_id: int) -> int:
        now = self._clock()
        turn = turns(now)
        with self._transaction("count the queue") as connection:
            running = select(func.count()).where(taken(now)).scalar_subquery()
            ahead = select(turn.c.place - 1 + running).where(turn.c.id == submission_id)
            found: int | None = connection.execute(ahead).scalar_one_or_none()
        return found or 0

    def load(self, learner_id: int, seconds: float) -> Load:
        mine = submissions.c.learner_id == learner_id
        now = self._clock()
        since = now - timedelta(seconds=seconds)
        # What ended in the future, by a clock that was set back since, is no more recent than what ended long ago.
        recent = and_(submissions.c.finished_at > since, submissions.c.finished_at <= now)
        counts = select(func.count().filter(mine), func.count()).where(UNFINISHED)
        spent = select(func.coalesce(func.sum(submissions.c.seconds), 0.0)).where(mine, recent)
        with self._transaction("look at the queue") as connection:
            own_, all_ = connection.execute(counts).one()
            return Load(mine=own_, all=all_, seconds=connection.execute(spent).scalar_one())

    def take_hint(self, submission_id: int, seen: int) -> bool:
        as_seen = and_(submissions.c.id == submission_id, submissions.c.hints_taken == seen)
        return self._changes_one(update(submissions).where(as_seen).values(hints_taken=seen + 1), "count the hint")

    def best_statuses(self, learner_id: int) -> Mapping[str, Mapping[str, Status]]:
        ranks = {str(status): rank(status) for status in ORDER}
        best = func.max(case(ranks, value=milestone_results.c.status)).label("best")
        found = (
            select(submissions.c.slug, milestone_results.c.milestone, best)
            .join(submissions, submissions.c.id == milestone_results.c.submission_id)
            .where(submissions.c.learner_id == learner_id)
            .group_by(submissions.c.slug, milestone_results.c.milestone)
        )
        progress: dict[str, dict[str, Status]] = {}
        with self._transaction("read the progress") as connection:
            for row in connection.execute(found):
                progress.setdefault(row.slug, {})[row.milestone] = ORDER[row.best]
        return progress

    # --- answers to learning questions ---

    def add_answer(self, learner_id: int, slug: str, question: str, text: str, mark: Mark) -> None:
        values = {"learner_id": learner_id, "slug": slug, "question": question, "answer": text, "mark": mark}
        with self._transaction("store the answer") as connection:
            connection.execute(insert(answers).values(**values, answered_at=self._clock()))

    def answers(self, learner_id: int, slug: str) -> Mapping[str, Answer]:
        with self._transaction("read the answers") as connection:
            return {row.question: answer_of(row) for row in connection.execute(newest_answers(learner_id, slug))}

    # --- submissions, as a worker sees them ---

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        now = self._clock()
        # One conditional UPDATE: of two workers, the second finds the condition no longer true.
        take = (
            update(submissions)
            .where(submissions.c.id == submission_id, free(now))
            .values(
                state=SubmissionState.RUNNING,
                worker=worker,
                lease_until=now + timedelta(seconds=lease_seconds),
                tries=submissions.c.tries + 1,
            )
            .returning(*READ)
        )
        with self._transaction("claim a submission") as connection:
            row = connection.execute(take).one_or_none()
        return None if row is None else submission_of(row)

    def waiting(self, limit: int = 100, each: int | None = None) -> tuple[int, ...]:
        turn = turns(self._clock())
        found = select(turn.c.id).order_by(turn.c.place).limit(limit)
        if each is not None:
            found = found.where(turn.c.turn <= each)
        with self._transaction("list what waits") as connection:
            return tuple(connection.execute(found).scalars())

    def renew(self, submission_id: int, worker: str, lease_seconds: float) -> bool:
        until = self._clock() + timedelta(seconds=lease_seconds)
        return self._changes_one(own(submission_id, worker).values(lease_until=until), "renew a claim")

    def release(self, submission_id: int, worker: str) -> bool:
        freed = own(submission_id, worker).values(state=SubmissionState.QUEUED, worker=None, lease_until=None)
        return self._changes_one(freed, "release a claim")

    def finish(self, submission_id: int, worker: str, verdict: Verdict) -> bool:
        done = own(submission_id, worker).values(
            state=SubmissionState.DONE,
            finished_at=self._clock(),
            lease_until=None,
            verdict=verdict.model_dump_json(),
            seconds=verdict.seconds,
        )
        reached = [
            {"submission_id": submission_id, "milestone": milestone, "status": status}
            for milestone, status in counting_milestones(verdict).items()
        ]
        with self._transaction("save the verdict") as connection:
            saved = connection.execute(done).rowcount == 1
            if saved and reached:
                connection.execute(insert(milestone_results), reached)
        return saved

    def close(self) -> None:
        self._engine.dispose()

    # --- helpers ---

    @contextmanager
    def _transaction(self, task: str) -> Iterator[Connection]:
        with plain_errors(self._engine, task), self._engine.begin() as connection:
            yield connection

    def _changes_one(self, change: Update, task: str) -> bool:
        with self._transaction(task) as connection:
            return connection.execute(change).rowcount == 1

    def _insert_or_lose(self, table: Table, **values: object) -> bool:
        """Insert a row; False if another process was faster (or the row points nowhere)."""
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(table).values(values))
        except IntegrityError:
            return False
        return True

    def _one_submission(self, condition: ColumnElement[bool]) -> Submission | None:
        newest = select(*READ).where(condition).order_by(submissions.c.id.desc()).limit(1)
        with self._transaction("read a submission") as connection:
            row = connection.execute(newest).one_or_none()
        return None if row is None else submission_of(row)
