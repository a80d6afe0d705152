"""What a submission returned, call by call, beside everything needed to work out what a program of ours would return."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import torch

from checkers._shapes import sizes
from checkers.base import Call, Ending, Seen, Step
from tutor.content import Case, Exercise
from tutor.planning import Construction, Plan, PlannedCase, construction
from tutor.sandbox.inside.places import own_name

Build = Callable[..., torch.nn.Module]


@dataclass(frozen=True)
class Situation:
    """One call: what was given, what the submission returned by the names of the result stages, and its tape.

    A call that raised has no results, and its tape ends where it did. Only the first call of a case, or one that raised, has a tape.
    ``dims`` are the named sizes of the call, ``dtype`` the type of its inputs, ``arguments`` what the constructor was given by name. ``memory`` keeps what was worked out for it, so that it is worked out once.
    """

    case: str
    call: int
    given: Mapping[str, Any]
    results: Mapping[str, torch.Tensor]
    tape: tuple[Step, ...] = ()
    dims: Mapping[str, int] = field(default_factory=dict)
    dtype: str = "float32"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def single(self) -> Situation:
        """The same in float32, as the submission computes: what a program gives there is as far from the truth as rounding takes it."""
        if "single" not in self.memory:
            given = {name: _single(value) for name, value in self.given.items()}
            self.memory["single"] = replace(self, given=given, memory={})
        made: Situation = self.memory["single"]
        return made


def _single(value: Any) -> Any:
    match value:
        case torch.Tensor():
            return value.float() if value.is_floating_point() else value
        case torch.nn.Module():
            return copy.deepcopy(value).float()
        case SimpleNamespace():
            return SimpleNamespace(**{name: _single(one) for name, one in vars(value).items()})
    return value


def situations(
    exercise: Exercise, plan: Plan, seen: Seen, results: Sequence[str], build: Build | None
) -> list[Situation]:
    """All calls in evaluation mode with the weights given, in the order of the cases.

    Args:
        exercise: what was asked.
        plan: the attempt.
        seen: what the submission did.
        results: names of the stages that are returned, in order.
        build: the reference's class, or None where the reference is a function.
    """
    rooms, found = _Rooms(exercise, plan, build), []
    for planned in plan.cases:
        observation = seen.get(planned["name"])
        if observation is None or planned["construct_only"] or planned["fresh"] or rooms.refused(planned):
            continue
        case = exercise.case(planned["name"])
        for number, call in enumerate(planned["calls"]):
            if number < len(observation.calls) and not call["train"]:
                tensors = _named(observation.calls[number], results, _shapes(exercise, case, number))
                tape = observation.tape if number == 0 and observation.ending is Ending.RETURNED else ()
                found.append(_situation(case, number, rooms.given(planned, number), tensors, tape))
        if observation.ending is Ending.RAISED and len(observation.calls) < len(planned["calls"]):
            number = len(observation.calls)
            found.append(_situation(case, number, rooms.given(planned, number), {}, observation.tape))
    return found


def _situation(
    case: Case, number: int, given: Mapping[str, Any], results: Mapping[str, torch.Tensor], tape: tuple[Step, ...]
) -> Situation:
    dims = case.dims_of(number)
    return Situation(case.name, number, given, results, tape, dims, dtype=case.dtype, arguments=case.arguments)


def _shapes(exercise: Exercise, case: Case, number: int) -> list[tuple[int, ...]]:
    dims = case.dims_of(number)
    return [sizes(axes, dims) for axes in exercise.entry.returns.values()]


def _named(call: Call, results: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> dict[str, torch.Tensor]:
    """The results that have the right shape, even where one is left out or they stand in another order."""
    tensors = [item if isinstance(item, torch.Tensor) and item.is_floating_point() else None for item in call.items]
    found: dict[str, torch.Tensor] = {}
    for place, (name, shape) in enumerate(zip(results, shapes, strict=True)):
        for tensor in (*tensors[place : place + 1], *tensors):
            if tensor is not None and tuple(tensor.shape) == shape:
                found.setdefault(name, tensor)
    return found


class _Rooms:
    """Inputs in float64 by name, None where one is not given, the first call's under ``first``, and ``self`` with the weights of the case."""

    def __init__(self, exercise: Exercise, plan: Plan, build: Build | None) -> None:
        self._absent = dict.fromkeys(exercise.entry.keyword)
        self._tensors = [t.double() if t.is_floating_point() else t for t in plan.tensors]
        self._build = build
        self._modules: dict[Construction, torch.nn.Module] = {}

    def given(self, case: PlannedCase, number: int) -> Mapping[str, Any]:
        room: dict[str, Any] = {**self._inputs(case, number), "first": SimpleNamespace(**self._inputs(case, 0))}
        return room if self._build is None else {**room, "self": self._module(case, self._build)}

    def refused(self, case: PlannedCase) -> bool:
        """Whether the right answer refuses these sizes, so that there is nothing to compare."""
        try:
            self.given(case, 0)
        except Exception:
            return True
        return False

    def _inputs(self, case: PlannedCase, number: int) -> dict[str, Any]:
        call = case["calls"][number]
        indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
        return self._absent | {name: self._tensors[index] for name, index in indices.items()}

    def _module(self, case: PlannedCase, build: Build) -> torch.nn.Module:
        key = construction(case)
        if key not in self._modules:
            module = build(*case["construct"], **case["arguments"]).double().eval()
            with torch.no_grad():
                for role, index in case["weights"].items():
                    module.get_parameter(own_name(role)).copy_(self._tensors[index])
            self._modules[key] = module
        return self._modules[key]
