"""Why a submission failed: known faults that reproduce what was observed, and where it leaves the right way.

A diagnosis explains a failure, it never causes one, and it names only what reproduces everything that was observed. What nobody has
catalogued is still placed: the last stage that is right, and the first line that departs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from checkers.base import Ending, Seen
from tutor.evidence import evidence
from tutor.faults import Fault, FaultDictionary, Faults
from tutor.model import Assessment, CheckOutcome, Diagnosis, Exercise, Status, Trap
from tutor.planning import Plan
from tutor.search import explain
from tutor.situations import Build, Situation, situations
from tutor.symptoms import Sign, signs
from tutor.tape import Alignment, Departure

NUMBERS = ("differs-from-reference", "leaks-from-later-tokens")


@dataclass(frozen=True)
class Explained:
    """A diagnosis, null where nothing known fits, and where the submission departs, null where its tape does not say."""

    diagnosis: Diagnosis | None
    departure: Departure | None = None


class Diagnoser:
    """Explains failures of one exercise.

    Args:
        exercise: with its traps.
        scope: namespace of the reference's module.
        build: the reference's class, or None where it is a function.
    """

    def __init__(self, exercise: Exercise, scope: Mapping[str, Any], build: Build | None) -> None:
        self._exercise, self.build = exercise, build
        self.dictionary = FaultDictionary(exercise, scope)

    def explain(self, plan: Plan, source: str, seen: Seen, assessment: Assessment) -> Explained:
        """Explain a failed assessment.

        Args:
            plan: what was observed.
            source: the submission.
            seen: its observations.
            assessment: that failed.
        """
        known = situations(self._exercise, plan, seen, self.dictionary.stages.results, self.build)
        sets = explain(self.dictionary, known)
        faults = sets[0] if sets else ()
        distance = self.dictionary.distance((), known)
        shown = signs(self._exercise, evidence(self._exercise, source, seen, assessment, distance))
        lines = _Lines(self.dictionary, known)
        signs_only = [sign for sign in shown if sign.trap.id not in {fault.trap.id for fault in faults}]
        departure = lines.departure() if not faults else None
        if not faults and not signs_only:
            return Explained(None, departure)
        return Explained(_diagnosis(signs_only, sets, lines), departure)


class _Lines:
    """Finds lines on the tapes of the situations in which faults show."""

    def __init__(self, dictionary: FaultDictionary, known: Sequence[Situation]) -> None:
        self._dictionary = dictionary
        self._taped = [situation for situation in known if situation.tape]

    def of(self, fault: Fault, faults: Faults) -> int | None:
        """The line that gives the first stage which the fault changes and which is on a tape."""
        for situation in self._taped:
            values, plain = (self._dictionary.values(one, situation) for one in (faults, ()))
            changed = [stage for stage in values if stage in fault.variant.replace and not _alike(values, plain, stage)]
            alignment = Alignment(situation.tape, {stage: values[stage] for stage in changed})
            line = next((line for line in map(alignment.line, changed) if line is not None), None)
            if line is not None:
                return line
        return None

    def departure(self) -> Departure | None:
        """Where the first tape leaves the reference."""
        stages = self._dictionary.stages
        for situation in self._taped:
            alignment = Alignment(situation.tape, self._dictionary.values((), situation))
            found = alignment.departure(stages, stages.reference)
            if found is not None:
                return found
        return None


def _alike(values: Mapping[str, Any], plain: Mapping[str, Any], stage: str) -> bool:
    mine, other = values[stage], plain[stage]
    try:
        return bool(mine.shape == other.shape and (mine - other).abs().max() < 1e-9)
    except (AttributeError, RuntimeError):
        return False


def _diagnosis(shown: Sequence[Sign], sets: Sequence[Faults], lines: _Lines) -> Diagnosis:
    faults = sets[0] if sets else ()
    placed = [(sign.trap, sign.line, sign.trap.says) for sign in shown]
    placed += [(fault.trap, lines.of(fault, faults), fault.says) for fault in faults]
    traps: dict[str, Trap] = {trap.id: trap for trap, _, _ in placed}
    says = list(dict.fromkeys(sentence for _, _, sentence in placed))
    how = " ".join(says) + _proof(sets)
    return Diagnosis(
        traps=tuple(traps),
        how=how,
        line=next((line for _, line, _ in placed if line is not None), None),
        hints=tuple(hint for trap in traps.values() for hint in trap.hints),
    )


def _proof(sets: Sequence[Faults]) -> str:
    if not sets or not sets[0]:
        return ""
    change = "this change" if len(sets[0]) == 1 else f"these {len(sets[0])} changes"
    proof = f" With {change} the reference gives your numbers in every case."
    others = {fault.says for faults in sets[1:] for fault in faults} - {fault.says for fault in sets[0]}
    return proof + "".join(f" The same numbers come about if: {one}" for one in sorted(others)[:2])


def with_places(assessment: Assessment, explained: Explained) -> Assessment:
    """The assessment with the place of the fault on failed checks that know none themselves, and how far all was right."""
    milestones = tuple(
        milestone.model_copy(update={"checks": tuple(_placed(check, explained) for check in milestone.checks)})
        for milestone in assessment.milestones
    )
    return assessment.model_copy(update={"milestones": milestones})


def _placed(check: CheckOutcome, explained: Explained) -> CheckOutcome:
    diagnosis, departure = explained.diagnosis, explained.departure
    if check.status is not Status.FAILED or check.code not in (*NUMBERS, Ending.RAISED.value):
        return check
    line = check.line or (diagnosis.line if diagnosis else departure.line if departure else None)
    words = _words(departure, raised=check.code not in NUMBERS) if departure and not diagnosis else ""
    return check.model_copy(update={"line": line, "next_step": f"{words}{check.next_step}"})


def _words(departure: Departure, *, raised: bool) -> str:
    if departure.right is None:
        return ""
    where = f" (line {departure.right_line})" if departure.right_line else ""
    if raised:
        return f"Up to {departure.right}{where} all is right. "
    leaves = f"; line {departure.line} leaves the right way" if departure.line else ""
    return f"All is right up to {departure.right}{where}{leaves}. "
