"""The fault dictionary: known faults as changes in the stages of the reference, and the programs they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from tutor.content import Exercise
from tutor.errors import ContentError
from tutor.near import alike, distance
from tutor.situations import Situation
from tutor.stages import RAISED, Evaluator, Program, Stages
from tutor.traps import Trap, Variant


@dataclass(frozen=True, eq=False)
class Fault:
    """One form of one trap; ``parts`` are the places of the stages it changes, with their new text."""

    trap: Trap
    variant: Variant
    parts: tuple[tuple[int, str], ...]

    @property
    def says(self) -> str:
        return self.variant.says or self.trap.says

    @property
    def unwrapped(self) -> Fault:
        """The fault without what it puts round a stage: what it does so is right up to there."""
        return replace(self, parts=tuple((place, text) for place, text in self.parts if "{}" not in text))


Faults = tuple[Fault, ...]


class FaultDictionary:
    """All faults of one exercise that reach the numbers.

    Args:
        exercise: with its traps.
        scope: the reference's module namespace.
    """

    def __init__(self, exercise: Exercise, scope: Mapping[str, Any]) -> None:
        self.stages = Stages(exercise, scope)
        self.faults: Faults = tuple(
            Fault(trap, variant, self.parts(variant.replace, exercise.file_of(trap.id), f"variants.{number}.replace"))
            for trap in exercise.traps
            for number, variant in enumerate(trap.variants)
        )

    def parts(self, changes: Mapping[str, str], file: str, key: str) -> tuple[tuple[int, str], ...]:
        """The places of the stages that are exchanged, with their new text.

        Raises:
            ContentError: a stage that is none, or a text that is no expression of what comes before; it names ``file`` and ``key``.
        """
        names = self.stages.names
        for stage, text in changes.items():
            if stage not in names:
                raise ContentError(file, key, f"“{stage}” is no stage; allowed: {', '.join(names)}.")
            place = names.index(stage)
            try:
                program = self.stages.program([(place, text)]) or ()
            except (SyntaxError, ValueError) as error:
                raise ContentError(file, f"{key}.{stage}", f"“{text}” is no expression.") from error
            for later in (names[used] for used in program[place].uses if used >= place):
                allowed = ", ".join(names[:place]) or "none"
                raise ContentError(file, f"{key}.{stage}", f"“{later}” is not there yet; allowed stages: {allowed}.")
            if "first" in program[place].others and self.stages.exercise.entry.kind == "function":
                raise ContentError(
                    file, f"{key}.{stage}", "“first” is for classes: a function keeps nothing from call to call."
                )
        return tuple((names.index(stage), text) for stage, text in changes.items())

    def check(self, situations: Sequence[Situation]) -> None:
        """Complain about what cannot be worked out: of the reference anywhere, of a form of a fault everywhere.

        Raises:
            ContentError: it names the stage or the form, and what Python says.
        """
        for situation in situations:
            said = self._raised((), situation)
            if said:
                file = f"reference/{self.stages.exercise.slug.replace('-', '_')}.py"
                raise ContentError(file, said[0], f"cannot be worked out in case {situation.case}: {said[1]}.")
        for fault in self.faults:
            problems = [said for said in (self._raised((fault,), situation) for situation in situations) if said]
            if problems and len(problems) == len(situations):
                stage, said_here = problems[0]
                key = f"variants.{fault.trap.variants.index(fault.variant)}.replace"
                file = self.stages.exercise.file_of(fault.trap.id)
                raise ContentError(file, key, f"{stage} cannot be worked out in any case: {said_here}.")

    def _raised(self, faults: Faults, situation: Situation) -> tuple[str, str] | None:
        """The first stage that raised, and what; None where all went well."""
        program = self.program(faults) or ()
        for expression, (stage, value) in zip(program, self.values(faults, situation).items(), strict=True):
            if value is RAISED:
                return stage, self.evaluator(situation).errors[expression.text]
        return None

    def values(self, faults: Faults, situation: Situation) -> dict[str, Any]:
        """Stage → value of the program with these faults, in one situation; empty where the faults exclude one another."""
        program = self.program(faults)
        with torch.no_grad():
            return self.evaluator(situation).by_name(program) if program else {}

    def matters(self, fault: Fault, faults: Faults, situation: Situation, stages: Iterable[str]) -> bool:
        """Whether any of these stages would be another one without this fault of several."""
        rest = tuple(one for one in faults if one is not fault)
        having, lacking = (self.values(one, situation) for one in (faults, rest))
        return any(not alike(having.get(stage), lacking.get(stage)) for stage in stages)

    def evaluator(self, situation: Situation) -> Evaluator:
        """The one evaluator of a situation, which remembers every value."""
        if "evaluator" not in situation.memory:
            situation.memory["evaluator"] = Evaluator(self.stages, situation.given)
        made: Evaluator = situation.memory["evaluator"]
        return made

    def distance(self, faults: Faults, situations: Sequence[Situation]) -> float:
        """The largest difference of what was returned from what the program with these faults gives, absolute plus relative.

        Infinite where nothing can be compared.
        """
        pairs = [
            (mine, self.values(faults, situation).get(name))
            for situation in situations
            for name, mine in situation.results.items()
        ]
        return max((distance(mine, other) for mine, other in pairs), default=math.inf)

    def program(self, faults: Faults) -> Program | None:
        return self.stages.program([part for fault in faults for part in fault.parts])
