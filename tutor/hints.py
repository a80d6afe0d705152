"""Which rungs of the hint ladder a learner sees. Pure: it knows neither the store nor the page.

``Diagnosis.hints`` is flat: three rungs for each trap, in the order of ``Diagnosis.traps``. They lead from a question over the
concept and the line to the corrected expression, and the ladder goes trap by trap: a trap is finished before the next begins.
Nothing is said twice: traps that meet in one expression share the corrected one, and it comes with the last of them, since it gives away all.
A last rung that is Python as it stands is code as a whole. Elsewhere code stands between backticks, or fenced by three in a row.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from textwrap import dedent

from tutor.model import Diagnosis, Status, Verdict
from tutor.traps import wording

RUNGS = 3


@dataclass(frozen=True, slots=True)
class Rung:
    """One hint. ``number`` of ``of`` counts what is said of its trap, ``trap`` of ``traps`` says whose it is; all from 1."""

    text: str
    number: int
    of: int
    trap: int
    traps: int

    @property
    def code(self) -> str:
        """The rung as code where it is nothing else, else empty."""
        text = dedent(self.text).strip()
        if self.number < self.of or text.isalnum():
            return ""
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return ""
        return text


def height(verdict: Verdict | None) -> int:
    """How many hints there are for a verdict; none unless it failed for a known reason."""
    if verdict is None or verdict.status is not Status.FAILED or verdict.diagnosis is None:
        return 0
    return len(_ladder(verdict.diagnosis.hints))


def rungs(diagnosis: Diagnosis, taken: int) -> tuple[tuple[Rung, ...], Rung | None]:
    """The rungs that were taken, in order, and the one that comes next; None when all are taken.

    Args:
        diagnosis: whose hints are the ladder.
        taken: how many were asked for so far; more than there are means all.
    """
    ladder = _ladder(diagnosis.hints)
    taken = max(taken, 0)
    return ladder[:taken], ladder[taken] if taken < len(ladder) else None


def _ladder(hints: tuple[str, ...]) -> tuple[Rung, ...]:
    last = {wording(text): place for place, text in enumerate(hints)}
    groups = [
        [text for place, text in enumerate(hints[start : start + RUNGS], start) if last[wording(text)] == place]
        for start in range(0, len(hints), RUNGS)
    ]
    return tuple(
        Rung(text, number, len(group), trap, len(groups))
        for trap, group in enumerate(groups, start=1)
        for number, text in enumerate(group, start=1)
    )
