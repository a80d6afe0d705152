"""The words of a diagnosis: a sentence for every cause, one for all of them, and their hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tutor.model import Diagnosis, Reason
from tutor.search import Match
from tutor.traps import Trap


@dataclass(frozen=True)
class Cause:
    """One fault that is told: with its line, its sentence, and whether it accounts for the numbers or is seen otherwise."""

    trap: Trap
    line: int | None
    says: str
    exact: bool


@dataclass(frozen=True)
class Scope:
    """What a proof is true of: calls in training mode are not compared, and one that raised has nothing to compare."""

    mode: str
    everywhere: bool

    @property
    def numbers(self) -> str:
        told = f"every number your code returned{self.mode}"
        return told if self.everywhere else f"{told} in tensors of the right shape"


def diagnosis(causes: Sequence[Cause], match: Match, scope: Scope, skips: str = "") -> Diagnosis:
    """Put causes into words.

    Args:
        causes: at least one; the most telling first.
        match: what reproduces the numbers.
        scope: what that was held against.
        skips: the first failed check, "milestone/check", where no cause speaks of it.
    """
    traps = {cause.trap.id: cause.trap for cause in causes}
    line = next((cause.line for cause in causes if cause.line is not None), None)
    says = list(dict.fromkeys(_sentence(cause, line) for cause in causes))
    in_numbers = [cause for cause in causes if cause.exact]
    proven = bool(match.sets) and len(in_numbers) == len(match.sets[0]) > 0
    proof = _proof(match, scope, alone=len(in_numbers) == len(causes)) if proven else ""
    return Diagnosis(
        traps=tuple(traps),
        how=" ".join([*says, proof] if proof else says),
        line=line,
        hints=tuple(hint for trap in traps.values() for hint in trap.hints),
        reasons=tuple(dict.fromkeys(Reason(says=cause.says, line=cause.line) for cause in causes)),
        proof=proof,
        skips=skips,
    )


def _sentence(cause: Cause, first: int | None) -> str:
    """What is wrong, with its line where that is not the one the diagnosis begins with."""
    return cause.says if cause.line in {None, first} else f"{cause.says.removesuffix('.')} (line {cause.line})."


def _proof(match: Match, scope: Scope, *, alone: bool) -> str:
    """What the faults in the numbers account for; of what else would do the same only where there is one, for more is past reading."""
    first, *equal = match.sets
    one, several = ("This alone explains", "Together they explain") if alone else (
        "The last one explains",
        f"The last {len(first)} explain",
    )  # fmt: skip
    proof = f"{one if len(first) == 1 else several} {scope.numbers}."
    if match.only:
        shows = "It shows" if len(first) == 1 else "They show"
        proof = f"{shows} only {match.only}, as far as calls were made{scope.mode}: elsewhere your numbers are right."
    if len(first) > 1:
        return proof
    named = {fault.trap.id for fault in first}
    others = sorted({fault.says for faults in equal for fault in faults if fault.trap.id not in named})[:2]
    return proof + (f" The same numbers come about otherwise, too: {' Or: '.join(others)}" if others else "")
