"""Observe, never grade: load a source, build its class, put weights in, call it on tensors, report what came out.

The same code watches a submission behind the walls and, in the trusted process, a source of ours. A job and a report are plain JSON values plus a list of tensors; an integer in the JSON is an index into that list.

Job: ``source``, ``entry`` {kind, name}, ``roles`` {name: other names}, ``tensor_bytes`` (largest tensor sent back) and
``device`` (where the work is done; the CPU if absent) and ``cases``, each with ``name``, ``construct`` (positional arguments), ``arguments`` (those by name), ``construct_only``, ``shapes`` {role: shape}, ``weights`` {role: index},
``calls`` [{args, names, kwargs, train}], ``record``, ``tape``, ``gradients``, ``fresh`` and ``dtype``. Report: one header per case, in the order of the job, the load first, then ``{"done": true}``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import torch
from torch import nn

from . import policy
from .binding import bind
from .building import build
from .learning import copies, gradients, sent_along
from .loading import MAIN, ending_of, fault_of, load_entry
from .places import Binding
from .recorder import Recorder
from .registry import kept, registered
from .tape import Tape
from .tensors import refusal, shape_of, to_wire
from .watch import Watch
from .wire import TensorBytes

LOAD = "load"
Header = dict[str, Any]
Emit = Callable[[Header, Sequence[TensorBytes]], None]


def serve(job: Mapping[str, Any], tensors: Sequence[torch.Tensor], emit: Emit) -> None:
    """Work through a job and emit one report per case. The student's exceptions are part of the report."""
    entry = _load(job, emit)
    if entry is not None:
        for case in job["cases"]:
            observe_case(entry, job, case, tensors, emit)
    emit({"done": True}, [])


def _load(job: Mapping[str, Any], emit: Emit) -> Any:
    started = time.perf_counter()
    header: Header = {"case": LOAD, "stage": LOAD, "ending": "returned"}
    entry = None
    try:
        entry = load_entry(job["source"], job["entry"]["kind"], job["entry"]["name"])
    except BaseException as error:
        header |= {
            "ending": ending_of(error, "did_not_load"),
            "fault": fault_of(error, loading=job["entry"]["kind"] != MAIN),
        }
    emit(header | {"seconds": time.perf_counter() - started}, [])
    return entry


def observe_case(
    entry: Any, job: Mapping[str, Any], case: Mapping[str, Any], tensors: Sequence[torch.Tensor], emit: Emit
) -> None:
    """Run one case on a fresh module and emit its report; a case that fails says how far it came."""
    started = time.perf_counter()
    watched = _Case(case, job, tensors)
    try:
        watched.run(entry)
    except BaseException as error:
        watched.header |= {"ending": ending_of(error, "raised"), "fault": fault_of(error)}
        if isinstance(error, Exception) and watched.header["ending"] == "raised":
            watched.retrace(entry)
    if watched.tape is not None:
        watched.header["tape"] = watched.tape.report(watched.sent)
    emit(watched.header | {"seconds": time.perf_counter() - started}, watched.sent)


class _Case:
    """One case under way; ``header`` and ``sent`` hold what has been seen of it so far."""

    def __init__(self, case: Mapping[str, Any], job: Mapping[str, Any], tensors: Sequence[torch.Tensor]) -> None:
        self.case, self.job, self.tensors = case, job, tensors
        self.device = torch.device(job.get("device", "cpu"))
        self.header: Header = {"case": case["name"], "stage": "construct", "ending": "returned", "calls": []}
        self.sent: list[TensorBytes] = []
        self.tape: Tape | None = None
        self.binding: Binding | None = None

    def run(self, entry: Any) -> None:
        if self.case["gradients"]:
            try:
                self._run(entry, gradients=True)
                return
            except Exception:
                if self.header["stage"] != "call" or self.header["calls"]:
                    raise
        # What gradients can flow into cannot be made a numpy array, say, which is no fault of who only looks at it: once more
        # without, on a module of its own.
        self._run(entry, gradients=False)

    def _run(self, entry: Any, *, gradients: bool) -> None:
        target = self._ready(entry)
        if self.case["construct_only"]:
            return
        self.header["stage"] = "call"
        watch = Watch(target)
        for number, call in enumerate(self.case["calls"]):
            original = self._originals(call, gradients=gradients and number == 0)
            self.header["calls"].append(self._call(target, call, original, watch, first=number == 0))

    def retrace(self, entry: Any) -> None:
        """Run the call that raised once more with the tape on, on a module of its own: it shows where and with what shapes."""
        if self.header["stage"] != "call":
            return
        if self.tape is None or self.header["calls"]:
            again = _Case(self.case, self.job, self.tensors)
            with suppress(Exception):
                again.tape_last(entry, len(self.header["calls"]) + 1)
            self.tape = again.tape
        if self.tape is not None:
            self.header["fault"] |= self.tape.failed(self.header["fault"]["line"])

    def tape_last(self, entry: Any, number: int) -> None:
        """Make so many calls on a module of its own, the last one with the tape on."""
        target = self._ready(entry)
        calls = self.case["calls"][:number]
        for call in calls:
            if isinstance(target, nn.Module):
                target.train(call["train"])
            self._returned(target, copies(self._originals(call)), call, taped=call is calls[-1])

    def _ready(self, entry: Any) -> Any:
        """The function, or a module with its weights in place."""
        target = entry if self.job["entry"]["kind"] == "function" else self._construct(entry)
        if self.case["construct_only"] or self.binding is None:
            return target
        self.header["stage"] = "bind"
        if not self.case["fresh"]:
            weights = {role: self.tensors[index] for role, index in self.case["weights"].items()}
            self.binding.load(registered(target), weights)
        # What is float32 already is left as it was made: a layer in another type is the student's doing.
        if self.case["dtype"] == "float64":
            target = target.double()
        return (target if self.device.type == "cpu" else target.to(self.device)).eval()

    def _construct(self, entry: Any) -> nn.Module:
        case = self.case
        target = build(entry, case["construct"], case["arguments"], fresh=case["fresh"], counted=case["construct_only"])
        self.binding = bind(target, self.job["roles"], case["shapes"], self.job["source"])
        self.header |= self.binding.header() | {"kept": kept(target)}
        return target

    def _call(
        self, target: Any, call: Mapping[str, Any], original: Mapping[str, torch.Tensor], watch: Watch, *, first: bool
    ) -> Header:
        given = copies(original)
        # It is in evaluation mode from the start; setting that anew for every call would cost more than the call.
        if isinstance(target, nn.Module) and target.training != call["train"]:
            target.train(call["train"])
        watch.before()
        recorder = Recorder()
        with recorder if first and self.case["record"] else nullcontext():
            returned = self._returned(target, given, call, taped=first and self.case["tape"])
        disturbed = watch.disturbed(given, original)
        container, values = _unpack(returned)
        items = [self._item(value) for value in values]
        report: Header = {"container": container, "operations": recorder.operations, "items": items}
        if first and self.case["gradients"]:
            report["gradients"] = sent_along(self._gradients(target, values[0], original), self.sent)
        return report | {"disturbed": disturbed}

    def _item(self, value: Any) -> Header:
        if not isinstance(value, torch.Tensor):
            return {"other": _called(value)}
        if (what := refusal(value)) is not None:
            return {"other": what}
        with torch._C.DisableTorchFunctionSubclass():
            tensor = torch.Tensor.detach(value).as_subclass(torch.Tensor)
        if tensor.device.type != self.device.type:
            return {"other": f"a tensor on the device {tensor.device}"}
        if tensor.numel() * tensor.element_size() > self.job["tensor_bytes"]:
            return {"other": f"a tensor of shape {shape_of(tensor)}, far larger than the result can be"}
        encoded = to_wire(tensor)
        if isinstance(encoded, str):
            return {"other": encoded}
        self.sent.append(encoded)
        return {"tensor": len(self.sent) - 1}

    def _originals(self, call: Mapping[str, Any], *, gradients: bool = False) -> dict[str, torch.Tensor]:
        """What the call is given copies of; ``gradients`` are to arrive here."""
        indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
        found = {name: self.tensors[index].detach().to(self.device) for name, index in indices.items()}
        for name in (name for name, tensor in found.items() if tensor.is_floating_point()):
            found[name] = found[name].to(getattr(torch, self.case["dtype"])).requires_grad_(gradients)
        return found

    def _returned(self, target: Any, given: Mapping[str, torch.Tensor], call: Mapping[str, Any], *, taped: bool) -> Any:
        if taped:
            self.tape = Tape({**given, **_owned(target)})
        # Grad mode on, whatever the file set at its top: switching it off inside forward is the fault.
        with torch.enable_grad(), self.tape if taped and self.tape is not None else nullcontext():
            return target(*(given[name] for name in call["names"]), **{name: given[name] for name in call["kwargs"]})

    def _gradients(
        self, target: Any, result: Any, original: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor | None]:
        """With respect to every role that has a place, and to the inputs, if gradients may flow into these; a function has no others."""
        if self.binding is None:
            return gradients(result, {name: one for name, one in original.items() if one.is_floating_point()})
        inputs = {name: one for name, one in original.items() if one.requires_grad}
        weights = self.binding.wanted(registered(target))
        # A layer may be called like an input, but not like this.
        found = gradients(result, weights | {f"input:{name}": tensor for name, tensor in inputs.items()})
        roles = {role: self.binding.assemble(role, found) for role, places in self.binding.places.items() if places}
        return {name: found[f"input:{name}"] for name in inputs} | roles


def _owned(target: Any) -> dict[str, torch.Tensor]:
    if not isinstance(target, nn.Module):
        return {}
    parameters = {f"parameter:{name}": parameter for name, parameter in registered(target).items()}
    return parameters | {f"buffer:{name}"[:120]: buffer for name, buffer in target.named_buffers()}


def _unpack(returned: Any) -> tuple[str, list[Any]]:
    if isinstance(returned, torch.Tensor):
        return "tensor", [returned]
    if isinstance(returned, tuple | list) and returned:
        name = "tuple" if isinstance(returned, tuple) else "list"
        return name, list(returned[: policy.RESULTS])
    return "none" if returned is None else "other", [returned]


def _called(value: Any) -> str:
    if value is None:
        return "None"
    kind = type(value).__name__[:60]
    return f"an empty {kind}" if isinstance(value, tuple | list) and not value else f"a value of type {kind}"
