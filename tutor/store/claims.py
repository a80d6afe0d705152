"""Submissions in a database as a worker sees them: claimed for a while, then finished exactly once."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import insert, update

from tutor.model import Submission, SubmissionState, Verdict
from tutor.store.rows import READ, own, submission_of
from tutor.store.rules import counting_milestones
from tutor.store.tables import milestone_results, submissions
from tutor.store.transactions import Transactions
from tutor.store.turns import FREE, WAITING, at
from tutor.trials import Outcome

EVERY = 2**31 - 1  # more checks than a learner has


class Claims(Transactions):
    """The half of a ``Store`` that workers use; see ``tutor.store.protocol`` for what each method promises."""

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        now = self._clock()
        # One conditional UPDATE: of two workers, the second finds the condition no longer true.
        take = (
            update(submissions)
            .where(submissions.c.id == submission_id, FREE)
            .values(
                state=SubmissionState.RUNNING,
                worker=worker,
                lease_until=now + timedelta(seconds=lease_seconds),
                tries=submissions.c.tries + 1,
            )
            .returning(*READ)
        )
        with self._statement("claim a submission") as connection:
            row = connection.execute(take, at(now)).one_or_none()
        return None if row is None else submission_of(row)

    def waiting(self, limit: int = 100, each: int | None = None) -> tuple[int, ...]:
        given = {**at(self._clock()), "limit": limit, "each": EVERY if each is None else each}
        with self._statement("list what waits") as connection:
            return tuple(connection.execute(WAITING, given).scalars())

    def renew(self, submission_id: int, worker: str, lease_seconds: float) -> bool:
        until = self._clock() + timedelta(seconds=lease_seconds)
        return self._changes_one(own(submission_id, worker).values(lease_until=until), "renew a claim")

    def release(self, submission_id: int, worker: str) -> bool:
        freed = own(submission_id, worker).values(state=SubmissionState.QUEUED, worker=None, lease_until=None)
        return self._changes_one(freed, "release a claim")

    def finish(self, submission_id: int, worker: str, result: Verdict | Outcome) -> bool:
        done = own(submission_id, worker).values(
            state=SubmissionState.DONE,
            finished_at=self._clock(),
            lease_until=None,
            seconds=result.seconds,
            **{"verdict" if isinstance(result, Verdict) else "outcome": result.model_dump_json()},
        )
        statuses = counting_milestones(result) if isinstance(result, Verdict) else {}
        reached = [
            {"submission_id": submission_id, "milestone": milestone, "status": status}
            for milestone, status in statuses.items()
        ]
        with self._transaction("save the result") as connection:
            saved = connection.execute(done).rowcount == 1
            if saved and reached:
                connection.execute(insert(milestone_results), reached)
        return saved
