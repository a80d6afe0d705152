"""One submission in the store without a database: who works on it, and what several say of a milestone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tutor.model import Status, Submission, SubmissionState
from tutor.progress import Reached
from tutor.store.rules import last_lease, rank, reached


@dataclass(slots=True)
class Row:
    """A submission with its newest claim, and when the first hint on it was taken."""

    submission: Submission
    worker: str | None = None
    lease_until: datetime | None = None
    hinted_at: datetime | None = None

    def is_free(self, now: datetime) -> bool:
        if self.submission.state is SubmissionState.RUNNING:
            return self.lease_until is None or not now < self.lease_until <= last_lease(now)
        return self.submission.state is SubmissionState.QUEUED

    def belongs_to(self, worker: str) -> bool:
        return self.submission.state is SubmissionState.RUNNING and self.worker == worker

    def change(self, **values: object) -> None:
        self.submission = self.submission.model_copy(update=values)


def reached_in(results: Sequence[tuple[Status, Row]]) -> Reached:
    """What was reached in a milestone: ``results`` are its statuses in verdicts that count, each with the submission it is from."""
    passed = (row.submission.submitted_at for status, row in results if status is Status.PASSED)
    hinted = (row.hinted_at for status, row in results if status is Status.FAILED and row.hinted_at is not None)
    best = max((status for status, _ in results), key=rank)
    return reached(best, min(passed, default=None), min(hinted, default=None))
