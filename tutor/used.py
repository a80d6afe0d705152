"""What of a tape leads to what was returned; the rest was made and thrown away."""

from __future__ import annotations

from collections.abc import Sequence, Set

import torch

from checkers._tape import VIEWS, in_place
from checkers.base import Step
from tutor.near import same
from tutor.situations import Situation
from tutor.tape import leading

# What is read out of a tensor goes on where no tape follows it.
READ_OUT = frozenset({"numpy", "__array__", "tolist", "item", "__float__", "__int__", "__index__", "__complex__"})


def used(situation: Situation, results: Sequence[str]) -> frozenset[int] | None:
    """The numbers of the operations that the results build on; None where the tape does not tell.

    Args:
        situation: a call.
        results: the names of all that should have been returned.
    """
    tape = situation.tape
    ends = [_makes(tape, situation.results[name]) for name in results if name in situation.results]
    if len(ends) < len(results) or not all(ends):
        return None
    known = leading(tape, set().union(*ends) | {number for number, step in enumerate(tape) if step.name in READ_OUT})
    while written := {
        number for number in _writers(tape) if number not in known and _shared(_owner(tape, number), known)
    }:
        known |= leading(tape, written)
    # A tensor that no operation on the tape made may hold any of the others.
    return None if any("?" in tape[number].takes for number in known) else frozenset(known)


def _makes(tape: Sequence[Step], result: torch.Tensor) -> set[int]:
    """The operations that gave what was returned."""
    return {
        number
        for number, step in enumerate(tape)
        if step.value is not None
        and (step.value.dtype, step.value.shape) == (result.dtype, result.shape)
        and same(step.value, result)
    }


def _writers(tape: Sequence[Step]) -> list[int]:
    return [number for number, step in enumerate(tape) if in_place(step) and step.takes]


def _shared(owner: int | str, known: Set[int]) -> bool:
    """Whether what is written there may be read again: inputs and weights always may."""
    return isinstance(owner, str) or owner in known


def _owner(tape: Sequence[Step], number: int) -> int | str:
    """The operation that made the memory which this one writes to."""
    source: int | str = number
    while isinstance(source, int) and tape[source].takes and (tape[source].name in VIEWS or in_place(tape[source])):
        source = tape[source].takes[0]
    return source
