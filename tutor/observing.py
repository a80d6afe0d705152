"""From what a worker sent back to observations; and observing in this process, for sources that are ours."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from checkers.base import Call, Ending, Fault, Observation, Seen, Stage
from tutor.content import LOAD
from tutor.errors import SandboxError
from tutor.planning import Plan, PlannedCase
from tutor.sandbox.inside.observe import serve
from tutor.sandbox.inside.tensors import from_wire
from tutor.sandbox.inside.wire import TensorBytes
from tutor.sandbox.report import GarbledReport, parse_report
from tutor.sandbox.run import Frame, Run

GARBLED = Fault("Garbled", "the result could not be read")

# What a source may set for the whole process at its top.
_SWITCHES: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
)


def observe_here(plan: Plan, source: str) -> Seen:
    """Observe a source in this very process, without any wall: for sources that are ours, and for the benchmark's floor."""
    collected = _Collector()
    with _switches_kept():
        serve(plan.job(source), plan.tensors, collected.emit)
    return collected.seen


@contextmanager
def _switches_kept() -> Iterator[None]:
    """Leave torch as it was: whoever comes next, a gradient of the reference's own say, would meet what the source set."""
    found = [read() for read, _ in _SWITCHES]
    try:
        yield
    finally:
        for (read, put), value in zip(_SWITCHES, found, strict=True):
            if read() != value:  # putting the last one takes torch seconds
                put(value)


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
    cases = {LOAD: None} | {case["name"]: case for case in plan.cases}
    order, seen = list(cases), dict[str, Observation]()
    for name, frame in zip(order, run.frames, strict=False):
        observation = _read(frame)
        if observation is None or not _fits(observation, name, cases[name]):
            # The observer writes one report per case, in order, with every call in it; whoever wrote this was not it.
            return seen | {name: _broke_off(name, cases[name], Ending.KILLED, GARBLED)}
        seen[name] = observation
        if name == LOAD and observation.ending is not Ending.RETURNED:
            return seen
    if len(seen) < len(order):
        name = order[len(seen)]
        seen[name] = _ended(name, cases[name], run)
    return seen


def _read(frame: Frame) -> Observation | None:
    try:
        return parse_report(frame.header, frame.tensors)
    except GarbledReport:
        return None


def _fits(observation: Observation, name: str, case: PlannedCase | None) -> bool:
    """Whether a report is that of the case, with every call in it and nothing that was not asked for."""
    calls, returned = observation.calls, observation.ending is Ending.RETURNED
    if observation.case != name or (observation.stage is Stage.LOAD) is not (case is None):
        return False
    if case is None:
        return not (calls or observation.tape)
    asked = (case["tape"] or not (returned and observation.tape)) and all(_was_asked(call, case) for call in calls)
    whole = not returned or (len(calls) == len(case["calls"]) and all(call.items for call in calls))
    return asked and whole and len(calls) <= len(case["calls"])


def _was_asked(call: Call, case: PlannedCase) -> bool:
    return (case["record"] or not call.operations) and (case["gradients"] or not call.gradients)


def _ended(name: str, case: PlannedCase | None, run: Run) -> Observation:
    if run.ending == "timed_out":
        return _broke_off(name, case, Ending.TIMED_OUT, None, run.timed_out_after or 0.0)
    if run.out_of_memory:
        return _broke_off(name, case, Ending.OUT_OF_MEMORY, None)
    if run.ending == "signalled" and run.signal == signal.SIGKILL:
        # Student code cannot send signals, so this came from outside: an operator, or a kernel short of memory.
        raise SandboxError("The worker was killed from outside while it ran a check.")
    words = {
        "exited": Fault("Exited", f"the process ended with code {run.exit_code}"),
        "signalled": Fault("Crashed", f"the process crashed with signal {run.signal}"),
        "too_big": Fault("TooBig", f"the result was larger than any right result can be: {run.too_big}"),
    }
    return _broke_off(name, case, Ending.KILLED, words.get(run.ending, GARBLED))


def _broke_off(
    name: str, case: PlannedCase | None, ending: Ending, fault: Fault | None, seconds: float = 0.0
) -> Observation:
    stage = Stage.LOAD if case is None else Stage.CONSTRUCT if case["construct_only"] else Stage.CALL
    return Observation(case=name, ending=ending, stage=stage, fault=fault, seconds=seconds)
