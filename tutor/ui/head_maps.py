"""What there is to say about the map of a head: cell by cell, and in words. Knows no Streamlit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tutor.content import Exercise
from tutor.model import Status, Verdict
from tutor.trials import VISIBLE, Grid, HeadMap


@dataclass(frozen=True)
class Cell:
    """One weight: of which word, on which word; None is a number that is not finite. ``hidden`` says that nobody may look there."""

    row: int
    column: int
    weight: float | None
    hidden: bool

    @property
    def leaks(self) -> bool:
        """It gives weight to a word that is hidden."""
        return self.hidden and (self.weight is None or abs(self.weight) > VISIBLE)


def cells(grid: Grid, *, causal: bool) -> list[Cell]:
    """All cells, row by row."""
    _, columns = grid.shape
    places = (divmod(place, columns) for place in range(len(grid.values)))
    return [
        Cell(row, column, weight, hidden=causal and column > row)
        for (row, column), weight in zip(places, grid.values, strict=True)
    ]


def apart(head: HeadMap) -> int:
    """In how many cells the learner's map differs from the reference's."""
    mine = head.mine.values if head.mine else ()
    return sum(not _same(one, other) for one, other in zip(mine, head.wanted.values, strict=False))


def leaks(head: HeadMap, *, causal: bool) -> int:
    """How many cells of the learner's map leak."""
    return sum(cell.leaks for cell in cells(head.mine, causal=causal)) if head.mine else 0


def mask_failed(exercise: Exercise, verdict: Verdict) -> bool:
    """Whether a check failed all of whose cases hide words: those that are given the input that the lens gives on request."""
    inputs = exercise.lens.inputs if exercise.lens is not None else {}
    masks = {name for name, kind in inputs.items() if kind == "causal"}
    hiding = {case.name for case in exercise.cases if masks & set(case.inputs)}
    looked_at = {(one.id, check.id): set(check.cases) for one in exercise.milestones for check in one.checks}
    failed = (
        looked_at.get((one.id, check.id), set())
        for one in verdict.milestones
        for check in one.checks
        if check.status is Status.FAILED
    )
    return any(cases and cases <= hiding for cases in failed)


def numbered(words: Sequence[str]) -> list[str]:
    """The words with their places, so that a word that comes twice can be told from itself: ``1 the``."""
    return [f"{number} {word}" for number, word in enumerate(words, start=1)]


def in_words(grid: Grid, words: Sequence[str], asked: Sequence[str]) -> str:
    """At which words each word looks most: ``1 the → 1 the; 2 cat → 1 the``."""
    rows, columns = numbered(words), numbered(asked)
    return "; ".join(f"{row} → {_most(weights, columns)}" for row, weights in zip(rows, _rows(grid), strict=True))


def _most(weights: Sequence[float | None], columns: Sequence[str]) -> str:
    known = [weight for weight in weights if weight is not None]
    if len(known) < len(weights):
        return "no number"
    there = [place for place, weight in enumerate(known) if weight > max(known) - VISIBLE]
    if len(there) == len(columns):
        return "all alike"
    if len(there) > 2 and there == list(range(len(there))) and max(known) < 1 / 2:
        return f"the first {len(there)} alike"
    return " and ".join(columns[place] for place in there)


def _rows(grid: Grid) -> Iterator[tuple[float | None, ...]]:
    _, columns = grid.shape
    for start in range(0, len(grid.values), columns):
        yield grid.values[start : start + columns]


def _same(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and math.isclose(one, other, rel_tol=0, abs_tol=VISIBLE)
