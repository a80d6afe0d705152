"""Plans what to observe for one attempt and turns what came back into observations, for submissions and the reference alike."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from checkers.base import Ending, Fault, Observation, Seen, Stage
from tutor.catalog import LOAD
from tutor.errors import SandboxError
from tutor.inputs import Drawer
from tutor.model import Case, Exercise
from tutor.sandbox.inside.observe import load_entry, observe_case, serve
from tutor.sandbox.report import GarbledReport, parse_report

# Results of the exercises are a few kilobytes; the caps leave room for every size the cases use.
TENSOR_BYTES = 262_144
BODY_BYTES = 4_194_304

Tensors = tuple[torch.Tensor, ...]


class Frame(Protocol):
    """One report as it came over the pipe."""

    @property
    def header(self) -> bytes: ...
    @property
    def tensors(self) -> Sequence[torch.Tensor]: ...


class Run(Protocol):
    """What a pool says about one run; see ``tutor.sandbox.pool.Run``."""

    @property
    def frames(self) -> Sequence[Frame]: ...
    @property
    def ending(self) -> str: ...
    @property
    def signal(self) -> int | None: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def out_of_memory(self) -> bool: ...
    @property
    def timed_out_after(self) -> float | None: ...


@dataclass(frozen=True)
class Plan:
    """One attempt's cases with fresh weights and inputs: a job without a source, and its tensors in float32."""

    entry: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    cases: tuple[Mapping[str, Any], ...]
    tensors: Tensors

    def job(self, source: str) -> dict[str, Any]:
        """The job for a source, as ``inside/observe.py`` takes it."""
        return {
            "source": source,
            "entry": self.entry,
            "roles": self.roles,
            "tensor_bytes": TENSOR_BYTES,
            "cases": self.cases,
        }


def plan(exercise: Exercise, seed: int) -> Plan:
    """Draw the weights and inputs of every case from one seed."""
    drawer = Drawer(seed)
    tensors: list[torch.Tensor] = []
    cases = []
    for case in exercise.cases:
        described, drawn = _case(exercise, case, drawer, len(tensors))
        cases.append(described)
        tensors.extend(drawn)
    entry = {"kind": exercise.entry.kind, "name": exercise.entry.name}
    roles = {role.name: role.aliases for role in exercise.roles}
    return Plan(entry=entry, roles=roles, cases=tuple(cases), tensors=tuple(tensors))


def _case(exercise: Exercise, case: Case, drawer: Drawer, offset: int) -> tuple[dict[str, Any], list[torch.Tensor]]:
    drawn: list[torch.Tensor] = []

    def keep(tensor: torch.Tensor) -> int:
        drawn.append(tensor)
        return offset + len(drawn) - 1

    weights, calls = {}, []
    if not case.construct_only:
        weights = {role.name: keep(drawer.weights(role, case.dims)) for role in exercise.roles}
        for inputs in drawer.calls(case):
            indices = {name: keep(tensor) for name, tensor in inputs.items()}
            args = [indices[name] for name in exercise.entry.positional]
            calls.append(
                {"args": args, "kwargs": {name: indices[name] for name in exercise.entry.keyword if name in indices}}
            )
    return {
        "name": case.name,
        "construct": [case.dims[name] for name in exercise.entry.constructor],
        "construct_only": case.construct_only,
        "dtype": "float32",
        "weights": weights,
        "calls": calls,
        "record": case.record,
        "gradients": case.gradients,
    }, drawn


class Reference:
    """The right answer of one exercise, loaded once and observed in float64 in this, the trusted, process.

    Its modules are kept, one per set of constructor arguments: every observation puts fresh weights in anyway, and building
    modules is a third of the work. One observation at a time, therefore.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._entry = load_entry(exercise.reference, exercise.entry.kind, exercise.entry.name)
        self._is_class = exercise.entry.kind == "class"
        self._built: dict[tuple[int, ...], torch.nn.Module] = {}
        self._lock = threading.Lock()

    def observe(self, plan: Plan) -> Seen:
        """Run the same cases on the same values. Cases that only construct carry no numbers and are left out."""
        tensors = [tensor.double() if tensor.is_floating_point() else tensor for tensor in plan.tensors]
        collected, job = _Collector(), plan.job("")
        entry = self._build if self._is_class else self._entry
        with self._lock:
            for case in plan.cases:
                if not case["construct_only"]:
                    observe_case(entry, job, {**case, "dtype": "float64", "record": False}, tensors, collected.emit)
        return collected.seen

    def _build(self, *sizes: int) -> torch.nn.Module:
        if sizes not in self._built:
            self._built[sizes] = self._entry(*sizes)
        return self._built[sizes]


def observe_here(plan: Plan, source: str) -> Seen:
    """Observe a source in this very process, without any wall: for sources that are ours, and for the benchmark's floor."""
    collected = _Collector()
    serve(plan.job(source), plan.tensors, collected.emit)
    return collected.seen


class _Collector:
    def __init__(self) -> None:
        self.seen: dict[str, Observation] = {}

    def emit(self, header: dict[str, Any], tensors: Sequence[torch.Tensor]) -> None:
        if "done" not in header:
            observation = parse_report(json.dumps(header).encode(), tensors)
            self.seen[observation.case] = observation


def observations(plan: Plan, run: Run) -> Seen:
    """Turn the frames of a run into observations; a run that broke off leaves its ending on the case it broke off in.

    Raises:
        SandboxError: the worker was killed from outside, so the run says nothing about the submission.
    """
    order = [LOAD, *(case["name"] for case in plan.cases)]
    seen: dict[str, Observation] = {}
    for name, frame in zip(order, run.frames, strict=False):
        try:
            observation = parse_report(frame.header, frame.tensors)
        except GarbledReport:
            return seen | {name: _broke_off(name, Ending.KILLED, Fault("Garbled", "the result could not be read"))}
        if observation.case != name:
            # ``done`` right after a load that failed is the regular end; anything else was not written by the observer.
            return seen | {name: _broke_off(name, Ending.KILLED, Fault("Garbled", "the result could not be read"))}
        seen[name] = observation
        if name == LOAD and observation.ending is not Ending.RETURNED:
            return seen
    if len(seen) < len(order):
        name = order[len(seen)]
        seen[name] = _ended(name, run)
    return seen


def _ended(name: str, run: Run) -> Observation:
    if run.ending == "timed_out":
        return _broke_off(name, Ending.TIMED_OUT, None, run.timed_out_after or 0.0)
    if run.out_of_memory:
        return _broke_off(name, Ending.OUT_OF_MEMORY, None)
    if run.ending == "signalled" and run.signal == signal.SIGKILL:
        # Student code cannot send signals, so this came from outside.
        raise SandboxError("The worker was killed from outside while it ran a check.")
    words = {
        "exited": Fault("Exited", f"the process ended with code {run.exit_code}"),
        "signalled": Fault("Crashed", f"the process crashed with signal {run.signal}"),
        "too_big": Fault("TooBig", "the result was larger than any right result can be"),
    }
    return _broke_off(name, Ending.KILLED, words.get(run.ending, Fault("Garbled", "the result could not be read")))


def _broke_off(name: str, ending: Ending, fault: Fault | None, seconds: float = 0.0) -> Observation:
    stage = Stage.LOAD if name == LOAD else Stage.CALL
    return Observation(case=name, ending=ending, stage=stage, fault=fault, seconds=seconds)
