"""Trial runs: what a learner wants to see of the code, run behind the same walls as a check; nothing is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checkers.base import Seen
from tutor.content import LOAD, Exercise
from tutor.judge import facts
from tutor.legible import legible
from tutor.planning import Plan
from tutor.scratch import PLAN, looked, together
from tutor.trials import Outcome, Scratch, Trial


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
    """

    def __init__(self, run: RunSource) -> None:
        self._run = run

    def run(self, exercise: Exercise, source: str, trial: Trial) -> Outcome:
        """Make one trial run.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the code.
        """
        match trial:
            case Scratch(lines=lines):
                return self._scratch(exercise, source, lines)
        raise NotImplementedError(trial.kind)

    def _scratch(self, exercise: Exercise, source: str, lines: str) -> Outcome:
        text = together(source, lines)
        ran = self._run(PLAN, text)
        about = facts(exercise, legible(text, ran.seen))
        return looked(source, lines, ran.seen[LOAD], about, ran.printed).model_copy(update={"seconds": ran.seconds})
