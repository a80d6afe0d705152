"""A store without a database, for tests and for trying things. Everything is gone when the process ends."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice

from tutor.attempts import Attempt, attempt
from tutor.errors import StoreError
from tutor.model import Answer, Draft, Learner, Load, Mark, Status, Submission, SubmissionState, Verdict
from tutor.progress import Progress
from tutor.store.memory_rows import Row, reached_in
from tutor.store.rules import KEEP_TRIALS, LOCAL_LEARNER, MARKS, Clock, counting_milestones, utc_now
from tutor.trials import Outcome, Purpose, Trial, purpose_of

NEVER = datetime.min.replace(tzinfo=UTC)


class MemoryStore:
    """A ``Store`` in one process, safe for threads; it passes the same tests as the database."""

    def __init__(self, clock: Clock = utc_now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._learners: dict[str, Learner] = {}
        self._drafts: dict[tuple[int, str], Draft] = {}
        self._rows: dict[int, Row] = {}
        self._added = 0
        self._answers: dict[tuple[int, str, str], Answer] = {}

    def local_learner(self) -> Learner:
        return self.learner_named(LOCAL_LEARNER)

    def learner_named(self, name: str) -> Learner:
        """The learner of that name; made on first use."""
        with self._lock:
            return self._learners.setdefault(name, Learner(id=len(self._learners) + 1, name=name))

    def save_draft(
        self,
        learner_id: int,
        slug: str,
        source: str,
        base: int | None = None,
        *,
        aside: str | None = None,
        writer: str | None = None,
    ) -> Draft | None:
        with self._lock:
            self._require(learner_id)
            stored = self._drafts.get((learner_id, slug))
            if stored is not None and base not in {None, stored.revision}:
                return None
            revision = (stored.revision if stored is not None else base or 0) + 1
            saved = Draft(source=source, saved_at=self._clock(), revision=revision, aside=aside, writer=writer)
            self._drafts[learner_id, slug] = saved
            return saved

    def draft(self, learner_id: int, slug: str) -> Draft | None:
        with self._lock:
            return self._drafts.get((learner_id, slug))

    def add_submission(
        self, learner_id: int, slug: str, exercise_version: int, source: str, trial: Trial | None = None
    ) -> Submission:
        with self._lock:
            self._require(learner_id)
            self._added += 1
            if trial is not None:
                self._forget(learner_id, slug, trial.kind)
            submission = Submission(
                id=self._added,
                learner_id=learner_id,
                slug=slug,
                exercise_version=exercise_version,
                source=source,
                state=SubmissionState.QUEUED,
                submitted_at=self._clock(),
                trial=trial,
            )
            self._rows[submission.id] = Row(submission)
            return submission

    def submission(self, submission_id: int) -> Submission | None:
        with self._lock:
            row = self._rows.get(submission_id)
            return None if row is None else row.submission

    def latest_submission(self, learner_id: int, slug: str, purpose: Purpose = Purpose.CHECK) -> Submission | None:
        with self._lock:
            return next(self._mine(learner_id, slug, purpose), None)

    def history(self, learner_id: int, slug: str, limit: int, before: int | None = None) -> tuple[Attempt, ...]:
        with self._lock:
            mine = self._mine(learner_id, slug, Purpose.CHECK)
            older = (one for one in mine if before is None or one.id < before)
            return tuple(
                attempt(one.id, one.submitted_at, one.state, one.hints_taken, one.verdict)
                for one in islice(older, limit)
            )

    def latest_passed(self, learner_id: int, slug: str) -> Submission | None:
        with self._lock:
            mine = self._mine(learner_id, slug, Purpose.CHECK)
            return next((one for one in mine if one.verdict and one.verdict.status is Status.PASSED), None)

    def submissions_ahead(self, submission_id: int) -> int:
        with self._lock:
            now = self._clock()
            order = [number for _, number in self._turns(now)]
            busy = sum(self._is_taken(row, now) for row in self._rows.values())
            return order.index(submission_id) + busy if submission_id in order else 0

    def load(self, learner_id: int, seconds: float) -> Load:
        with self._lock:
            unfinished = [row.submission for row in self._rows.values() if row.submission.state != SubmissionState.DONE]
            now = self._clock()
            since = now - timedelta(seconds=seconds)
            mine = [row.submission for row in self._rows.values() if row.submission.learner_id == learner_id]
            recent = [
                one.verdict or one.outcome
                for one in mine
                if one.finished_at is not None and since < one.finished_at <= now
            ]
            return Load(
                mine=sum(one.learner_id == learner_id for one in unfinished),
                all=len(unfinished),
                seconds=sum(result.seconds for result in recent if result is not None),
            )

    def take_hint(self, submission_id: int, seen: int) -> bool:
        with self._lock:
            row = self._rows.get(submission_id)
            if row is None or row.submission.hints_taken != seen:
                return False
            row.hinted_at = row.hinted_at or self._clock()
            row.change(hints_taken=seen + 1)
            return True

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        with self._lock:
            now, row = self._clock(), self._rows.get(submission_id)
            if row is None or not row.is_free(now):
                return None
            row.worker, row.lease_until = worker, now + timedelta(seconds=lease_seconds)
            row.change(state=SubmissionState.RUNNING, tries=row.submission.tries + 1)
            return row.submission

    def waiting(self, limit: int = 100, each: int | None = None) -> tuple[int, ...]:
        with self._lock:
            order = self._turns(self._clock())
            return tuple(number for turn, number in order if each is None or turn <= each)[:limit]

    def renew(self, submission_id: int, worker: str, lease_seconds: float) -> bool:
        with self._lock:
            row = self._own(submission_id, worker)
            if row is not None:
                row.lease_until = self._clock() + timedelta(seconds=lease_seconds)
            return row is not None

    def release(self, submission_id: int, worker: str) -> bool:
        with self._lock:
            row = self._own(submission_id, worker)
            if row is not None:
                row.worker = row.lease_until = None
                row.change(state=SubmissionState.QUEUED)
            return row is not None

    def finish(self, submission_id: int, worker: str, result: Verdict | Outcome) -> bool:
        with self._lock:
            row = self._own(submission_id, worker)
            if row is not None:
                what = {"verdict" if isinstance(result, Verdict) else "outcome": result}
                row.change(state=SubmissionState.DONE, finished_at=self._clock(), **what)
            return row is not None

    def progress(self, learner_id: int) -> Progress:
        results: dict[str, dict[str, list[tuple[Status, Row]]]] = {}
        with self._lock:
            for row in self._rows.values():
                one = row.submission
                if one.learner_id == learner_id and one.verdict is not None:
                    for milestone, status in counting_milestones(one.verdict).items():
                        results.setdefault(one.slug, {}).setdefault(milestone, []).append((status, row))
            return {slug: {name: reached_in(of) for name, of in found.items()} for slug, found in results.items()}

    def add_answer(self, learner_id: int, slug: str, question: str, text: str, mark: Mark) -> None:
        with self._lock:
            self._require(learner_id)
            earlier = self._answers.get((learner_id, slug, question))
            best = mark if earlier is None else max(earlier.best, mark, key=MARKS.index)
            now = self._clock()
            self._answers[learner_id, slug, question] = Answer(
                question=question, text=text, mark=mark, answered_at=now, best=best
            )

    def answers(self, learner_id: int, slug: str) -> Mapping[str, Answer]:
        with self._lock:
            return {
                name: one for (whose, where, name), one in self._answers.items() if (whose, where) == (learner_id, slug)
            }

    def close(self) -> None:
        """Nothing to close."""

    def _mine(self, learner_id: int, slug: str, purpose: Purpose) -> Iterator[Submission]:
        """What the learner had run of the exercise for one purpose, the newest first."""
        for row in reversed(self._rows.values()):
            one = row.submission
            if (one.learner_id, one.slug, purpose_of(one.trial)) == (learner_id, slug, purpose):
                yield one

    def _forget(self, learner_id: int, slug: str, purpose: Purpose) -> None:
        oldest = self._clock() - KEEP_TRIALS
        for one in list(self._mine(learner_id, slug, purpose)):
            if one.finished_at is not None and one.finished_at < oldest:
                del self._rows[one.id]

    def _turns(self, now: datetime) -> list[tuple[int, int]]:
        """Turn and id of all that is free, in their order."""
        counts = Counter(row.submission.learner_id for row in self._rows.values() if self._is_taken(row, now))
        served: dict[int, datetime] = {}
        for one in (row.submission for row in self._rows.values()):
            if one.finished_at is not None and one.finished_at <= now:
                served[one.learner_id] = max(one.finished_at, served.get(one.learner_id, one.finished_at))
        found = []
        for number, row in self._rows.items():
            if row.is_free(now):
                learner_id = row.submission.learner_id
                counts[learner_id] += 1
                found.append((counts[learner_id], served.get(learner_id, NEVER), number))
        return [(turn, number) for turn, _, number in sorted(found)]

    @staticmethod
    def _is_taken(row: Row, now: datetime) -> bool:
        return row.submission.state is SubmissionState.RUNNING and not row.is_free(now)

    def _own(self, submission_id: int, worker: str) -> Row | None:
        row = self._rows.get(submission_id)
        return row if row is not None and row.belongs_to(worker) else None

    def _require(self, learner_id: int) -> None:
        if all(learner.id != learner_id for learner in self._learners.values()):
            raise StoreError(f"There is no learner {learner_id}, so nothing was stored. Reload the page.")
