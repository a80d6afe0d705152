"""How far a learner has come, all attempts together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from tutor.fields import Frozen
from tutor.model import Status


class Reached(Frozen):
    """What a learner reached in one milestone.

    Args:
        status: the best there ever was.
        passed_at: when the first text that passed it was handed in; None while none has.
        hinted: before that, a hint was taken on a check in which it had failed. Nothing that comes later changes it.
    """

    status: Status
    passed_at: datetime | None = None
    hinted: bool = False

    @property
    def passed(self) -> bool:
        return self.status is Status.PASSED


Progress: TypeAlias = Mapping[str, Mapping[str, Reached]]
"""Slug → milestone id → what was reached; milestones that never had a result are not in it."""
