"""Searches the fault dictionary for the smallest sets of faults that give the observed numbers.

The tape leads: of several faults together the first one in the order of the stages leaves its own value on the tape, then the next,
and so on, so that sets are found without trying all. Where no tape helps, pairs and triples are tried up to a budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch

from tutor.circumstances import only
from tutor.faults import Fault, FaultDictionary, Faults
from tutor.situations import Situation
from tutor.view import View

TOGETHER = 3
# Programs tried without a lead, about a twentieth of a second; and all that are tried, where two thousand are the most that code which is
# meant as an answer has needed.
BUDGET, BUDGET_IN_ALL = 1_500, 8_000
LEADS = 6


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
        self._views = [View(dictionary, situation) for situation in situations if situation.results]
        self._left, self._left_in_all = BUDGET, BUDGET_IN_ALL

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

    def _partly(self, found: Sequence[Faults], wrong: Sequence[View]) -> Match:
        """One branch is right and another is not, say. Several faults and a choice of calls would explain too much.

        Nor is it an explanation that NaN stands where a fault would give NaN, too: whatever overflows there does so.
        """
        sets = self._smallest(found, wrong, wrong) if any(view.is_off for view in wrong) else ()
        if not sets:
            return Match()
        right = [view for view in self._views if view not in wrong and not any(view.reproduced(one) for one in sets)]
        wrongs, rights = (tuple(view.situation for view in views) for views in (wrong, right))
        return Match(sets, only(wrongs, rights), wrongs)

    def _smallest(self, found: Sequence[Faults], views: Sequence[View], wrong: Sequence[View]) -> tuple[Faults, ...]:
        """Of the sets that reproduce these views those with the fewest faults.

        First comes the one that most of a tape shows; of equals the one that changes the fewest stages, then the one that needs the least
        that the tape does not show.
        """
        verified = [faults for faults in found if all(view.reproduced(faults) for view in views)]
        least = min((len(faults) for faults in verified), default=0)
        taped = next((view for view in wrong if view.is_taped), None)
        return tuple(
            sorted(
                (faults for faults in verified if len(faults) == least),
                key=lambda faults: (
                    -taped.traces(faults) if taped else 0,
                    sum(len(fault.parts) for fault in faults),
                    taped.untraced(faults) if taped else 0,
                ),
            )
        )

    def _extend(self, known: tuple[Faults, ...], view: View) -> tuple[Faults, ...]:
        """Sets that reproduce this view, too; where none does, each with as few further faults as possible, or others from the start."""
        kept = tuple(faults for faults in known if view.reproduced(faults))
        if kept:
            return kept
        for starts in dict.fromkeys((known, ((),))):
            grown = {frozenset(faults): faults for start in starts for faults in self._grow(start, view)}
            if grown:
                return tuple(grown.values())
        return ()

    def _grow(self, start: Faults, view: View) -> list[Faults]:
        sets = [start]
        for result in view.results:
            # What already gives the next result, too, is likelier than what needs one fault more.
            enough = [faults for faults in sets if view.agrees(faults, result)]
            sets = enough or [more for faults in sets[:LEADS] for more in self._settle(faults, view, result)]
        return sets

    def _settle(self, faults: Faults, view: View, result: str) -> list[Faults]:
        """The smallest additions to ``faults`` that give one result."""
        if view.agrees(faults, result):
            return [faults]
        if self._left_in_all < 0:
            return []
        self._left_in_all -= len(self._dictionary.faults)
        pool = [fault for fault in self._dictionary.faults if view.touches(faults, fault, result)]
        found = self._follow(faults, pool, view, result)
        return found if found or view.is_taped else self._try(faults, pool, view, result)

    def _follow(self, faults: Faults, pool: Sequence[Fault], view: View, result: str) -> list[Faults]:
        """All single additions, then those of two and three that the tape leads to."""
        frontier = [faults]
        for _ in range(TOGETHER - len(faults)):
            grown = [more for known in frontier for more in _added(known, pool)][: max(0, self._left_in_all)]
            self._left_in_all -= len(grown)
            found = [more for more in grown if view.agrees(more, result)]
            if found:
                return found
            onward = [(view.stages_on_tape(more), more) for more in grown if view.on_tape(more)]
            # A lead goes on only if with it no less of the way lies on the tape than without.
            further = [(count, more) for count, more in onward if count >= view.stages_on_tape(more[:-1])]
            frontier = [more for _, more in sorted(further, key=lambda pair: -pair[0])][:LEADS]
        return []

    def _try(self, faults: Faults, pool: Sequence[Fault], view: View, result: str) -> list[Faults]:
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
