"""Finds the one reading of the answer that a submission has, so that all its cases are held against the same one.

It is the reading whose numbers the submission gives in most of the cases with a tape. Where it gives none, its tape tells: the reading
of which most stages are on it, the same way round if possible. If that leaves several, a known fault that explains
the numbers decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch

from checkers.base import Seen
from tutor.content import Exercise
from tutor.diagnose import Diagnoser
from tutor.faults import Fault, FaultDictionary
from tutor.lookup import Lookup
from tutor.near import same
from tutor.planning import Plan
from tutor.readings import Reading, readings
from tutor.situations import Build, Situation, situations
from tutor.stages import Evaluator
from tutor.view import View

# Scores with keys as rows are on a tape the other way round for as many stages as lead from them to the weights.
CLOSE = 3
# Trials that are held against all known faults, one by one; each takes a few hundredths of a second.
MOST = 6


class Reader:
    """Reads submissions for one exercise.

    Args:
        exercise: of whose answer there may be several right readings.
        dictionary: its stages and known faults.
        build: the reference's class, or None where the reference is a function.
    """

    def __init__(self, exercise: Exercise, dictionary: FaultDictionary, build: Build | None) -> None:
        self._exercise, self._dictionary, self._build = exercise, dictionary, build
        self._readings = readings(exercise)

    @classmethod
    def of(cls, diagnoser: Diagnoser) -> Reader:
        """The reader that knows the same faults."""
        return cls(diagnoser.exercise, diagnoser.dictionary, diagnoser.build)

    def read(self, planned: Plan, seen: Seen) -> tuple[Plan, Seen]:
        """The attempt and what was observed, both as the reference would read them."""
        if not self._readings:
            return planned, seen
        chosen = self._chosen(planned, seen)
        if chosen is self._readings[0]:
            return planned, seen
        return chosen.plan(self._exercise, planned), chosen.seen(self._exercise, seen)

    def _chosen(self, planned: Plan, seen: Seen) -> Reading:
        known = list(self._known(planned, seen))
        if not known:
            return self._readings[0]
        trials = [_Trial(reading, known, self._dictionary) for reading in self._readings]
        with torch.no_grad():
            right = next((trial for trial in trials if trial.everywhere()), None)
            return (right or _likeliest(trials)).reading

    def _known(self, planned: Plan, seen: Seen) -> Iterator[_Known]:
        """The first call of every case with a tape, as far as it came."""
        role = self._readings[0].role
        cases = {case["name"]: case for case in planned.cases if case["tape"]}
        some = replace(planned, cases=tuple(cases.values()))
        for situation in situations(self._exercise, some, seen, self._dictionary.stages.results, self._build):
            if situation.call == 0:
                weight = planned.tensors[cases[situation.case]["weights"][role]]
                yield _Known(situation, weight.double(), situation.given["self"].get_parameter(f"{role}.weight"))


@dataclass(frozen=True)
class _Known:
    """One situation, the weight that was given in it, and the parameter of the reference that takes it."""

    situation: Situation
    weight: torch.Tensor
    parameter: torch.Tensor


class _Trial:
    """One reading held against what was observed."""

    def __init__(self, reading: Reading, known: Sequence[_Known], dictionary: FaultDictionary) -> None:
        self.reading, self._known, self._dictionary = reading, known, dictionary
        self._values: dict[int, dict[str, Any]] = {}

    def everywhere(self) -> bool:
        return all(self._agrees(number) for number in range(len(self._known)))

    @cached_property
    def agreeing(self) -> int:
        """How many cases have its numbers."""
        return sum(self._agrees(number) for number in range(len(self._known)))

    def on_tape(self, number: int) -> list[bool]:
        """For each stage that is on a tape, whether it is the same way round there; what is not cut yet tells nothing."""
        situation, found = self._known[number].situation, []
        lookup, uncut = Lookup.of(situation), self._uncut(number)
        for place, value in enumerate(self._of(number).values()):
            if isinstance(value, torch.Tensor) and place not in uncut:
                steps = [situation.tape[step].value for step in lookup.steps(value)]
                found += [any(_equal(step, value) for step in steps)] if steps else []
        return found

    def on_tapes(self, numbers: Iterable[int]) -> tuple[int, int]:
        """How many stages are on these tapes, those that are the same way round counted twice; and how many of these there are."""
        found = [same_way for number in numbers for same_way in self.on_tape(number)]
        return len(found) + sum(found), sum(found)

    @cached_property
    def speaks(self) -> tuple[int, int, int]:
        """How much tells for it, what counts most first: numbers, then the first tape."""
        return self.agreeing, *self.on_tapes([0])

    @cached_property
    def speaks_elsewhere(self) -> tuple[int, int]:
        """The same of all other tapes."""
        return self.on_tapes(range(1, len(self._known)))

    def explained(self, *, early: bool) -> bool:
        """Whether one known fault gives the numbers of the first case that are wrong.

        Args:
            early: look only at faults in what is made of the projection before anything else is made of that.
        """
        wrong = (number for number, one in enumerate(self._known) if one.situation.results and not self._agrees(number))
        number = next(wrong, None)
        if number is None:
            return False
        self._turn(self._known[number])
        view = View(self._dictionary, replace(self._known[number].situation, tape=(), memory={}))
        faults, uncut = self._dictionary.faults, self._uncut(number)
        return any(view.reproduced((fault,)) for fault in faults if not early or self._is_early(fault, uncut))

    def _is_early(self, fault: Fault, uncut: set[int]) -> bool:
        program = self._dictionary.program((fault,)) or ()
        return any(uncut.issuperset(program[place].uses) for place, _ in fault.parts)

    def _uncut(self, number: int) -> set[int]:
        """The places of the stages whose last axis is as long as the weight has rows."""
        width = len(self._known[number].weight)
        values = enumerate(self._of(number).values())
        return {place for place, value in values if isinstance(value, torch.Tensor) and value.shape[-1:] == (width,)}

    def _agrees(self, number: int) -> bool:
        mine, values = self._known[number].situation.results, self._of(number)
        return bool(mine) and all(_equal(tensor, values[name]) for name, tensor in mine.items())

    def _of(self, number: int) -> dict[str, Any]:
        """The value of every stage of the reference in this reading."""
        if number not in self._values:
            self._turn(self._known[number])
            stages = self._dictionary.stages
            evaluator = Evaluator(stages, self._known[number].situation.given)
            self._values[number] = evaluator.by_name(stages.reference)
        return self._values[number]

    def _turn(self, known: _Known) -> None:
        """Give the reference the weight as it is read in this reading."""
        known.parameter.copy_(known.weight[self.reading.rows(known.situation.dims)])


def _likeliest(trials: Sequence[_Trial]) -> _Trial:
    """The one that speaks clearest; among those close behind it, the first whose numbers a known fault explains."""
    ordered = sorted(_worthwhile(trials), key=lambda trial: trial.speaks, reverse=True)
    best = ordered[0].speaks
    near = [trial for trial in ordered if trial.speaks[0] == best[0] and trial.speaks[1] >= best[1] - CLOSE]
    if len(near) == 1:
        return near[0]
    if near[1].speaks == best:
        near.sort(key=lambda trial: (trial.speaks, trial.speaks_elsewhere), reverse=True)
    # Where not even the first cut is on a tape, it is there that something is wrong.
    early = not any(best)
    return next((trial for trial in near[: None if early else MOST] if trial.explained(early=early)), near[0])


def _worthwhile(trials: Sequence[_Trial]) -> list[_Trial]:
    """Those with the layout of which most is on the first tape, whatever the order, and those that have numbers of their own."""
    layouts = {trial.reading.layout: trial for trial in reversed(trials)}
    counts = {layout: len(trial.on_tape(0)) for layout, trial in layouts.items()}
    return [trial for trial in trials if trial.agreeing or counts[trial.reading.layout] == max(counts.values())]


def _equal(mine: torch.Tensor | None, wanted: Any) -> bool:
    return (
        isinstance(mine, torch.Tensor)
        and isinstance(wanted, torch.Tensor)
        and mine.shape == wanted.shape
        and same(mine, wanted)
    )
