"""Why a submission failed: known faults that reproduce what was observed, and where it leaves the right way.

A diagnosis explains a failure, it never causes one, and it names only what reproduces all numbers that were observed, or, if it is one
fault, all that are wrong. What nobody has catalogued is still placed: the last stage that is right, and the first line that departs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from checkers.base import Ending, Seen
from checkers.base import Fault as Raised
from tutor import reasons
from tutor.blame import Blame
from tutor.content import Exercise
from tutor.evidence import Evidence, evidence
from tutor.faults import FaultDictionary, Faults
from tutor.legible import as_read, legible
from tutor.lines import Lines
from tutor.model import Assessment, Diagnosis
from tutor.planning import Plan
from tutor.reasons import Cause, Scope
from tutor.search import Match, reproduce
from tutor.situations import Build, Situation, situations
from tutor.symptoms import Sign, signs
from tutor.tape import Departure
from tutor.traps import Trap

IN_TRAINING = "differs-in-training"


@dataclass(frozen=True)
class Explained:
    """What explains a failure.

    Args:
        diagnosis: None where nothing known fits.
        departure: where the submission leaves the right way; None where its tape does not say, or where the diagnosis does.
        evidence: what symptoms were held against; None where nothing was to be explained.
        numbers: failed check of numbers, "milestone/check" → the line of the first fault that changes them.
        known: the calls that were looked at, with all that was worked out for them.
    """

    diagnosis: Diagnosis | None
    departure: Departure | None = None
    evidence: Evidence | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
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
        blame = Blame(self.exercise, self.dictionary, match, known)
        causes = blame.ordered(_causes(shown, match, lines), found.failed)
        mode = " in evaluation mode" if any(one.code == IN_TRAINING for one in found.failed.values()) else ""
        skips = _skips(shown, match, found)
        diagnosis = reasons.diagnosis(causes, match, Scope(mode, everywhere=everywhere), skips) if causes else None
        departure = lines.departure() if diagnosis is None or diagnosis.line is None else None
        if diagnosis is not None and diagnosis.line is None:
            line = departure.line if departure else None
            if line is None and match.sets and not match.only:
                line = lines.further(match.sets[0])
            diagnosis = diagnosis.model_copy(update={"line": line})
        return Explained(diagnosis, departure, found, blame.lines(causes, found.failed), known)


def _skips(shown: Sequence[Sign], match: Match, found: Evidence) -> str:
    """The first failed check, where no cause speaks of it: it stopped, say, and what is known is in the numbers of the others."""
    name, first = next(iter(found.failed.items()), ("", None))
    spoken = any(sign.first for sign in shown) or first is None or (any(match.sets) and first.code not in set(Ending))
    return "" if spoken else name


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


def _causes(shown: Sequence[Sign], match: Match, lines: Lines) -> list[Cause]:
    """What is seen otherwise first, then what is in the numbers."""
    exact: Faults = match.sets[0] if match.sets else ()
    # What is only a consequence of a fault that shows otherwise is no second fault.
    brought = {name for sign in shown for name in sign.trap.brings}
    faults = tuple(fault for fault in exact if fault.trap.id not in brought)
    named = {fault.trap.id for fault in faults}
    signs_ = [Cause(sign.trap, sign.line, sign.trap.says, exact=False) for sign in shown if sign.trap.id not in named]
    # A fault that shows as a sign, too, has its line from there: that is the cause, the tape only knows where it takes effect.
    known = {sign.trap.id: sign.line for sign in shown}
    places = [known.get(fault.trap.id) or lines.of(fault, faults) for fault in faults]
    return signs_ + [
        Cause(fault.trap, place, fault.says, exact=True) for fault, place in zip(faults, places, strict=True)
    ]
