"""Finds values on the tape of a submission, in any layout of the same numbers: axes in another order, neighbouring axes merged or cut."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, permutations

import torch

from checkers.base import Step
from tutor.near import margins, same
from tutor.situations import Situation

AXES = 4
# Of values laid beside one tape, layout by layout; six hundred are the most that code which is meant as an answer has needed.
COMPARISONS = 1_200
# A score below this is hidden: -inf, -1e9 and -1e4 are written for the same thing.
HIDDEN = -5e3


class Lookup:
    """Finds values on a tape."""

    def __init__(self, tape: Sequence[Step]) -> None:
        self._tape = tape
        self._known: dict[int, tuple[torch.Tensor, tuple[int, ...]]] = {}
        self._left = COMPARISONS

    @staticmethod
    def of(situation: Situation) -> Lookup:
        """The one lookup of a situation, which remembers what it found."""
        made: Lookup = situation.memory.setdefault("lookup", Lookup(situation.tape))
        return made

    @cached_property
    def _sums(self) -> list[tuple[int, float, float] | None]:
        return [_sums(step.value) for step in self._tape]

    def steps(self, value: torch.Tensor) -> tuple[int, ...]:
        """The numbers of the steps whose result is this value, in any layout."""
        known = self._known.get(id(value))
        if known is None:
            # The value is kept, since its id is only its own as long as it lives.
            known = self._known[id(value)] = value, self._find(value)
        return known[1]

    def _find(self, value: torch.Tensor) -> tuple[int, ...]:
        sums = _sums(value)
        if sums is None:
            return ()
        value = _hidden(value)
        margin = margins(value).expand_as(value)
        return tuple(
            number
            for number, step in enumerate(self._tape)
            if _close(self._sums[number], sums) and self._same_numbers(step.value, value, margin)
        )

    def _same_numbers(self, mine: torch.Tensor | None, wanted: torch.Tensor, margin: torch.Tensor) -> bool:
        if mine is None or wanted.dim() > AXES:
            return False
        flat = _hidden(mine.flatten())
        for order in permutations(range(wanted.dim())):
            shape = tuple(wanted.shape[axis] for axis in order)
            if self._left > 0 and _compatible(shape, tuple(mine.shape)):
                self._left -= 1
                turned, around = (one.permute(order).flatten() for one in (wanted, margin))
                if same(flat, turned, around):
                    return True
        return False


def _sums(value: torch.Tensor | None) -> tuple[int, float, float] | None:
    """What no layout changes: a quick test before numbers are compared one by one."""
    if value is None or not value.is_floating_point():
        return None
    finite = _hidden(value.double()).nan_to_num(0.0, 0.0, 0.0)
    return value.numel(), float(finite.sum()), float(finite.abs().sum())


def _close(mine: tuple[int, float, float] | None, wanted: tuple[int, float, float] | None) -> bool:
    if mine is None or wanted is None or mine[0] != wanted[0]:
        return False
    margin = 1e-3 + 1e-4 * wanted[2]
    return abs(mine[1] - wanted[1]) <= margin and abs(mine[2] - wanted[2]) <= margin


def _hidden(value: torch.Tensor) -> torch.Tensor:
    return torch.where(value < HIDDEN, -torch.inf, value)


def _compatible(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one shape only cuts or merges neighbouring axes of the other."""
    first, second = set(accumulate(one, operator.mul)), set(accumulate(other, operator.mul))
    return first <= second or second <= first
