"""What every store agrees on: the clock, the order of statuses, which milestones of a verdict count, and what was passed with hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from tutor.model import Mark, Status, Verdict
from tutor.progress import Reached

Clock: TypeAlias = Callable[[], datetime]

LOCAL_LEARNER = "Local learner"

# A lease that ends later than that from now was given before the clock was set back: nobody would keep it up until then.
LONGEST_LEASE_SECONDS = 600.0

# Older trials are deleted when a new one of their kind is added; those of the last minutes still count for the load.
KEEP_TRIALS = timedelta(minutes=5)

# From worst to best. A status that is not listed here never counts.
ORDER = (Status.NOT_RUN, Status.FAILED, Status.PASSED)

# The same for the marks of answers.
MARKS = tuple(Mark)


def utc_now() -> datetime:
    """The time now, timezone-aware UTC. Machines that share a database must agree on it to well below one lease."""
    return datetime.now(UTC)


def last_lease(now: datetime) -> datetime:
    """The latest time at which a lease can end that was given by a clock that goes right."""
    return now + timedelta(seconds=LONGEST_LEASE_SECONDS)


def rank(status: Status) -> int:
    """Position in ``ORDER``, 0 = worst."""
    return ORDER.index(status)


def counting_milestones(verdict: Verdict) -> Mapping[str, Status]:
    """Milestone id → status, for what counts towards progress; empty when the verdict is broken."""
    if verdict.status is Status.BROKEN:
        return {}
    return {milestone.id: milestone.status for milestone in verdict.milestones if milestone.status in ORDER}


def reached(best: Status, passed_at: datetime | None, hinted_at: datetime | None) -> Reached:
    """What was reached in a milestone, from all results there are.

    Args:
        best: the best status.
        passed_at: when the first text that passed was handed in.
        hinted_at: when the first hint was taken on a check in which the milestone failed.
    """
    # What is read once the text is handed in is no help with it, be it on its way for long or checked from another tab.
    hinted = passed_at is not None and hinted_at is not None and hinted_at <= passed_at
    return Reached(status=best, passed_at=passed_at, hinted=hinted)
