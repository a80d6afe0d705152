"""Trial runs: what a learner wants to see of the code, run behind the same walls as a check; nothing is judged."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from checkers.base import Seen
from tutor.content import LOAD, Exercise
from tutor.diagnose import Diagnoser
from tutor.expected import Reference
from tutor.judge import facts
from tutor.legible import legible
from tutor.lens import Sight
from tutor.planning import Plan
from tutor.scratch import PLAN, looked, together
from tutor.small import SmallCases
from tutor.trials import Example, Lens, Outcome, Scratch, SmallExample, Trial


@dataclass(frozen=True)
class Ran:
    """What one run behind the walls gave; ``seconds`` are those that it worked."""

    seen: Seen
    printed: str
    seconds: float


# Runs a source through a plan. Raises SandboxError where the sandbox failed.
RunSource = Callable[[Plan, str], Ran]


class TryOut:
    """Makes the trial runs of a checker.

    Args:
        run: has a source observed.
        references: the right answers, by the slugs of their exercises.
        diagnosers: what knows their faults, by the same slugs.
    """

    def __init__(
        self, run: RunSource, references: Mapping[str, Reference], diagnosers: Mapping[str, Diagnoser]
    ) -> None:
        self._run, self._references, self._diagnosers = run, references, diagnosers

    def run(self, exercise: Exercise, source: str, trial: Trial) -> Outcome:
        """Make one trial run.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the code.
        """
        match trial:
            case Scratch(lines=lines):
                return self._scratch(exercise, source, lines)
            case SmallExample():
                return self._example(exercise, source)
            case Lens():
                return self._lens(exercise, source, trial)

    def _scratch(self, exercise: Exercise, source: str, lines: str) -> Outcome:
        text = together(source, lines)
        ran = self._run(PLAN, text)
        about = facts(exercise, legible(text, ran.seen))
        return looked(source, lines, ran.seen[LOAD], about, ran.printed).model_copy(update={"seconds": ran.seconds})

    def _example(self, exercise: Exercise, source: str) -> Example:
        cases = SmallCases(exercise, self._references[exercise.slug], self._diagnosers[exercise.slug])
        planned = cases.plan(secrets.randbits(62))
        ran = self._run(planned, source)
        return cases.example(planned, source, ran.seen).model_copy(update={"seconds": ran.seconds})

    def _lens(self, exercise: Exercise, source: str, trial: Lens) -> Outcome:
        sight = Sight.of(exercise, trial)
        planned = sight.plan()
        ran = self._run(planned, source)
        maps = sight.maps(source, ran.seen, self._references[exercise.slug].observe(planned))
        return maps.model_copy(update={"seconds": ran.seconds})
