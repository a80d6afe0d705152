"""From what a worker sent back to observations; and observing in this process, for sources that are ours."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from typing import Any, Protocol

import torch

from checkers.base import Ending, Fault, Observation, Seen, Stage
from tutor.catalog import LOAD
from tutor.errors import SandboxError
from tutor.planning import Plan
from tutor.sandbox.inside.observe import serve
from tutor.sandbox.inside.tensors import from_wire
from tutor.sandbox.inside.wire import TensorBytes
from tutor.sandbox.report import GarbledReport, parse_report


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


def observe_here(plan: Plan, source: str) -> Seen:
    """Observe a source in this very process, without any wall: for sources that are ours, and for the benchmark's floor."""
    collected = _Collector()
    serve(plan.job(source), plan.tensors, collected.emit)
    return collected.seen


class _Collector:
    def __init__(self) -> None:
        self.seen: dict[str, Observation] = {}

    def emit(self, header: dict[str, Any], tensors: Sequence[TensorBytes]) -> None:
        if "done" not in header:
            observation = parse_report(json.dumps(header).encode(), [from_wire(raw) for raw in tensors])
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
