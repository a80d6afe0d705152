"""Why a submission failed: known faults that reproduce what was observed, and where it leaves the right way.

A diagnosis explains a failure, it never causes one, and it names only what reproduces everything that was observed. What nobody has
catalogued is still placed: the last stage that is right, and the first line that departs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from checkers.base import Ending, Seen
from checkers.base import Fault as Raised
from tutor.content import Exercise, Trap
from tutor.evidence import Evidence, evidence
from tutor.faults import FaultDictionary, Faults
from tutor.lines import Lines
from tutor.model import Assessment, CheckOutcome, Diagnosis, Status
from tutor.planning import Plan
from tutor.search import Match, reproduce
from tutor.situations import Build, situations
from tutor.symptoms import Sign, signs
from tutor.tape import Departure

NUMBERS = ("differs-from-reference", "leaks-from-later-tokens")


@dataclass(frozen=True)
class Explained:
    """What explains a failure.

    Args:
        diagnosis: None where nothing known fits.
        departure: where the submission leaves the right way; None where its tape does not say, or where the diagnosis does.
        evidence: what symptoms were held against; None where nothing was to be explained.
    """

    diagnosis: Diagnosis | None
    departure: Departure | None = None
    evidence: Evidence | None = None


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
        match = reproduce(self.dictionary, known)
        distance = self.dictionary.distance((), known)
        found = evidence(self._exercise, source, seen, assessment, distance)
        shows = {id(situation) for situation in match.shows or known}
        here, elsewhere = ([one for one in known if (id(one) in shows) is inside] for inside in (True, False))
        lines = Lines(self.dictionary, here, elsewhere if match.only else (), source, found.code)
        shown = [_at_its_root(sign, found.fault, lines) for sign in _credible(signs(self._exercise, found), match.sets)]
        match = replace(match, sets=likeliest(match.sets, shown))
        everywhere = all(situation.results.keys() == set(self.dictionary.stages.results) for situation in known)
        diagnosis = _diagnosis(shown, match, lines, everywhere=everywhere) if any(match.sets) or shown else None
        departure = lines.departure() if diagnosis is None or diagnosis.line is None else None
        if diagnosis is not None and departure is not None:
            diagnosis = diagnosis.model_copy(update={"line": departure.line})
        return Explained(diagnosis, departure, found)


def _at_its_root(sign: Sign, fault: Raised | None, lines: Lines) -> Sign:
    """A sign of an operation that raised, with the line on which what it was given went wrong."""
    if fault is None or not fault.operation or sign.line != fault.line or sign.trap.line:
        return sign
    return replace(sign, line=lines.raised(sign.line))


def _credible(shown: Sequence[Sign], sets: Sequence[Faults]) -> list[Sign]:
    """The signs without those of an operation on the tape where other faults account for the numbers to the last digit."""
    exact = {fault.trap.id for faults in sets for fault in faults}
    return [sign for sign in shown if not exact or not sign.by_step or sign.trap.id in exact]


def likeliest(sets: Sequence[Faults], shown: Sequence[Sign]) -> tuple[Faults, ...]:
    """Of sets with equal numbers those whose traps show outside the numbers, too; a trap that would show there and does not is unlikely."""
    seen = {sign.trap.id for sign in shown}
    doubts = [sum(-1 if fault.trap.id in seen else bool(fault.trap.symptoms) for fault in faults) for faults in sets]
    return tuple(faults for faults, doubt in zip(sets, doubts, strict=True) if doubt == min(doubts))


def _diagnosis(shown: Sequence[Sign], match: Match, lines: Lines, *, everywhere: bool) -> Diagnosis:
    exact: Faults = match.sets[0] if match.sets else ()
    # What is only a consequence of a fault that shows otherwise is no second fault.
    brought = {name for sign in shown for name in sign.trap.brings}
    faults = tuple(fault for fault in exact if fault.trap.id not in brought)
    named = {fault.trap.id for fault in faults}
    placed = [(sign.trap, sign.line, sign.trap.says) for sign in shown if sign.trap.id not in named]
    # A fault that shows as a sign, too, has its line from there: that is the cause, the tape only knows where it takes effect.
    known = {sign.trap.id: sign.line for sign in shown}
    placed += [(fault.trap, known.get(fault.trap.id) or lines.of(fault, faults), fault.says) for fault in faults]
    traps: dict[str, Trap] = {trap.id: trap for trap, _, _ in placed}
    says = list(dict.fromkeys(sentence for _, _, sentence in placed))
    how = " ".join(says) + (_proof(match, everywhere=everywhere) if faults == exact else "")
    return Diagnosis(
        traps=tuple(traps),
        how=how,
        line=next((line for _, line, _ in placed if line is not None), None),
        hints=tuple(hint for trap in traps.values() for hint in trap.hints),
    )


def _proof(match: Match, *, everywhere: bool) -> str:
    if not any(match.sets):
        return ""
    first, *equal = match.sets
    change = "this change" if len(first) == 1 else f"these {len(first)} changes"
    where = "in every case" if everywhere else "in every call that returned tensors of the right shape"
    proof = f" With {change} the reference gives your numbers {where}."
    if match.only:
        proof = f" This shows only {match.only}: there the reference gives your numbers with {change}, and elsewhere without."
    named = {fault.trap.id for fault in first}
    others = {fault.says for faults in equal for fault in faults if fault.trap.id not in named}
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
    if departure.line is None:
        return f"All is right up to {departure.right}{where}. "
    leaves = "what the same line" if departure.line == departure.right_line else f"what line {departure.line}"
    return f"All is right up to {departure.right}{where}; {leaves} does next leaves the right way. "
