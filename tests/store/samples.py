"""Verdicts and clocks that the tests of stores and workers share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from tutor.model import CheckOutcome, Ending, MilestoneOutcome, Status, Verdict
from tutor.progress import Progress
from tutor.store.memory import MemoryStore
from tutor.store.protocol import Store
from tutor.store.sql import SqlStore

SLUG = "multi-head-attention"

AnyStore = MemoryStore | SqlStore


def verdict(
    milestones: Mapping[str, Status] | None = None,
    status: Literal[Status.PASSED, Status.FAILED, Status.BROKEN] = Status.PASSED,
    printed: str = "",
) -> Verdict:
    """A small but complete verdict."""
    reached = {"skeleton": Status.PASSED} if milestones is None else milestones
    return Verdict(
        exercise=SLUG,
        exercise_version=1,
        source_sha256="0" * 64,
        checker_version="test",
        status=status,
        ending=Ending.RETURNED,
        milestones=tuple(
            MilestoneOutcome(
                id=name,
                title=f"{name} holds.",
                status=one,
                checks=(CheckOutcome(id="a", title="√dₖ scales the scores.", status=one),),
            )
            for name, one in reached.items()
        ),
        device="cpu",
        isolation=("none",),
        seconds=0.01,
        seed=7,
        printed=printed,
    )


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def queue_one(store: Store, source: str = "x = 1") -> int:
    return store.add_submission(store.local_learner().id, SLUG, 1, source).id


def statuses(progress: Progress) -> dict[str, dict[str, Status]]:
    """Slug → milestone → the best status, and nothing of when or how."""
    return {slug: {name: one.status for name, one in found.items()} for slug, found in progress.items()}


def url(file: Path) -> str:
    """The address of a SQLite file."""
    return f"sqlite:///{file}"


def serve_next(store: Store, clock: ManualClock) -> int:
    """Check what has its turn, which takes a second; gives its id."""
    number = store.waiting()[0]
    assert store.submissions_ahead(number) == 0
    store.claim(number, "a", 60)
    clock.advance(1)
    assert store.finish(number, "a", verdict())
    return number
