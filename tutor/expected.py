"""What the right answer does in the same situations. It comes into being only here, in the trusted process."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from checkers.base import Call, Ending, Observation, Seen
from tutor.content import Exercise
from tutor.diagnose import Diagnoser
from tutor.errors import ContentError
from tutor.planning import Construction, Plan, PlannedCase, Tensors, construction
from tutor.sandbox.inside.learning import gradients as derivatives
from tutor.sandbox.inside.loading import load_entry
from tutor.sandbox.inside.places import by_contract, own_name
from tutor.sandbox.inside.registry import registered
from tutor.stages import Evaluator, Stages


class Reference:
    """The right answer of one exercise, loaded once and observed in float64 in this, the trusted, process.

    Its modules are kept, one per set of constructor arguments: every observation puts fresh weights in anyway, and building
    modules is a third of the work. One observation at a time, therefore.

    Raises:
        ContentError: the reference does not load.
    """

    def __init__(self, exercise: Exercise) -> None:
        file = f"reference/{exercise.slug.replace('-', '_')}.py"
        try:
            self._entry = load_entry(exercise.reference, exercise.entry.kind, exercise.entry.name)
        except Exception as error:
            raise ContentError(file, "", f"cannot be loaded: {type(error).__name__}: {error}") from error
        self._exercise, self._is_class = exercise, exercise.entry.kind == "class"
        self._modules: dict[Construction, torch.nn.Module] = {}
        self._lock = threading.Lock()

    def diagnoser(self, exercise: Exercise) -> Diagnoser:
        """What explains failures against this reference."""
        return Diagnoser(exercise, self._scope(), self._entry if self._is_class else None)

    def observe(self, plan: Plan) -> Seen:
        """What the reference does with the same values, case by case, worked out when a case is first asked for."""
        return _Expected(plan, self._observe)

    def _observe(self, case: Mapping[str, Any], tensors: Tensors) -> Observation:
        weights = {role: tensors[index] for role, index in case["weights"].items()}
        with self._lock:
            target = self._built(case, weights) if self._is_class else self._entry
            calls = [
                _called(target, call, tensors, weights, gradients=case["gradients"] and number == 0)
                for number, call in enumerate(case["calls"])
            ]
            # Only these have random numbers in them, which must be told from what they met.
            calls = [
                replace(made, inside=self._inside(target, call, tensors))
                if call["train"] and case["arguments"]
                else made
                for made, call in zip(calls, case["calls"], strict=True)
            ]
        return Observation(case=case["name"], ending=Ending.RETURNED, calls=tuple(calls))

    def _built(self, case: PlannedCase, weights: Mapping[str, torch.Tensor]) -> torch.nn.Module:
        key = construction(case)
        module = self._modules.get(key)
        if module is None:
            module = self._modules[key] = self._entry(*case["construct"], **case["arguments"]).double().eval()
        by_contract(weights).load(registered(module), weights)
        return module

    def _inside(self, module: torch.nn.Module, call: Mapping[str, Any], tensors: Tensors) -> Mapping[str, torch.Tensor]:
        """The stages and the parameters by their names; these are copies, since other weights are put in later."""
        stages = Stages(self._exercise, self._scope())
        room = dict.fromkeys(self._exercise.entry.keyword) | _given(call, tensors) | {"self": module}
        with torch.no_grad():
            values = Evaluator(stages, room).by_name(stages.reference)
            return values | {name: parameter.clone() for name, parameter in registered(module).items()}

    def _scope(self) -> dict[str, Any]:
        """What the stages see besides the inputs: the module's names, and parameters that nobody passes, with their defaults."""
        function = self._entry.forward if self._is_class else self._entry
        parameters = inspect.signature(function).parameters.values()
        defaults = {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}
        return {**function.__globals__, **defaults}


def _given(call: Mapping[str, Any], tensors: Tensors) -> dict[str, torch.Tensor]:
    indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
    return {name: tensors[index] for name, index in indices.items()}


def _called(target: Any, call: Mapping[str, Any], tensors: Tensors, roles: Iterable[str], *, gradients: bool) -> Call:
    """One call, with the gradients of what it returns first by every role and input if they are asked for."""
    given = _given(call, tensors)
    if gradients:
        given = {name: one.clone().requires_grad_() if one.is_floating_point() else one for name, one in given.items()}
    with torch.set_grad_enabled(gradients):
        returned = target(*(given[name] for name in call["names"]), **{name: given[name] for name in call["kwargs"]})
    results = returned if isinstance(returned, tuple) else (returned,)
    container = "tuple" if isinstance(returned, tuple) else "tensor"
    if not gradients:
        return Call(container, results)
    asked = {name: one for name, one in given.items() if one.requires_grad}
    asked |= {role: target.get_parameter(own_name(role)) for role in roles}
    found = derivatives(results[0], asked)
    return Call(container, tuple(one.detach() for one in results), gradients=found)


class _Expected(Mapping[str, Observation]):
    """A lazy mapping: a submission that fails early never pays for the cases behind it."""

    def __init__(self, plan: Plan, observe: Callable[[Mapping[str, Any], Tensors], Observation]) -> None:
        self._observe = observe
        self._tensors = tuple(t.double() if t.is_floating_point() else t for t in plan.tensors)
        self._cases = {case["name"]: case for case in plan.cases if not case["construct_only"]}
        self._known: dict[str, Observation] = {}

    def __getitem__(self, name: str) -> Observation:
        if name not in self._known:
            self._known[name] = self._observe(self._cases[name], self._tensors)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cases)

    def __len__(self) -> int:
        return len(self._cases)
