"""What is known of a failed submission beside its numbers: findings, the exception, its text, parameters that should not be as they are."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from checkers.base import Fault, Observation, Seen, Step
from tutor.content import Exercise
from tutor.locate import Searches
from tutor.model import Assessment, CheckOutcome, Status
from tutor.near import same
from tutor.sandbox.inside.places import own_name
from tutor.tape import leading

# From Python 3.12 on, the text in an f-string is a token of its own.
BLANKED = frozenset({tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)})


@dataclass(frozen=True)
class Evidence:
    """What symptoms are held against.

    Args:
        failed: "milestone/check" → outcome of each failed check.
        fault: the exception that ended a case which should have returned, if one did.
        dims: named sizes of the case it ended.
        code: the submission without comments and texts, on the same lines.
        suspects: parameters that should not be as they are, by dotted name.
        distance: the largest difference of its numbers from the right ones, absolute plus relative; infinite where there are none.
        tape: the operations that lead to what the first case with a tape returned, or to where it raised.
        source: the submission as it was written; empty where it must not be parsed.
        searches: looks for patterns in all this, within a time limit.
    """

    failed: Mapping[str, CheckOutcome]
    fault: Fault | None
    dims: Mapping[str, int]
    code: str
    suspects: Sequence[str]
    distance: float
    tape: Sequence[Step] = ()
    source: str = ""
    searches: Searches = field(default_factory=Searches, compare=False, repr=False)


def evidence(exercise: Exercise, source: str, seen: Seen, assessment: Assessment, distance: float) -> Evidence:
    """Gather what is known of a failed submission."""
    failed = {
        f"{milestone.id}/{check.id}": check
        for milestone in assessment.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    }
    ended = seen.get(assessment.case)
    dims = next((case.dims for case in exercise.cases if ended and case.name == ended.case), {})
    tape = next((_used(one) for one in seen.values() if one.tape), ())
    suspects = _suspects(exercise, next((one for one in seen.values() if one.parameters or one.hidden), None))
    return Evidence(failed, ended.fault if ended else None, dims, bare(source), suspects, distance, tape, source)


def _used(observation: Observation) -> tuple[Step, ...]:
    """The steps that what was returned depends on: what is only printed proves nothing."""
    tape = observation.tape
    returned = [
        item
        for call in observation.calls[:1]
        for item in call.items
        if isinstance(item, torch.Tensor) and item.is_floating_point()
    ]
    ends = {
        number
        for number, step in enumerate(tape)
        if step.value is not None and any(_equal(step.value, item) for item in returned)
    }
    return tuple(tape[number] for number in sorted(leading(tape, ends))) if ends else tape


def _equal(value: torch.Tensor, item: torch.Tensor) -> bool:
    return value.dtype == item.dtype and value.shape == item.shape and same(value, item)


def bare(source: str) -> str:
    """The source with comments and texts blanked out, so that nothing is read into them; lines stay where they are."""
    lines = [list(line) for line in source.split("\n")]
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in BLANKED:
                _blank(lines, token.start, token.end)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read so far is blanked; a file that Python cannot read has other symptoms
    return "\n".join("".join(line) for line in lines)


def _blank(lines: list[list[str]], start: tuple[int, int], end: tuple[int, int]) -> None:
    for row in range(start[0] - 1, min(end[0], len(lines))):
        first = start[1] if row == start[0] - 1 else 0
        last = end[1] if row == end[0] - 1 else len(lines[row])
        for column in range(first, min(last, len(lines[row]))):
            lines[row][column] = " "


def _suspects(exercise: Exercise, observation: Observation | None) -> list[str]:
    if observation is None:
        return []
    found = [parameter.name for parameter in observation.parameters if parameter.same_as or not parameter.trainable]
    found += [name for role, name in observation.bound.items() if name is not None and name != own_name(role)]
    return found + list(observation.unclaimed) + list(observation.hidden)
