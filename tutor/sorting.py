"""Replies to answers of several parts: steps put in order, things sorted into buckets, a column filled."""

from __future__ import annotations

import random

from tutor.answers import Unclear, read, same
from tutor.model import Mark
from tutor.quiz import Buckets, Order, Row, Table
from tutor.replies import Given, Reply, clear, meant, seen


def shuffled(question: Order) -> tuple[int, ...]:
    """The order in which the steps are offered: the same every time, and never the right one."""
    order = list(range(len(question.steps)))
    random.Random(question.id).shuffle(order)  # noqa: S311  nothing secret
    return tuple(order if order != sorted(order) else reversed(order))


def named(question: Table, row: Row) -> str:
    """A row by what is given in it; where that is several things, each with the name of its column."""
    if len(row.given) == 1:
        return row.given[0]
    return " · ".join(f"{name} {cell}" for name, cell in zip(question.head, row.given, strict=False))


def mark_order(question: Order, given: Given) -> Reply:
    """``given`` is the place of each step, from 1."""
    places = [str(place) for place in range(1, len(given) + 1)]
    for step, place in zip(question.steps, given, strict=True):
        if place not in places:
            return Reply(None, f"“{step}” has no place yet. Give every step a place from 1 to {len(given)}.")
    for place in places:
        if given.count(place) > 1:
            return Reply(
                None, f"Place {place} is taken {given.count(place)} times. Give every step a place of its own."
            )
    held = next((n for n, place in enumerate(places) if given[n] != place), len(given))
    if held == len(given):
        return Reply(Mark.RIGHT, f"Yes, in this order. {question.why}")
    begins = {0: "", 1: "Place 1 is right. ", 2: "Places 1 and 2 are right. "}.get(
        held, f"Places 1 to {held} are right. "
    )
    stands = question.steps[given.index(places[held])]
    return Reply(
        Mark.WRONG,
        f"{begins}On place {held + 1} you have “{stands}”, which does not come there. {question.think}",
    )


def mark_buckets(question: Buckets, given: Given) -> Reply:
    """``given`` is the bucket of each item."""
    pairs = list(zip(question.items, given, strict=True))
    for item, bucket in pairs:
        if bucket not in question.buckets:
            return Reply(None, f"“{item.text}” is in no bucket yet. Put every line into one.")
    wrong = [item for item, bucket in pairs if item.bucket != bucket]
    right = len(given) - len(wrong)
    head = (
        f"{right} of {len(given)} are where they belong. Look again:" if wrong else f"Yes, all {right}. {question.why}"
    )
    said = [f"“{item.text}”: {item.says}" for item in wrong or question.items]
    return Reply(Mark.WRONG if wrong else Mark.RIGHT, "\n\n".join([head, *said]))


def mark_table(question: Table, given: Given) -> Reply:
    """``given`` is the last cell of each row."""
    wrong = []
    for row, text in zip(question.rows, given, strict=True):
        found = clear(question.of, text, row.answer)
        if isinstance(found, Unclear):
            return Reply(None, f"{named(question, row)}: {found.why}")
        if not same(found, read(question.of, row.answer)):
            wrong.append(
                f"{named(question, row)}: {seen(found, text)} {meant(question.of, found, row.foreseen)}".strip()
            )
    if not wrong:
        return Reply(Mark.RIGHT, f"Yes, all {len(given)} rows. {question.why}")
    right = len(given) - len(wrong)
    head = f"{right} of {len(given)} rows are right. Look again:"
    return Reply(Mark.WRONG, "\n\n".join([head, *wrong, question.think]))
