"""Lays the tape of a submission beside the stages of a program: which stages appear on it, and where it leaves them.

Alignment is by value. A stage counts as found in any layout of the same numbers: axes in another order, neighbouring axes merged or
cut, but not axes that hold other numbers than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import torch

from checkers.base import Step
from tutor.lookup import Lookup
from tutor.situations import Situation
from tutor.stages import Program, Stages

JOINS = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"})


@dataclass(frozen=True)
class Departure:
    """Where a submission leaves the right way.

    ``right`` is the last stage that is right before it, with its line; ``missing`` the stage that never appears; ``line`` that of
    the first operation that departs. Each may be unknown.
    """

    right: str | None
    right_line: int | None
    missing: str
    line: int | None


class Alignment:
    """One tape beside the values of one program.

    Args:
        situation: with the tape of the submission.
        values: stage → value, in the order of the stages.
        between: further values that are on the way.
        used: the operations that lead to what was returned: no other one gives a stage. None where that is not known.
    """

    def __init__(
        self,
        situation: Situation,
        values: Mapping[str, Any],
        between: Iterable[Any] = (),
        used: Set[int] | None = None,
    ) -> None:
        self._tape = tape = situation.tape
        lookup = Lookup.of(situation)
        self._between = {place for value in between if isinstance(value, torch.Tensor) for place in lookup.steps(value)}
        tensors = {stage: value for stage, value in values.items() if isinstance(value, torch.Tensor)}
        self._used, self._shapes = used, {stage: tuple(value.shape) for stage, value in tensors.items()}
        found = {stage: lookup.steps(value) for stage, value in tensors.items()}
        # Heads laid side by side are the tensor they were cut from: what is one stage as it stands is no other one in disguise.
        exact = {
            stage: {number for number in numbers if _shape(tape[number]) == tuple(tensors[stage].shape)}
            for stage, numbers in found.items()
        }
        taken = set().union(*exact.values())
        self.seen = {
            stage: tuple(number for number in numbers if number in exact[stage] or number not in taken)
            for stage, numbers in found.items()
        }
        self.found = {
            stage: tuple(number for number in numbers if used is None or number in used)
            for stage, numbers in self.seen.items()
        }

    def line(self, stage: str) -> int | None:
        """The line of the first operation that gives this stage."""
        lines = (self._tape[number].line for number in self.found.get(stage, ()))
        return next((line for line in lines if line is not None), None)

    def departure(self, stages: Stages, program: Program, wrong: Sequence[str] = ()) -> Departure | None:
        """The first stage that never appears and nothing behind it either; None where nothing is missing or nothing is known.

        Args:
            stages: of the reference.
            program: whose values these are.
            wrong: results that were not returned as they should be.
        """
        return next(self.departures(stages, program, wrong), None)

    def departures(
        self, stages: Stages, program: Program, wrong: Sequence[str] = (), unseen: Set[str] = frozenset()
    ) -> Iterator[Departure]:
        """Every such stage that builds on none of the others, in order.

        Args are those of ``departure``, and ``unseen``: stages that no tape shows, so that they are not called missing.
        """
        uses = {
            stage: frozenset(stages.names[place] for place in expression.uses)
            for stage, expression in zip(stages.names, program, strict=True)
        }
        present = {stage for stage, numbers in self.found.items() if numbers}
        if not present:
            return
        missing = [stage for stage in uses if stage not in unseen and not _reached(stage, uses, present)]
        for stage in missing:
            if uses[stage].isdisjoint(missing):
                yield self._departure(stage, stages, program, uses)
        behind = None if missing else self._behind(wrong)
        if behind is not None:
            yield behind

    def _departure(
        self, missing: str, stages: Stages, program: Program, uses: Mapping[str, frozenset[str]]
    ) -> Departure:
        present = {stage for stage, numbers in self.found.items() if numbers}
        before = {number for stage in uses[missing] for number in self.found.get(stage, ())}
        right = max(uses[missing] & present, key=lambda stage: self.found[stage][-1], default=None)
        # Without a mask, say, two stages are one value: the first name is the one to tell.
        right = next((stage for stage in uses if right and self.found.get(stage) == self.found[right]), None)
        given = program[stages.names.index(missing)].others
        return Departure(right, self.line(right) if right else None, missing, self._leaves(before | given, missing))

    def _behind(self, wrong: Sequence[str]) -> Departure | None:
        """All stages are there, so what departs comes after a result."""
        for result in wrong:
            line = self._leaves(set(self.found.get(result, ())), result)
            if line is not None:
                return Departure(result, self.line(result), result, line)
        return None

    def begins(self, number: int) -> int:
        """The first operation of those that lead to this one and are not on the way themselves: where it goes wrong."""
        explained = self._between.union(*self.found.values()) - {number}
        known = {number}
        for place in range(number, -1, -1):
            if place in known:
                sources = (source for source in self._tape[place].takes if isinstance(source, int))
                known.update(source for source in sources if source not in explained)
        return min(place for place in known if self._tape[place].line is not None or place == number)

    def unjoined(self, number: int) -> int:
        """The operation whose result this is, where it only lays side by side what others made: heads, one by one."""
        while self._tape[number].name in JOINS:
            number = next((source for source in self._tape[number].takes if isinstance(source, int)), number)
        return number

    def used(self, number: int) -> int:
        """The first operation that takes the result of this one; this one where none does."""
        return next((place for place, step in enumerate(self._tape) if number in step.takes), number)

    def _leaves(self, before: Set[int | str], missing: str) -> int | None:
        """The line of the first operation that takes a right value and leads to none.

        What nothing uses counts only if it has the shape of what is missing: it was to be that. Anything else was only looked at.
        """
        useful = leading(self._tape, {number for numbers in self.found.values() for number in numbers})
        steps = ((number, step) for number, step in enumerate(self._tape) if number not in useful)
        wanted = (
            step
            for number, step in steps
            if self._used is None or number in self._used or _shape(step) == self._shapes.get(missing)
        )
        lines = (step.line for step in wanted if before & set(step.takes))
        return next((line for line in lines if line is not None), None)


def leading(tape: Sequence[Step], numbers: Set[int]) -> set[int]:
    """These steps and all that lead to one of them."""
    known = set(numbers)
    for number in range(len(tape) - 1, -1, -1):
        if number in known:
            known.update(source for source in tape[number].takes if isinstance(source, int))
    return known


def _shape(step: Step) -> tuple[int, ...]:
    return () if step.value is None else tuple(step.value.shape)


def _reached(stage: str, uses: Mapping[str, frozenset[str]], present: set[str]) -> bool:
    """Whether a stage appears, or one that builds on it: then it was passed in another form."""
    if stage in present:
        return True
    return any(_reached(other, uses, present) for other, names in uses.items() if stage in names)
