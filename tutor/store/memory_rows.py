"""One submission in the store without a database, and who works on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tutor.model import Submission, SubmissionState
from tutor.store.rules import last_lease


@dataclass(slots=True)
class Row:
    """A submission with its newest claim."""

    submission: Submission
    worker: str | None = None
    lease_until: datetime | None = None

    def is_free(self, now: datetime) -> bool:
        if self.submission.state is SubmissionState.RUNNING:
            return self.lease_until is None or not now < self.lease_until <= last_lease(now)
        return self.submission.state is SubmissionState.QUEUED

    def belongs_to(self, worker: str) -> bool:
        return self.submission.state is SubmissionState.RUNNING and self.worker == worker

    def change(self, **values: object) -> None:
        self.submission = self.submission.model_copy(update=values)
