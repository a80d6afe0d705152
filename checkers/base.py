"""What a check sees and what it may answer: the vocabulary every kind of check shares.

Standard library only. A tensor is anything with the methods of a CPU ``torch.Tensor``; the kinds of check call
methods on it and never import torch, so the page process can load them to validate an exercise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

Tensor: TypeAlias = Any


class Ending(StrEnum):
    """How running one case ended. Only ``RETURNED`` carries outputs."""

    RETURNED = "returned"
    DID_NOT_LOAD = "did_not_load"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    KILLED = "killed"


class Stage(StrEnum):
    """How far a case came before it ended."""

    LOAD = "load"
    CONSTRUCT = "construct"
    BIND = "bind"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the student's code: its type, its text, and the last line of the submission on the stack."""

    type: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One entry of ``named_parameters(remove_duplicate=False)``; ``same_as`` names an earlier entry that is the same object."""

    name: str
    shape: tuple[int, ...]
    trainable: bool = True
    same_as: str | None = None

    @property
    def numel(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something returned that is not a dense tensor; ``what`` says what it was, in the student's words."""

    what: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call of ``forward`` (or of the function): what came back.

    ``container`` is "tensor", "tuple", "list", … and ``items`` what it held. ``operations`` are the names of the torch
    operations in order, empty unless the case asked for them. ``gradients`` maps each role to d(sum of squares of the first result)/d(its weight), None where nothing arrives.
    """

    container: str
    items: tuple[Tensor | Foreign, ...]
    operations: tuple[str, ...] = ()
    gradients: Mapping[str, Tensor | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one case produced, for a submission, the reference or a trap alike.

    ``bound`` maps each role of the exercise to the parameter that took its weights, or None where none was found.
    ``unclaimed`` names the parameters that no role claimed; biases among them were set to zero so that the rest can be judged.
    """

    case: str
    ending: Ending
    stage: Stage = Stage.CALL
    fault: Fault | None = None
    parameters: tuple[Parameter, ...] = ()
    bound: Mapping[str, str | None] = field(default_factory=dict)
    unclaimed: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class About:
    """What a check may know about its exercise.

    ``roles`` maps each weight matrix to its shape in named axes, ``returns`` each result to its shape, in order;
    ``dims`` maps each case to the value of every named axis.
    """

    entry: str
    roles: Mapping[str, str]
    returns: Mapping[str, str]
    dims: Mapping[str, Mapping[str, int]]
    forbidden_calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a check is not content. Every part is plain text, written for the student.

    Args:
        code: stable kebab-case id of the kind of finding.
        message: what was seen and what it means, one or two sentences.
        expected: what was wanted, short.
        actual: what came, short.
        next_step: what to look at or do next, without giving the answer away.
        line: line of the submission, counted from 1, or None.
    """

    code: str
    message: str
    expected: str = ""
    actual: str = ""
    next_step: str = ""
    line: int | None = None


Seen: TypeAlias = Mapping[str, Observation]
