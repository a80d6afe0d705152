"""One situation held against programs with known faults: which results they give, and what of them is on the tape."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch

from tutor.faults import Fault, FaultDictionary, Faults
from tutor.lookup import Lookup
from tutor.near import apart, margins, rounding, same
from tutor.situations import Situation

# Rounding takes apart single rows, by a tie or a number that is rounded down and not up; a fault does so with most of what there is. Of so
# few numbers one row may be all.
FEW_NUMBERS = 64
PROBES = 3


class View:
    """One situation with an evaluator of its own; answers are remembered."""

    def __init__(self, dictionary: FaultDictionary, situation: Situation) -> None:
        self._dictionary, self.situation = dictionary, situation
        self._evaluator = dictionary.evaluator(situation)
        self._tape = Lookup.of(situation)
        self._places = {name: dictionary.stages.names.index(name) for name in situation.results}
        self.results = sorted(self._places, key=self._places.__getitem__)
        self._probes = {name: _probe(tensor) for name, tensor in situation.results.items()}
        self._known: dict[tuple[Faults, str], list[int] | None] = {}
        self._answers: dict[tuple[int, str], bool] = {}
        self._taped: dict[int, bool] = {}

    @cached_property
    def is_taped(self) -> bool:
        """Whether the tape tells anything: where no stage of the reference is found, torch could not follow the code."""
        return bool(self.situation.tape) and self.stages_on_tape(()) > 0

    def reproduced(self, faults: Faults) -> bool:
        return all(self.agrees(faults, result) for result in self.results)

    @property
    def is_off(self) -> bool:
        """Whether a finite number is not the right one."""
        for result in self.results:
            wanted, right = self.situation.results[result], self._dictionary.values((), self.situation)[result]
            if bool((apart(right, wanted, margins(wanted)) & wanted.isfinite()).any()):
                return True
        return False

    def touches(self, faults: Faults, fault: Fault, result: str) -> bool:
        """Whether one more fault changes this result, and none of those that come before it."""
        before, after = self._numbers(faults, result), self._numbers((*faults, fault), result)
        if before is None or after is None or after[-1] == before[-1]:
            return False
        earlier = (place for place in self._places.values() if place < self._places[result])
        return all(after[place] == before[place] for place in earlier)

    def agrees(self, faults: Faults, result: str) -> bool:
        numbers = self._numbers(faults, result)
        if numbers is None:
            return False
        key = numbers[-1], result
        if key not in self._answers:
            self._answers[key] = self._same(self._evaluator.value(key[0]), faults, result)
        return self._answers[key]

    def on_tape(self, faults: Faults) -> bool:
        """Whether what the last of the faults makes of a stage, after the others, is on the tape."""
        numbers, before = self._numbers(faults, self.results[-1]), self._numbers(faults[:-1], self.results[-1])
        if not self.situation.tape or numbers is None or before is None:
            return False
        places = (place for place, _ in faults[-1].parts if place < len(numbers))
        return any(self._is_taped(numbers[place]) for place in places if numbers[place] != before[place])

    def stages_on_tape(self, faults: Faults) -> int:
        """How many stages of the program with these faults are on the tape: the more, the further they lead."""
        numbers = self._numbers(faults, self.results[-1]) or []
        return sum(self._is_taped(number) for number in numbers)

    def traces(self, faults: Faults) -> int:
        """How many values on the tape speak for these faults: stages, and what a fault wraps, which another way there would not leave."""
        numbers = set(self._numbers(faults, self.results[-1]) or ())
        # Two stages that are one value leave one trace: a fault that only uses another stage's value again leaves none of its own.
        return sum(map(self._is_taped, numbers)) + sum(self._wraps(fault, faults) for fault in faults)

    def untraced(self, faults: Faults) -> int:
        """How many values that the program with these faults makes are not on the tape: the submission may never have made them."""
        return sum(not self._is_taped(number) for number in set(self._numbers(faults, self.results[-1]) or ()))

    def _wraps(self, fault: Fault, faults: Faults) -> bool:
        """Whether what this one of the faults puts something round is on the tape as well."""
        inside = self._numbers(tuple(one.unwrapped if one is fault else one for one in faults), self.results[-1]) or []
        places = (place for place, text in fault.parts if "{}" in text and place < len(inside))
        return any(self._is_taped(inside[place]) for place in places)

    def _is_taped(self, number: int) -> bool:
        if number not in self._taped:
            value = self._evaluator.value(number)
            self._taped[number] = isinstance(value, torch.Tensor) and bool(self._tape.steps(value))
        return self._taped[number]

    def _numbers(self, faults: Faults, result: str) -> list[int] | None:
        key = faults, result
        if key not in self._known:
            program = self._dictionary.program(faults)
            self._known[key] = None if program is None else self._evaluator.values(program, self._places[result])
        return self._known[key]

    def _same(self, value: Any, faults: Faults, result: str) -> bool:
        wanted = self.situation.results[result]
        if not isinstance(value, torch.Tensor) or value.shape != wanted.shape or not self._probes[result](value):
            return False
        margin = margins(wanted)
        off = int(apart(value, wanted, margin).sum())
        if off == 0:
            return True
        if off > max(FEW_NUMBERS, wanted.numel() // 2):
            return False
        return self._same_in_single(value, wanted, margin, faults, result)

    def _same_in_single(
        self, exact: torch.Tensor, wanted: torch.Tensor, margin: torch.Tensor, faults: Faults, result: str
    ) -> bool:
        """Whether it is so as far as float32 can tell: little where scores in the thousands are nearly equal, or a divisor nearly vanishes,
        and nothing where numbers on the way are too large for it.
        """
        single = self._dictionary.values(faults, self.situation.single)[result]
        if not isinstance(single, torch.Tensor):
            return same(exact, wanted, margin)
        lost = ~(wanted.isfinite() | single.isfinite())
        return same(torch.where(lost, wanted.to(exact.dtype), exact), wanted, margin + rounding(single, exact))


def _probe(tensor: torch.Tensor) -> Callable[[torch.Tensor], bool]:
    """A quick test of a few entries, the largest finite ones of their rows, that most wrong candidates fail; rounding spares one of them."""
    flat, margin = tensor.detach().flatten(), margins(tensor).expand_as(tensor).flatten()
    sizes = flat.nan_to_num(0.0, 0.0, 0.0).abs()
    # Rounding takes whole rows apart, so no two of one row where there are enough.
    rows = sizes.view(-1, tensor.shape[-1]) if tensor.dim() and tensor.numel() else sizes.view(-1, 1)
    if len(rows) >= PROBES:
        sizes = torch.where(rows == rows.amax(-1, keepdim=True), rows, -1).flatten()
    places = sizes.topk(min(PROBES, flat.numel())).indices
    wanted, around = flat[places], 2 * margin[places]
    if not places.numel() or not wanted.isfinite().all():
        return lambda value: True
    return lambda value: bool(((value.flatten()[places] - wanted).abs() <= around).any())
