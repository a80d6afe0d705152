"""From the tapes of one attempt to a walk along the submission's own lines: one call, the shapes that its lines left, beside the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch

from checkers.base import Seen
from tutor.diagnose import Diagnoser
from tutor.legible import as_read
from tutor.model import Assessment, Status
from tutor.near import same
from tutor.planning import Plan
from tutor.situations import Situation, situations
from tutor.stage_axes import StageAxes
from tutor.tape import Alignment, Departure
from tutor.used import used
from tutor.walk_lines import TapedLines
from tutor.walked import Departs, Left, LineMark, Walk, WalkedLine

LINES = 60
# Of what these make, only the first is on the tape.
SEVERAL = frozenset({
    "chunk", "split", "tensor_split", "hsplit", "vsplit", "dsplit", "split_with_sizes", "unbind", "__iter__",
})  # fmt: skip


def walk(
    diagnoser: Diagnoser,
    planned: Plan,
    source: str,
    seen: Seen,
    assessment: Assessment,
    *,
    known: Sequence[Situation] = (),
    reason: int | None = None,
) -> Walk | None:
    """The walk that shows most: through the case in which the first failed check fails, or else the first that has a tape.

    Args:
        diagnoser: of the exercise.
        planned: the attempt.
        source: the submission.
        seen: what it did.
        assessment: of it.
        known: its calls, where they have been worked out already.
        reason: the line that a diagnosis names.
    """
    passed = assessment.status is Status.PASSED
    found = known or _taped(diagnoser, planned, as_read(source, seen), first=passed)
    calls = [_Call(diagnoser, one) for one in found if one.tape]
    if not calls:
        return None
    cases = _cases(diagnoser, assessment)
    chosen = calls[0] if passed else min(calls, key=lambda one: (one.situation.case not in cases, not one.wrong))
    return chosen.walk(source, seen, reason)


def _taped(diagnoser: Diagnoser, planned: Plan, seen: Seen, *, first: bool) -> list[Situation]:
    """The calls that have a tape; only the first of them if ``first``."""
    cases = [case for case in planned.cases if case["name"] in seen and seen[case["name"]].tape]
    some = replace(planned, cases=tuple(cases[:1] if first else cases))
    return situations(diagnoser.exercise, some, seen, diagnoser.dictionary.stages.results, diagnoser.build)


def _cases(diagnoser: Diagnoser, assessment: Assessment) -> tuple[str, ...]:
    """Those that the first failed check looks at; the one that stopped it, if one did."""
    pairs = zip(diagnoser.exercise.milestones, assessment.milestones, strict=True)
    checks = (pair for one, outcome in pairs for pair in zip(one.checks, outcome.checks, strict=True))
    failed = next((check for check, outcome in checks if outcome.status is Status.FAILED), None)
    if failed is None:
        return ()
    return (assessment.case,) if assessment.case in failed.cases else failed.cases


class _Call:
    """One call that has a tape, beside the reference."""

    def __init__(self, diagnoser: Diagnoser, situation: Situation) -> None:
        self.situation, self._dictionary = situation, diagnoser.dictionary

    @cached_property
    def wrong(self) -> tuple[str, ...]:
        """The results that are not the reference's, or were not returned as they should be."""
        mine = self.situation.results
        results = self._dictionary.stages.results
        return tuple(name for name in results if name not in mine or not same(mine[name], self._values[name]))

    def walk(self, source: str, seen: Seen, reason: int | None) -> Walk:
        """Along the lines of the source, as far as this call went."""
        situation = self.situation
        fault = None if situation.results else seen[situation.case].fault
        last = source.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
        taped = TapedLines(situation.tape, self._values, self._alignment, self._used, self._axes, fault, last)
        lines, departure, departing = list(taped.lines()), None, None
        if self.wrong:
            departure = self._departure(() if fault else self.wrong)
            # Where the code stopped tells more than that the way there leaves the reference.
            line = departure.line if departure and departure.line and not taped.stops(departure.line) else None
            departing = _first(lines, line, reason)
            departure = departure if departing == line else None
        lines = _marked(lines, departing)
        telling = (LineMark.DEPARTS, LineMark.STOPPED)
        told = next((number for number, one in enumerate(lines) if one.mark in telling), 0)
        start = max(0, min(told - LINES // 2, len(lines) - LINES))
        return Walk(
            case=situation.case,
            sizes=self._axes.sizes,
            lines=tuple(lines[start : start + LINES]),
            agrees=not self.wrong,
            departs=self._departs(departure) if departure else None,
            operation=fault.operation.strip("_")[:40] if fault else "",
            unshown=max(0, len(lines) - LINES),
            given=self._given,
        )

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        """Stage → value of the reference."""
        return self._dictionary.values((), self.situation)

    @cached_property
    def _alignment(self) -> Alignment:
        return Alignment(self.situation, self._values, used=self._used)

    @cached_property
    def _used(self) -> frozenset[int] | None:
        return used(self.situation, self._dictionary.stages.results)

    @property
    def _given(self) -> tuple[str, ...]:
        optional = self._dictionary.stages.exercise.entry.keyword
        return tuple(name for name in optional if self.situation.given.get(name) is not None)

    @cached_property
    def _axes(self) -> StageAxes:
        return StageAxes(self._dictionary.stages, self.situation.dims, self._values)

    def _departure(self, wrong: Sequence[str]) -> Departure | None:
        """The first that has a line; one without only where the tape shows every result of every operation."""
        stages = self._dictionary.stages
        # Only floating-point numbers are looked for: a mask, say, is on no tape.
        unseen = {name for name, value in self._values.items() if not _floating(value)}
        found = list(self._alignment.departures(stages, stages.reference, wrong, unseen))
        whole = all(step.name not in SEVERAL for step in self.situation.tape)
        return next((one for one in found if one.line is not None), found[0] if found and whole else None)

    def _departs(self, departure: Departure) -> Departs | None:
        value = self._values[departure.missing]
        if not isinstance(value, torch.Tensor):
            return None
        shape = tuple(value.shape)
        wanted = Left(sizes=shape, axes=self._axes.named(shape, departure.missing), stages=(departure.missing,))
        return Departs(right=departure.right, right_line=departure.right_line, wanted=wanted)


def _floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _first(lines: Sequence[WalkedLine], departing: int | None, reason: int | None) -> int | None:
    """The line that comes first: the one that departs, or the one that a diagnosis names, unless all that it left is right."""
    known = (
        one.line for one in lines if one.line == departing or (one.line == reason and one.mark is LineMark.NEUTRAL)
    )
    return next(known, None)


def _marked(lines: Sequence[WalkedLine], departing: int | None) -> list[WalkedLine]:
    first = next((number for number, one in enumerate(lines) if one.line == departing), len(lines))
    return [one.model_copy(update={"mark": _mark(one.mark, number - first)}) for number, one in enumerate(lines)]


def _mark(own: LineMark, behind: int) -> LineMark:
    """The mark of a line that is so far behind the first that departs."""
    if own is LineMark.STOPPED or behind < 0:
        return own
    if behind == 0:
        return LineMark.DEPARTS
    return LineMark.AFTER if own is LineMark.NEUTRAL else own
