"""What a check sees and what it may answer: the vocabulary every kind of check shares.

Standard library only. A tensor is anything with the methods of a CPU ``torch.Tensor``; the kinds of check call
methods on it and never import torch, so the page process can load them to validate an exercise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

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
    # Of a trial run: the whole text as a program of its own.
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of the student's code: its type, its text, and the last line of the submission on the stack.

    ``operation`` and ``shapes`` are the torch operation that was under way and the shapes of the tensors it was given, where known.
    """

    type: str
    message: str
    line: int | None = None
    operation: str = ""
    shapes: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One torch operation on the tape of a call.

    Args:
        name: of the operation, for example "matmul".
        line: of the submission, the innermost one; None where it was called from elsewhere.
        takes: what it was given, in order: the number of an earlier step, the name of an input ("Q"), "parameter:NAME", "buffer:NAME",
            or "?" for a tensor that none of these made.
        shapes: of the tensors it was given, in the same order.
        value: its (first) result as it was then; None where it made no dense tensor or a very large one, or raised.
        device: "text" where a device was asked for by name, "object" where by a device object, "" where not at all.
        outer: the line in the entry itself, where ``line`` is in a helper that it called.
    """

    name: str
    line: int | None
    takes: tuple[int | str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    value: Tensor | None = None
    device: str = ""
    outer: int | None = None


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
class Kept:
    """A tensor that a freshly built module keeps beside its parameters: registered as a buffer, or a plain attribute."""

    name: str
    shape: tuple[int, ...]
    buffer: bool


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something returned that is not a dense tensor; ``what`` says what it was, in the student's words."""

    what: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call of ``forward`` (or of the function): what came back.

    ``container`` is "tensor", "tuple", "list", … and ``items`` what it held. ``operations`` are the names of the torch
    operations in order, empty unless the case asked for them. ``gradients`` maps each role and each input to
    d(weighted sum of squares of the first result)/d(its values), None where nothing arrives. ``disturbed`` lists what the call changed although it is not its own: "input:Q", "weight:W_Q.weight",
    "training" (a training flag), "random" (the state of torch's random numbers), "parameters" (there are others than before).
    ``inside`` is the reference's alone, in training mode where the constructor got arguments: its stages and parameters by name.
    """

    container: str
    items: tuple[Tensor | Foreign, ...]
    operations: tuple[str, ...] = ()
    gradients: Mapping[str, Tensor | None] = field(default_factory=dict)
    disturbed: tuple[str, ...] = ()
    inside: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one case produced, for a submission, the reference or a trap alike.

    ``bound`` maps each role of the exercise, and ``ROLE.bias`` where it has one, to the parameters that took its numbers, or None where none was found; see
    ``checkers/_places.py`` for how they are written. ``unclaimed`` names the parameters that no role claimed, ``biases`` those of
    them that belong to a role's layer, or to none; they were set to zero so that the rest can be judged. ``hidden`` names weights that
    hang on the module without being registered, where a role found no place: ``layers[0].weight`` in a plain list, ``W_Q`` as a plain
    tensor. ``kept`` are the tensors that it keeps beside all these.
    ``tape`` holds the operations of the first call, empty unless the case asked for it; it is advice and judges only what a submission
    may not do, since code that tampers with it misleads nobody but its author. ``limit`` is how much there was of what ran out.
    """

    case: str
    ending: Ending
    stage: Stage = Stage.CALL
    fault: Fault | None = None
    parameters: tuple[Parameter, ...] = ()
    bound: Mapping[str, str | None] = field(default_factory=dict)
    unclaimed: tuple[str, ...] = ()
    biases: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    calls: tuple[Call, ...] = ()
    tape: tuple[Step, ...] = ()
    seconds: float = 0.0
    limit: str = ""


@dataclass(frozen=True, slots=True)
class About:
    """What a check may know about its exercise.

    ``entry`` is the name it asks for, ``kind`` what that is. ``roles`` maps each weight matrix to its shape in named axes, ``returns`` each result to its shape, in order;
    ``biases`` maps each case to the roles that have a bias there, with its shape;
    ``dims`` maps each case to the value of every named axis, ``again`` to the values in its second, third … call where they differ, ``dtypes``
    to the type of its inputs where that is not float32, ``arguments`` to what the constructor gets by name, where it does. ``source`` is the submission's text.
    """

    entry: str
    roles: Mapping[str, str]
    returns: Mapping[str, str]
    dims: Mapping[str, Mapping[str, int]]
    forbidden_calls: tuple[str, ...] = ()
    again: Mapping[str, tuple[Mapping[str, int], ...]] = field(default_factory=dict)
    source: str = ""
    kind: Literal["class", "function"] = "class"
    dtypes: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Mapping[str, bool | int | float]] = field(default_factory=dict)
    biases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What runs in a call, in messages: ``forward`` of a class, or the function itself."""
        return self.entry if self.kind == "function" else "forward"

    def built_with(self, case: str) -> Mapping[str, bool | int | float]:
        """What the module of a case is built with, by name: its sizes, then its arguments."""
        return {**self.dims[case], **self.arguments.get(case, {})}

    def dtype_of(self, case: str) -> str:
        """The type of number of inputs and weights in a case."""
        return self.dtypes.get(case, "float32")

    def dims_of(self, case: str, call: int) -> Mapping[str, int]:
        """The value of every named axis in one call of a case, counted from 0."""
        more = self.again.get(case, ())
        return {**self.dims[case], **more[call - 1]} if 0 < call <= len(more) else self.dims[case]


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
