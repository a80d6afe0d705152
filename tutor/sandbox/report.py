"""From the bytes of a worker to ``Observation``: nothing that comes back is believed before it is validated here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from checkers.base import Call, Ending, Fault, Foreign, Kept, Observation, Parameter, Stage, Step, Tensor
from tutor.plain import printable, without_places
from tutor.sandbox.inside import policy

# The observer cuts names at 120 characters, and writes "parameter:" and the like in front of some.
Text = Annotated[str, Field(max_length=4_000), AfterValidator(printable)]
Name = Annotated[str, Field(max_length=200), AfterValidator(printable)]
Message = Annotated[str, Field(max_length=policy.MESSAGE_CHARS), AfterValidator(printable)]
Index = Annotated[int, Field(ge=0, lt=policy.RESULT_TENSORS)]
Line = Annotated[int, Field(ge=1, le=1_000_000)]
Shape = Annotated[list[Annotated[int, Field(ge=0, le=policy.TENSOR_BYTES)]], Field(max_length=policy.TENSOR_DIMS)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Item(_Part):
    tensor: Index | None = None
    other: Name | None = None


class _Call(_Part):
    container: Literal["tensor", "tuple", "list", "none", "other"]
    operations: Annotated[list[Text], Field(max_length=policy.OPERATIONS)] = []
    items: Annotated[list[_Item], Field(max_length=policy.RESULTS)]
    gradients: Annotated[dict[Name, Index | None], Field(max_length=32)] = {}
    disturbed: Annotated[list[Name], Field(max_length=300)] = []


class _Fault(_Part):
    type: Name
    message: Message
    line: Line | None = None
    operation: Name = ""
    shapes: Annotated[list[Shape], Field(max_length=policy.STEP_TENSORS)] = []


class _Step(_Part):
    name: Name
    line: Line | None
    outer: Line | None
    takes: Annotated[list[Annotated[int, Field(ge=0)] | Name], Field(max_length=policy.STEP_TENSORS)]
    shapes: Annotated[list[Shape], Field(max_length=policy.STEP_TENSORS)]
    value: tuple[Index, Shape] | None = Field(strict=False)
    device: Literal["", "text", "object"]


class _Tape(_Part):
    flat: Annotated[list[Index], Field(max_length=16)]
    steps: Annotated[list[_Step], Field(max_length=policy.STEPS)]


class _Parameter(_Part):
    name: Name
    shape: Shape
    trainable: bool
    same_as: Name | None = None


class _Kept(_Part):
    name: Name
    shape: Shape
    buffer: bool


class _Report(_Part):
    case: Name
    stage: Stage = Field(strict=False)
    ending: Ending = Field(strict=False)
    seconds: Annotated[float, Field(ge=0, le=3_600)]
    fault: _Fault | None = None
    parameters: Annotated[list[_Parameter], Field(max_length=policy.PARAMETERS)] = []
    bound: Annotated[dict[Name, Text | None], Field(max_length=32)] = {}
    unclaimed: Annotated[list[Name], Field(max_length=policy.PARAMETERS)] = []
    biases: Annotated[list[Name], Field(max_length=policy.PARAMETERS)] = []
    hidden: Annotated[list[Name], Field(max_length=policy.HIDDEN)] = []
    kept: Annotated[list[_Kept], Field(max_length=policy.KEPT)] = []
    calls: Annotated[list[_Call], Field(max_length=16)] = []
    tape: _Tape | None = None


# How the observer itself can see a case end; the others are seen from outside.
OBSERVED = frozenset({Ending.RETURNED, Ending.DID_NOT_LOAD, Ending.RAISED, Ending.OUT_OF_MEMORY})


class GarbledReport(ValueError):
    """A report that the observer would not write: somebody else wrote it."""


def parse_report(header: bytes, tensors: Sequence[Tensor]) -> Observation:
    """Validate one report.

    Args:
        header: JSON as it came from the worker.
        tensors: the CPU tensors of the same frame.

    Raises:
        GarbledReport: the JSON or an index is not what the observer writes.
    """
    try:
        report = _Report.model_validate_json(header)
        _must(report.ending in OBSERVED, "an ending that only the other side can know of")
        _must((report.fault is None) is (report.ending is Ending.RETURNED), "an ending without its exception")
        calls = tuple(_call(call, tensors) for call in report.calls)
        tape = _tape(report.tape, tensors) if report.tape is not None else ()
    except (ValidationError, IndexError, RuntimeError) as error:
        raise GarbledReport(f"The report of a case is malformed: {type(error).__name__}.") from error
    return Observation(
        case=report.case,
        ending=report.ending,
        stage=report.stage,
        fault=_fault(report.fault) if report.fault else None,
        parameters=tuple(Parameter(p.name, tuple(p.shape), p.trainable, p.same_as) for p in report.parameters),
        bound=report.bound,
        unclaimed=tuple(report.unclaimed),
        biases=tuple(report.biases),
        hidden=tuple(report.hidden),
        kept=tuple(Kept(one.name, tuple(one.shape), one.buffer) for one in report.kept),
        calls=calls,
        tape=tape,
        seconds=report.seconds,
    )


def _must(fact: bool, otherwise: str) -> None:
    if not fact:
        raise GarbledReport(f"The report of a case has {otherwise}.")


def _fault(fault: _Fault) -> Fault:
    shapes = tuple(tuple(shape) for shape in fault.shapes)
    return Fault(fault.type, without_places(fault.message), fault.line, fault.operation, shapes)


def _tape(tape: _Tape, tensors: Sequence[Tensor]) -> tuple[Step, ...]:
    """Cut the flat tensors into the results of the steps, in order."""
    flat, offsets = [tensors[index] for index in tape.flat], [0] * len(tape.flat)
    # Each once: numbers that came once are not to be looked at sixteen times.
    _must(len(set(tape.flat)) == len(flat) and all(one.dim() == 1 for one in flat), "values that are not laid flat")
    steps = []
    for number, step in enumerate(tape.steps):
        value = None
        if step.value is not None:
            group, shape = step.value
            # A zero hides sizes whose strides overflow, so it counts as one.
            _must(math.prod(max(size, 1) for size in shape) <= policy.TENSOR_BYTES, "a value of sizes that overflow")
            start = offsets[group]
            offsets[group] = start + math.prod(shape)
            value = flat[group][start : offsets[group]].view(shape)
        if any(isinstance(source, int) and source >= number for source in step.takes):
            raise IndexError("a step takes what comes after it")
        shapes = tuple(tuple(given) for given in step.shapes)
        steps.append(Step(step.name, step.line, tuple(step.takes), shapes, value, step.device, step.outer))
    return tuple(steps)


def _call(call: _Call, tensors: Sequence[Tensor]) -> Call:
    if call.container not in ("tuple", "list"):
        alone = len(call.items) == 1 and (call.container == "tensor" or call.items[0].tensor is None)
        _must(alone, f"a {call.container} that holds something else")
    items = tuple(
        Foreign(item.other or "nothing") if item.tensor is None else tensors[item.tensor] for item in call.items
    )
    gradients = {role: None if index is None else tensors[index] for role, index in call.gradients.items()}
    return Call(call.container, items, tuple(call.operations), gradients, tuple(call.disturbed))
