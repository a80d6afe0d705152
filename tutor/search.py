"""Searches the fault dictionary for the smallest sets of faults that give the observed numbers.

The tape leads: of several faults together the first one in the order of the stages leaves its own value on the tape, then the next,
and so on, so that sets are found without trying all. Where no tape helps, pairs and triples are tried up to a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import torch

from tutor.circumstances import only
from tutor.faults import Fault, FaultDictionary, Faults
from tutor.near import apart, margins, rounding, same
from tutor.situations import Situation
from tutor.tape import Lookup

TOGETHER = 3
# Programs tried without a lead: about a twentieth of a second.
BUDGET = 1_500
LEADS = 6
# Rounding takes apart single rows, by a tie or a number that is rounded down and not up; a fault does so with most of them.
FEW = 64
PROBES = 3


@dataclass(frozen=True)
class Match:
    """What reproduces the numbers.

    Args:
        sets: the smallest sets of faults that do; none if there is none, and the empty set if the numbers are right.
        only: where the faults are, such as "where T_q = 1", if the numbers are right elsewhere though the faults would show there.
        shows: the situations whose numbers are wrong.
    """

    sets: tuple[Faults, ...] = ()
    only: str = ""
    shows: tuple[Situation, ...] = ()


def reproduce(dictionary: FaultDictionary, situations: Sequence[Situation]) -> Match:
    """The smallest sets of faults that reproduce every situation, or else all those whose numbers are wrong."""
    with torch.no_grad():
        return _Search(dictionary, situations).run()


class _Search:
    def __init__(self, dictionary: FaultDictionary, situations: Sequence[Situation]) -> None:
        self._dictionary = dictionary
        self._views = [_View(dictionary, situation) for situation in situations if situation.results]
        self._left = BUDGET

    def run(self) -> Match:
        wrong = [view for view in self._views if not view.reproduced(())]
        found: tuple[Faults, ...] = ((),)
        # What differs first shows the fewest faults; what only shows elsewhere, under a mask say, is added after that.
        for view in wrong:
            found = self._extend(found, view)
            if not found:
                return Match()
        everywhere = self._smallest(found, self._views, wrong)
        if everywhere:
            return Match(everywhere, shows=tuple(view.situation for view in wrong))
        return self._partly([faults for faults in found if len(faults) == 1], wrong)

    def _partly(self, found: Sequence[Faults], wrong: Sequence[_View]) -> Match:
        """One branch is right and another is not, say. Several faults and a choice of calls would explain too much."""
        sets = self._smallest(found, wrong, wrong)
        if not sets:
            return Match()
        right = [view for view in self._views if view not in wrong and not view.reproduced(sets[0])]
        wrongs, rights = (tuple(view.situation for view in views) for views in (wrong, right))
        return Match(sets, only(wrongs, rights), wrongs)

    def _smallest(self, found: Sequence[Faults], views: Sequence[_View], wrong: Sequence[_View]) -> tuple[Faults, ...]:
        """Of the sets that reproduce these views those with the fewest faults, the one that most of a tape shows first."""
        verified = [faults for faults in found if all(view.reproduced(faults) for view in views)]
        least = min((len(faults) for faults in verified), default=0)
        taped = next((view for view in wrong if view.is_taped), None)
        return tuple(
            sorted(
                (faults for faults in verified if len(faults) == least),
                key=lambda faults: -taped.stages_on_tape(faults) if taped else 0,
            )
        )

    def _extend(self, known: tuple[Faults, ...], view: _View) -> tuple[Faults, ...]:
        """Sets that reproduce this view, too; where none does, each with as few further faults as possible, or others from the start."""
        kept = tuple(faults for faults in known if view.reproduced(faults))
        if kept:
            return kept
        for starts in dict.fromkeys((known, ((),))):
            grown = {frozenset(faults): faults for start in starts for faults in self._grow(start, view)}
            if grown:
                return tuple(grown.values())
        return ()

    def _grow(self, start: Faults, view: _View) -> list[Faults]:
        sets = [start]
        for result in view.results:
            # What already gives the next result, too, is likelier than what needs one fault more.
            enough = [faults for faults in sets if view.agrees(faults, result)]
            sets = enough or [more for faults in sets[:LEADS] for more in self._settle(faults, view, result)]
        return sets

    def _settle(self, faults: Faults, view: _View, result: str) -> list[Faults]:
        """The smallest additions to ``faults`` that give one result."""
        if view.agrees(faults, result):
            return [faults]
        pool = [fault for fault in self._dictionary.faults if view.touches(faults, fault, result)]
        found = self._follow(faults, pool, view, result)
        return found if found or view.is_taped else self._try(faults, pool, view, result)

    def _follow(self, faults: Faults, pool: Sequence[Fault], view: _View, result: str) -> list[Faults]:
        """All single additions, then those of two and three that the tape leads to."""
        frontier = [faults]
        for _ in range(TOGETHER - len(faults)):
            grown = [more for known in frontier for more in _added(known, pool)]
            found = [more for more in grown if view.agrees(more, result)]
            if found:
                return found
            onward = [(view.stages_on_tape(more), more) for more in grown if view.on_tape(more)]
            # A lead goes on only if with it no less of the way lies on the tape than without.
            further = [(count, more) for count, more in onward if count >= view.stages_on_tape(more[:-1])]
            frontier = [more for _, more in sorted(further, key=lambda pair: -pair[0])][:LEADS]
        return []

    def _try(self, faults: Faults, pool: Sequence[Fault], view: _View, result: str) -> list[Faults]:
        for size in range(2, TOGETHER - len(faults) + 1):
            found = [more for more in self._together(faults, pool, size) if view.agrees(more, result)]
            if found:
                return found
        return []

    def _together(self, faults: Faults, pool: Sequence[Fault], size: int) -> Iterator[Faults]:
        for more in combinations(pool, size):
            if len({fault.trap.id for fault in (*faults, *more)}) == len(faults) + size:
                self._left -= 1
                if self._left < 0:
                    return
                yield (*faults, *more)


def _added(faults: Faults, pool: Sequence[Fault]) -> list[Faults]:
    taken = {fault.trap.id for fault in faults}
    return [(*faults, fault) for fault in pool if fault.trap.id not in taken]


class _View:
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
        if not 0 < off <= max(FEW, wanted.numel() // 2):
            return off == 0
        return same(value, wanted, margin + self._rounding(faults, value, result))

    def _rounding(self, faults: Faults, exact: torch.Tensor, result: str) -> torch.Tensor | float:
        """How far float32 is from the truth here: far where scores in the thousands are nearly equal, or a divisor nearly vanishes."""
        single = self._dictionary.values(faults, self.situation.single)[result]
        return rounding(single, exact) if isinstance(single, torch.Tensor) else 0.0


def _probe(tensor: torch.Tensor) -> Callable[[torch.Tensor], bool]:
    """A quick test of a few entries, the largest finite ones, that most wrong candidates fail; rounding spares one of them."""
    flat, margin = tensor.detach().flatten(), margins(tensor).expand_as(tensor).flatten()
    places = flat.nan_to_num(0.0, 0.0, 0.0).abs().topk(min(PROBES, flat.numel())).indices
    wanted, around = flat[places], 2 * margin[places]
    if not places.numel() or not wanted.isfinite().all():
        return lambda value: True
    return lambda value: bool(((value.flatten()[places] - wanted).abs() <= around).any())
