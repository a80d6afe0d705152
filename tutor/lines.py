"""Which line of a submission is the one to change: found on the tapes of the situations in which faults show."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tutor.evidence import Evidence
from tutor.faults import Fault, FaultDictionary, Faults
from tutor.locate import branch_of, definition_of
from tutor.near import alike, same
from tutor.situations import Situation
from tutor.tape import Alignment, Departure, leading
from tutor.traps import Trap


class Lines:
    """Finds lines on the tapes of the situations in which faults show.

    Args:
        dictionary: of the exercise.
        known: the situations in which faults show.
        elsewhere: those in which the same code does right.
        source: the submission.
        found: the same without comments and texts, and what searches it.
    """

    def __init__(
        self,
        dictionary: FaultDictionary,
        known: Sequence[Situation],
        elsewhere: Sequence[Situation],
        source: str,
        found: Evidence,
    ) -> None:
        self._dictionary, self._source, self._code, self._searches = dictionary, source, found.code, found.searches
        self._taped, self._right = ([one for one in some if one.tape] for some in (known, elsewhere))

    def of(self, fault: Fault, faults: Faults) -> int | None:
        """The line to change: where the first stage that the fault changes goes wrong on a tape, or where its trap says."""
        told = self._searches.line_of(fault.trap.line, self._code) if fault.trap.line else None
        if told is not None and fault.trap.place == "line":
            return told
        # What is missing here and there elsewhere is missing because of the branch.
        usual = self._usual(fault) if fault.trap.place == "use" else None
        if usual is not None:
            return usual
        for situation in self._taped:
            values, plain = (self._dictionary.values(one, situation) for one in (faults, ()))
            before = self._dictionary.values(tuple(one.unwrapped if one is fault else one for one in faults), situation)
            alignment = Alignment(situation, values, between=(*before.values(), *situation.given.values()))
            changed = [stage for stage in values if not alike(values[stage], plain[stage])]
            own = [stage for stage in changed if stage in fault.variant.replace]
            if not self._dictionary.matters(fault, faults, situation, own):
                continue
            right = {number for stage in values if stage not in changed for number in alignment.found.get(stage, ())}
            for stage in own:
                line = self._place(fault.trap, situation, alignment, stage, right)
                if line is not None:
                    return line
        return told or self._usual(fault)

    def further(self, faults: Faults) -> int | None:
        """The first line on which faults in numbers are seen at all, where steps stand in another order than in the reference."""
        replaced = {stage for fault in faults for stage in fault.variant.replace}
        for situation in self._taped:
            values, plain = (self._dictionary.values(one, situation) for one in (faults, ()))
            changed = [stage for stage in values if not alike(values[stage], plain[stage])]
            own = [values[stage] for stage in changed if stage in replaced]
            if own and all(isinstance(one, torch.Tensor) and one.is_floating_point() for one in own):
                alignment = Alignment(situation, values)
                line = next((line for line in map(alignment.line, changed) if line is not None), None)
                if line is not None:
                    return line
        return None

    def _usual(self, fault: Fault) -> int | None:
        """Where the code does right elsewhere what it does wrong here: the way that parts must be near."""
        for situation in self._right:
            values, plain = (self._dictionary.values(one, situation) for one in ((fault,), ()))
            alignment = Alignment(situation, plain)
            for stage in fault.variant.replace:
                line = None if alike(values[stage], plain[stage]) else alignment.line(stage)
                if line is not None:
                    return branch_of(line, self._source)
        return None

    def _place(self, trap: Trap, situation: Situation, alignment: Alignment, stage: str, right: set[int]) -> int | None:
        numbers = alignment.found.get(stage, ())
        if not numbers:
            return None
        # Of the same made twice, what leads to something right is not where it goes wrong.
        innocent = leading(situation.tape, right.difference(numbers))
        numbers = tuple(number for number in numbers if number not in innocent) or numbers
        # The same may be computed twice, and thrown away once.
        ends = {number for result in situation.results for number in alignment.found.get(result, ())}
        useful = leading(situation.tape, ends)
        number = next((number for number in numbers if number in useful), numbers[0])
        if trap.place == "result":
            number = alignment.unjoined(number)
        else:
            number = alignment.used(number) if trap.place == "use" else alignment.begins(number)
        step = situation.tape[number]
        line = step.outer if trap.place == "call" else step.line
        if trap.place == "definition" and line is not None:
            return definition_of(line, self._source) or line
        return line

    def raised(self, line: int | None) -> int | None:
        """Where what an operation choked on went wrong, for an exception on this line."""
        for situation in self._taped:
            last = len(situation.tape) - 1
            if not situation.results and situation.tape[last].line == line:
                alignment = Alignment(situation, self._dictionary.values((), situation))
                return situation.tape[alignment.begins(last)].line
        return line

    def departure(self) -> Departure | None:
        """Where the first tape leaves the reference."""
        stages = self._dictionary.stages
        for situation in self._taped:
            values = self._dictionary.values((), situation)
            wrong = [name for name, mine in situation.results.items() if not same(mine, values[name])]
            found = Alignment(situation, values).departure(stages, stages.reference, wrong)
            if found is not None:
                return found
        return None
