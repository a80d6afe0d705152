"""Why a submission failed: known faults that reproduce what was observed, and where it leaves the right way.

A diagnosis explains a failure, it never causes one, and it names only what reproduces all numbers that were observed, or, if it is one
fault, all that are wrong. What nobody has catalogued is still placed: the last stage that is right, and the first line that departs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from checkers.base import Ending, Seen
from checkers.base import Fault as Raised
from tutor.content import Exercise
from tutor.evidence import Evidence, evidence
from tutor.faults import FaultDictionary, Faults
from tutor.legible import as_read, legible
from tutor.lines import Lines
from tutor.model import Assessment, CheckOutcome, Diagnosis, Status
from tutor.planning import Plan
from tutor.search import Match, reproduce
from tutor.situations import Build, Situation, situations
from tutor.symptoms import Sign, signs
from tutor.tape import Departure
from tutor.traps import Trap

IN_TRAINING = "differs-in-training"
NUMBERS = ("differs-from-reference", "leaks-from-later-tokens")


@dataclass(frozen=True)
class Explained:
    """What explains a failure.

    Args:
        diagnosis: None where nothing known fits.
        departure: where the submission leaves the right way; None where its tape does not say, or where the diagnosis does.
        evidence: what symptoms were held against; None where nothing was to be explained.
        numbers: the line of the first fault that is in the numbers, if there is one; a diagnosis may begin with another.
        known: the calls that were looked at, with all that was worked out for them.
    """

    diagnosis: Diagnosis | None
    departure: Departure | None = None
    evidence: Evidence | None = None
    numbers: int | None = None
    known: Sequence[Situation] = ()


class Diagnoser:
    """Explains failures of one exercise.

    Args:
        exercise: with its traps.
        scope: namespace of the reference's module.
        build: the reference's class, or None where it is a function.
    """

    def __init__(self, exercise: Exercise, scope: Mapping[str, Any], build: Build | None) -> None:
        self.exercise, self.build = exercise, build
        self.dictionary = FaultDictionary(exercise, scope)

    def explain(self, plan: Plan, source: str, seen: Seen, assessment: Assessment) -> Explained:
        """Explain a failed assessment.

        Args:
            plan: what was observed.
            source: the submission.
            seen: its observations.
            assessment: that failed.
        """
        seen, readable = as_read(source, seen), legible(source, seen)
        known = situations(self.exercise, plan, seen, self.dictionary.stages.results, self.build)
        match = reproduce(self.dictionary, known)
        distance = self.dictionary.distance((), known)
        found = evidence(self.exercise, source, seen, assessment, distance)
        found = replace(found, source=readable)
        shows = {id(situation) for situation in match.shows or known}
        here, elsewhere = ([one for one in known if (id(one) in shows) is inside] for inside in (True, False))
        lines = Lines(self.dictionary, here, elsewhere if match.only else (), readable, found)
        shown = [_at_its_root(sign, found.fault, lines) for sign in _credible(signs(self.exercise, found), match.sets)]
        match = replace(match, sets=likeliest(match.sets, shown))
        everywhere = all(situation.results.keys() == set(self.dictionary.stages.results) for situation in known)
        causes = _causes(shown, match, lines)
        mode = " in evaluation mode" if any(one.code == IN_TRAINING for one in found.failed.values()) else ""
        diagnosis = _diagnosis(causes, match, _Scope(mode, everywhere=everywhere)) if causes else None
        departure = lines.departure() if diagnosis is None or diagnosis.line is None else None
        if diagnosis is not None and diagnosis.line is None:
            line = departure.line if departure else None
            if line is None and match.sets and not match.only:
                line = lines.further(match.sets[0])
            diagnosis = diagnosis.model_copy(update={"line": line})
        numbers = next((cause.line for cause in causes if cause.exact and cause.line), None)
        return Explained(diagnosis, departure, found, numbers, known)


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
    doubts = [sum(-1 if fault.trap.id in seen else _would_show(fault.trap) for fault in faults) for faults in sets]
    return tuple(faults for faults, doubt in zip(sets, doubts, strict=True) if doubt == min(doubts))


def _would_show(trap: Trap) -> bool:
    """Whether a fault that has numbers should show outside them; what it raises does not, since then there are none."""
    return any(not (one.error or one.operation or one.operands or one.raised) for one in trap.symptoms)


@dataclass(frozen=True)
class _Cause:
    """One fault that is told: with its line, its sentence, and whether it accounts for the numbers or is seen otherwise."""

    trap: Trap
    line: int | None
    says: str
    exact: bool


def _causes(shown: Sequence[Sign], match: Match, lines: Lines) -> list[_Cause]:
    """What is seen otherwise first, then what is in the numbers."""
    exact: Faults = match.sets[0] if match.sets else ()
    # What is only a consequence of a fault that shows otherwise is no second fault.
    brought = {name for sign in shown for name in sign.trap.brings}
    faults = tuple(fault for fault in exact if fault.trap.id not in brought)
    named = {fault.trap.id for fault in faults}
    signs_ = [_Cause(sign.trap, sign.line, sign.trap.says, exact=False) for sign in shown if sign.trap.id not in named]
    # A fault that shows as a sign, too, has its line from there: that is the cause, the tape only knows where it takes effect.
    known = {sign.trap.id: sign.line for sign in shown}
    places = [known.get(fault.trap.id) or lines.of(fault, faults) for fault in faults]
    return signs_ + [
        _Cause(fault.trap, place, fault.says, exact=True) for fault, place in zip(faults, places, strict=True)
    ]


@dataclass(frozen=True)
class _Scope:
    """What a proof is true of: calls in training mode are not compared, and one that raised has nothing to compare."""

    mode: str
    everywhere: bool

    @property
    def every(self) -> str:
        return f"in every {'case' if self.everywhere else 'call that returned tensors of the right shape'}{self.mode}"

    @property
    def others(self) -> str:
        return "elsewhere" if self.everywhere else "in the others that returned tensors of the right shape"


def _diagnosis(causes: Sequence[_Cause], match: Match, scope: _Scope) -> Diagnosis:
    traps: dict[str, Trap] = {cause.trap.id: cause.trap for cause in causes}
    line = next((cause.line for cause in causes if cause.line is not None), None)
    says = list(dict.fromkeys(_sentence(cause, line) for cause in causes))
    in_numbers = [cause for cause in causes if cause.exact]
    proven = bool(match.sets) and len(in_numbers) == len(match.sets[0]) > 0
    proof = _proof(match, scope, alone=len(in_numbers) == len(causes)) if proven else ""
    return Diagnosis(
        traps=tuple(traps),
        how=" ".join(says) + proof,
        line=line,
        hints=tuple(hint for trap in traps.values() for hint in trap.hints),
    )


def _sentence(cause: _Cause, first: int | None) -> str:
    """What is wrong, with its line where that is not the one the diagnosis begins with."""
    return cause.says if cause.line in {None, first} else f"{cause.says.removesuffix('.')} (line {cause.line})."


def _proof(match: Match, scope: _Scope, *, alone: bool) -> str:
    first, *equal = match.sets
    one, several = ("this change", "these {} changes") if alone else ("the last change", "the last {} changes")
    change = one if len(first) == 1 else several.format(len(first))
    proof = f" With {change} the reference gives your numbers {scope.every}."
    if match.only:
        proof = (
            f" In the calls that were made{scope.mode} it shows only {match.only}: there the reference gives your numbers with "
            f"{change}, and {scope.others} without."
        )
    named = {fault.trap.id for fault in first}
    others = sorted({fault.says for faults in equal for fault in faults if fault.trap.id not in named})[:2]
    return proof + (f" The same numbers come about otherwise, too: {' Or: '.join(others)}" if others else "")


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
    told = explained.numbers if explained.numbers and check.code in NUMBERS else diagnosis.line if diagnosis else None
    line = check.line or told or (departure.line if departure and not diagnosis else None)
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
