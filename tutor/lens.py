"""The attention lens: what each head of the learner's layer attends to, with weights made by hand, beside the reference's.

Where the rows of a weight may lie in several right orders, the layer is run with each, and the one that comes nearest to the reference is shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import torch

from checkers import matrices
from checkers._shapes import result_of
from checkers.base import About, Ending, Finding, Observation, Seen
from tutor.content import LOAD, Exercise, LensSetup
from tutor.grids import grid_of
from tutor.handmade import LOOKS
from tutor.judge import facts
from tutor.legible import legible
from tutor.lens_plan import lens_plan, through_lens
from tutor.planning import Plan
from tutor.scratch import why_stopped
from tutor.trials import VISIBLE, HeadMap, Lens, Maps, Stopped

DIGITS = 6
# A weight that does not learn takes what it is given all the same.
HARMLESS = "frozen-weights"


@dataclass(frozen=True)
class Sight:
    """One look through the lens.

    Args:
        exercise: with the cases of the lens alone.
        setup: what it says about its lens.
        trial: what was asked for.
    """

    exercise: Exercise
    setup: LensSetup
    trial: Lens

    @classmethod
    def of(cls, exercise: Exercise, trial: Lens) -> Sight:
        """The look that was asked for.

        Raises:
            LookupError: the exercise has no heads to look at.
        """
        if exercise.lens is None:
            raise LookupError(f"{exercise.slug} has no lens.")
        return cls(through_lens(exercise, exercise.lens, trial.words), exercise.lens, trial)

    def plan(self) -> Plan:
        """What is to be observed."""
        return lens_plan(self.exercise, self.setup, self.trial)

    def maps(self, source: str, seen: Seen, expected: Seen) -> Maps:
        """What the heads attend to; where there is nothing of the learner's to show, why.

        Args:
            source: the learner's file.
            seen: what it did.
            expected: what the reference did.
        """
        about = facts(self.exercise, legible(source, seen))
        right = expected[self.exercise.cases[0].name]
        wanted = self._weights(self._result(right, self._shown))
        problems = {case.name: self._problem(seen, case.name, about) for case in self.exercise.cases}
        mine = [seen[case] for case, problem in problems.items() if problem is None]
        best = min(mine, key=lambda one: self._apart(one, right, self._shown), default=None)
        heads = None if best is None else self._weights(self._result(best, self._shown))
        return Maps(
            words=self.trial.words,
            asked=self.trial.words[::-1] if "backwards" in self.setup.inputs.values() else (),
            causal=not wanted.triu(1).any(),
            heads=tuple(_head(number, look, wanted, heads) for number, look in enumerate(LOOKS)),
            mixed_otherwise=best is not None and self._mixed_otherwise(best, right, about),
            stopped=next(iter(problems.values())) if best is None else None,
        )

    def _problem(self, seen: Seen, case: str, about: About) -> Stopped | None:
        """Why a case has no maps of the learner's."""
        for name in (LOAD, case):
            if name in seen and seen[name].ending is not Ending.RETURNED:
                return why_stopped(seen[name], about)
        if case not in seen:
            return Stopped(message="The code was not run to its end.", next_step="Show the heads once more.")
        finding = matrices.check({case: seen[case]}, {}, about)
        if finding is None or finding.code == HARMLESS:
            finding = self._finding(seen[case], self._shown, about)
        if finding is None:
            return None
        return Stopped(message=finding.message, next_step=finding.next_step, line=finding.line)

    @property
    def _shown(self) -> str:
        """The result in which the weights stand."""
        return self.setup.maps or self._first

    @property
    def _first(self) -> str:
        return next(iter(self.exercise.entry.returns))

    def _finding(self, observation: Observation, name: str, about: About) -> Finding | None:
        """What is wrong with a result, so that it cannot be held against the reference's."""
        found = result_of(observation.calls[0], name, about, about.dims[observation.case])
        return found if isinstance(found, Finding) else None

    def _result(self, observation: Observation, name: str) -> torch.Tensor:
        found: Any = observation.calls[0].items[list(self.exercise.entry.returns).index(name)]
        return cast("torch.Tensor", found.detach().double())

    def _weights(self, result: torch.Tensor) -> torch.Tensor:
        """The weights of the first sample, (4, T, T)."""
        tokens = len(self.trial.words)
        if self.exercise.roles:
            first = result[0]
            result = first if self.setup.maps else first.reshape(tokens, len(LOOKS), -1).transpose(0, 1)
        return result[..., :tokens]

    def _apart(self, mine: Observation, right: Observation, name: str) -> float:
        """The largest difference of a result; infinite where a number is not finite."""
        difference = (self._result(mine, name) - self._result(right, name)).abs()
        return float(difference.nan_to_num(math.inf).max())

    def _mixed_otherwise(self, mine: Observation, right: Observation, about: About) -> bool:
        if self._shown == self._first:
            return False
        return self._finding(mine, self._first, about) is not None or self._apart(mine, right, self._first) > VISIBLE


def _head(number: int, look: str, wanted: torch.Tensor, mine: torch.Tensor | None) -> HeadMap:
    return HeadMap(
        look=look, wanted=grid_of(wanted[number], DIGITS), mine=None if mine is None else grid_of(mine[number], DIGITS)
    )
