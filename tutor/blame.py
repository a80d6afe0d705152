"""Which of several faults is to blame for which failed check: the one without which its numbers would be others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tutor.content import Exercise
from tutor.faults import FaultDictionary, Faults
from tutor.model import CheckOutcome
from tutor.reasons import Cause
from tutor.search import Match
from tutor.situations import Situation

NUMBERS = ("differs-from-reference", "leaks-from-later-tokens")


class Blame:
    """Looks, check by check, at what every fault changes.

    Args:
        exercise: whose checks failed.
        dictionary: of the exercise.
        match: the faults that reproduce the numbers.
        known: all situations.
    """

    def __init__(
        self, exercise: Exercise, dictionary: FaultDictionary, match: Match, known: Sequence[Situation]
    ) -> None:
        self._dictionary, self._known = dictionary, known
        self._faults: Faults = match.sets[0] if match.sets else ()
        self._cases = {
            f"{milestone.id}/{check.id}": check.cases for milestone in exercise.milestones for check in milestone.checks
        }

    def ordered(self, causes: Sequence[Cause], failed: Mapping[str, CheckOutcome]) -> list[Cause]:
        """The causes with those of the first wrong numbers before those that show only later; what is no number keeps its place."""
        first = next((name for name, check in failed.items() if check.code in NUMBERS), None)
        if first is None or len(self._faults) < 2:
            return list(causes)
        exact = sorted((one for one in causes if one.exact), key=lambda cause: not self._changes(cause, first))
        return [*(one for one in causes if not one.exact), *exact]

    def lines(self, causes: Sequence[Cause], failed: Mapping[str, CheckOutcome]) -> dict[str, int]:
        """Failed check of numbers → the line of the first cause that changes them, or of the first that has one."""
        exact = [cause for cause in causes if cause.exact and cause.line]
        found = {}
        for name in (name for name, check in failed.items() if check.code in NUMBERS and exact):
            to_blame = exact if len(exact) == 1 else [cause for cause in exact if self._changes(cause, name)]
            found[name] = (to_blame or exact)[0].line or 0
        return found

    def _changes(self, cause: Cause, check: str) -> bool:
        """Whether what the cases of a check return would be another thing without this fault."""
        fault = next((one for one in self._faults if one.trap.id == cause.trap.id), None)
        cases = self._cases[check]
        return fault is not None and any(
            self._dictionary.matters(fault, self._faults, one, one.results) for one in self._known if one.case in cases
        )
