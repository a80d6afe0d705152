"""Plans what to observe for one attempt: the cases of an exercise with fresh weights and inputs, drawn from one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from checkers._shapes import sizes
from tutor.content import Case, Exercise, Role
from tutor.inputs import Drawer
from tutor.sandbox.inside.places import BIAS

# Results of the exercises are a few kilobytes; the cap leaves room for every size the cases use.
TENSOR_BYTES = 262_144

Tensors = tuple[torch.Tensor, ...]
PlannedCase = Mapping[str, Any]
Construction = tuple[tuple[int, ...], tuple[tuple[str, Any], ...]]


@dataclass(frozen=True)
class Plan:
    """One attempt's cases with fresh weights and inputs: a job without a source, and its tensors in float32."""

    entry: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    cases: tuple[PlannedCase, ...]
    tensors: Tensors

    def job(self, source: str, device: str = "cpu") -> dict[str, Any]:
        """The job for a source, as ``inside/observe.py`` takes it; the tensors are sent to ``device`` there."""
        return {
            "source": source,
            "entry": self.entry,
            "roles": self.roles,
            "tensor_bytes": TENSOR_BYTES,
            "device": device,
            "cases": self.cases,
        }


def plan(exercise: Exercise, seed: int, *, whole: bool = False) -> Plan:
    """Draw the weights and inputs of every case from one seed; with ``whole``, weights are small whole numbers."""
    planner = _Planner(exercise, Drawer(seed, whole=whole))
    cases = tuple(planner.case(case) for case in exercise.cases)
    entry = {"kind": exercise.entry.kind, "name": exercise.entry.name}
    roles = {role.name: role.aliases for role in exercise.roles}
    return Plan(entry=entry, roles=roles, cases=cases, tensors=tuple(planner.tensors))


def joined(plans: Sequence[Plan]) -> Plan:
    """One plan with the cases of several, which all ask the same of a source."""
    cases: list[PlannedCase] = []
    tensors: list[torch.Tensor] = []
    for one in plans:
        cases += [_moved(case, len(tensors)) for case in one.cases]
        tensors += one.tensors
    return replace(plans[0], cases=tuple(cases), tensors=tuple(tensors))


def _moved(case: PlannedCase, by: int) -> PlannedCase:
    """A case whose tensors stand so many places further back."""
    calls = [
        {
            **call,
            "args": [index + by for index in call["args"]],
            "kwargs": {name: index + by for name, index in call["kwargs"].items()},
        }
        for call in case["calls"]
    ]
    return {**case, "weights": {role: index + by for role, index in case["weights"].items()}, "calls": calls}


def construction(case: PlannedCase) -> Construction:
    """What the constructor is given in a case: sizes by position, arguments by name. Equal ones build equal modules."""
    return tuple(case["construct"]), tuple(case["arguments"].items())


class _Planner:
    """Draws tensors into one list; a case refers to them by index. Cases of one width share their weights."""

    def __init__(self, exercise: Exercise, drawer: Drawer) -> None:
        self._exercise, self._drawer = exercise, drawer
        self._weights: dict[tuple[str, tuple[int, ...]], int] = {}
        self.tensors: list[torch.Tensor] = []

    def case(self, case: Case) -> dict[str, Any]:
        entry = self._exercise.entry
        called = not case.construct_only
        return {
            "name": case.name,
            "construct": [case.dims[name] for name in entry.constructor],
            "arguments": dict(case.arguments),
            "construct_only": case.construct_only,
            "shapes": {name: list(sizes(axes, case.dims)) for name, axes in self._axes(case).items()},
            "weights": self._loaded(case) if called else {},
            "calls": self._calls(case) if called else [],
            "record": case.record,
            "tape": case.tape,
            "gradients": case.gradients,
            "fresh": case.fresh,
            "dtype": case.dtype,
        }

    def _calls(self, case: Case) -> list[dict[str, Any]]:
        entry, modes = self._exercise.entry, (False, *(again.train for again in case.again))
        kept: dict[int, int] = {}
        calls = []
        for inputs, train in zip(self._drawer.calls(case), modes, strict=True):
            # What a later call is given again is the same tensor, and travels once.
            for tensor in inputs.values():
                if id(tensor) not in kept:
                    kept[id(tensor)] = self._keep(tensor)
            indices = {name: kept[id(tensor)] for name, tensor in inputs.items()}
            calls.append(
                {
                    "args": [indices[name] for name in entry.positional],
                    "names": list(entry.positional),
                    "kwargs": {name: indices[name] for name in entry.keyword if name in indices},
                    "train": train,
                }
            )
        return calls

    def _axes(self, case: Case) -> dict[str, str]:
        """The shape of each role's weight and, under ``ROLE.bias``, of its bias."""
        weights = {role.name: role.shape for role in self._exercise.roles}
        return weights | {f"{role}{BIAS}": axes for role, axes in self._exercise.biases(case).items()}

    def _loaded(self, case: Case) -> dict[str, int]:
        weights = {role.name: self._weight(role, case) for role in self._exercise.roles}
        biases = self._exercise.biases(case)
        return weights | {f"{role}{BIAS}": self._bias(role, axes, case) for role, axes in biases.items()}

    def _weight(self, role: Role, case: Case) -> int:
        key = role.name, sizes(role.shape, case.dims)
        if key not in self._weights:
            self._weights[key] = self._keep(self._drawer.weights(role, case.dims))
        return self._weights[key]

    def _bias(self, role: str, axes: str, case: Case) -> int:
        key = f"{role}{BIAS}", sizes(axes, case.dims)
        if key not in self._weights:
            self._weights[key] = self._keep(self._drawer.bias(axes, case.dims))
        return self._weights[key]

    def _keep(self, tensor: torch.Tensor) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1
