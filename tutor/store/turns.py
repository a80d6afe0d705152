"""The queue in a database: what is free, what is being worked on, and whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import ColumnElement, Integer, Subquery, and_, bindparam, func, or_, select

from tutor.model import SubmissionState
from tutor.store.rules import last_lease
from tutor.store.tables import UtcDateTime, submissions

# The moment that a statement is about is given when it is sent, by ``at``. The statements themselves are made once: to put one of
# this size together takes longer than a database takes to answer it.
_NOW, _LAST_LEASE = (bindparam(name, type_=UtcDateTime()) for name in ("now", "last_lease"))


def at(now: datetime) -> Mapping[str, datetime]:
    """What a statement needs that has ``FREE``, ``TAKEN`` or ``TURNS`` in it."""
    return {"now": now, "last_lease": last_lease(now)}


def _free() -> ColumnElement[bool]:
    queued = submissions.c.state == SubmissionState.QUEUED
    left_behind = or_(submissions.c.lease_until <= _NOW, submissions.c.lease_until > _LAST_LEASE)
    return or_(queued, and_(submissions.c.state == SubmissionState.RUNNING, left_behind))


def _taken() -> ColumnElement[bool]:
    holds = and_(submissions.c.lease_until > _NOW, submissions.c.lease_until <= _LAST_LEASE)
    return and_(submissions.c.state == SubmissionState.RUNNING, holds)


def _turns() -> Subquery:
    busy = (
        select(submissions.c.learner_id, func.count().label("running"))
        .where(TAKEN)
        .group_by(submissions.c.learner_id)
        .subquery()
    )
    earlier = submissions.alias()
    mine = and_(earlier.c.learner_id == submissions.c.learner_id, earlier.c.finished_at <= _NOW)
    served = select(func.max(earlier.c.finished_at)).where(mine).correlate(submissions).scalar_subquery()
    nth = func.row_number().over(partition_by=submissions.c.learner_id, order_by=submissions.c.id)
    waits = (
        select(submissions.c.id, (nth + func.coalesce(busy.c.running, 0)).label("turn"), served.label("served"))
        .outerjoin(busy, busy.c.learner_id == submissions.c.learner_id)
        .where(FREE)
        .subquery()
    )
    # Databases do not agree on whether never comes before or after any time.
    order = (waits.c.turn, waits.c.served.is_not(None), waits.c.served, waits.c.id)
    return select(waits.c.id, waits.c.turn, func.row_number().over(order_by=order).label("place")).subquery()


# Nobody works on it: queued, or claimed by somebody who fell silent.
FREE = _free()

# Somebody works on it.
TAKEN = _taken()

# ``id``, ``turn`` and ``place`` of all that is free. ``turn`` is the how-manieth of its learner it is, counting from 1 after what is being
# worked on. ``place`` is the order of all: of the same turn, whose learner was served longest ago comes first, then the oldest.
TURNS = _turns()

# Ids of what is free, in the order of their turns; with ``each`` at most so many of one learner.
WAITING = (
    select(TURNS.c.id)
    .where(TURNS.c.turn <= bindparam("each", type_=Integer()))
    .order_by(TURNS.c.place)
    .limit(bindparam("limit", type_=Integer()))
)

# How many are worked on or have their turn before one.
AHEAD = select(TURNS.c.place - 1 + select(func.count()).where(TAKEN).scalar_subquery()).where(
    TURNS.c.id == bindparam("submission_id", type_=Integer())
)
