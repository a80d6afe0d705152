"""Observe, never grade: load a source, build its class, put weights in, call it on tensors, report what came out.

The same code watches a submission behind the walls and, in the trusted process, a source of ours. A job and a report are plain JSON values plus a list of tensors; an integer in the JSON is an index into that list.

Job: ``source``, ``entry`` {kind, name}, ``roles`` {name: other names}, ``tensor_bytes`` (largest tensor sent back) and
``cases``, each with ``name``, ``construct`` (positional arguments), ``construct_only``, ``shapes`` {role: shape}, ``weights`` {role: index},
``calls`` [{args, names, kwargs, train}], ``record``, ``tape``, ``gradients``, ``fresh`` and ``dtype``. Report: one header per case, in the order of the job, the load first, then ``{"done": true}``.
"""

from __future__ import annotations

import inspect
import math
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import torch
from torch import nn

from .binding import bind
from .learning import gradients, sent_along
from .places import Binding
from .recorder import Recorder
from .registry import registered
from .tape import Tape
from .tensors import to_wire
from .watch import Watch
from .wire import TensorBytes

FILENAME = "submission.py"
LOAD = "load"
MESSAGE_CHARS = 2_000
ITEMS = 16
Header = dict[str, Any]
Emit = Callable[[Header, Sequence[TensorBytes]], None]


class MissingEntry(Exception):
    """The file ran, but what the exercise asks for is not in it."""


class NotAModule(Exception):
    """The class is there but does not inherit from ``nn.Module``."""


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
        header |= {"ending": _ending(error, "did_not_load"), "fault": fault_of(error, loading=True)}
    emit(header | {"seconds": time.perf_counter() - started}, [])
    return entry


def load_entry(source: str, kind: str, name: str) -> Any:
    """Run the source as a module called ``submission`` and return the class or function it defines under ``name``.

    Raises:
        MissingEntry: nothing of that kind has that name; the message lists what is there instead.
        BaseException: whatever the source itself raises.
    """
    module = types.ModuleType("submission")
    module.__file__ = FILENAME
    sys.modules["submission"] = module
    exec(compile(source, FILENAME, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  running it is the job
    found = module.__dict__.get(name)
    if isinstance(found, type) if kind == "class" else inspect.isfunction(found):
        return found
    wanted = inspect.isclass if kind == "class" else inspect.isfunction
    own = [key for key, value in module.__dict__.items() if wanted(value) and value.__module__ == "submission"]
    if found is not None:
        own.insert(0, f"{name} (a {type(found).__name__})")
    raise MissingEntry(", ".join(own[:ITEMS]))


def observe_case(
    entry: Any, job: Mapping[str, Any], case: Mapping[str, Any], tensors: Sequence[torch.Tensor], emit: Emit
) -> None:
    """Run one case on a fresh module and emit its report; a case that fails says how far it came."""
    started = time.perf_counter()
    watched = _Case(case, job, tensors)
    try:
        watched.run(entry)
    except BaseException as error:
        watched.header |= {"ending": _ending(error, "raised"), "fault": fault_of(error)}
        if isinstance(error, Exception) and watched.header["ending"] == "raised":
            watched.retrace(entry)
    if watched.tape is not None:
        watched.header["tape"] = watched.tape.report(watched.sent)
    emit(watched.header | {"seconds": time.perf_counter() - started}, watched.sent)


class _Case:
    """One case under way; ``header`` and ``sent`` hold what has been seen of it so far."""

    def __init__(self, case: Mapping[str, Any], job: Mapping[str, Any], tensors: Sequence[torch.Tensor]) -> None:
        self.case, self.job, self.tensors = case, job, tensors
        self.header: Header = {"case": case["name"], "stage": "construct", "ending": "returned", "calls": []}
        self.sent: list[TensorBytes] = []
        self.tape: Tape | None = None
        self.binding: Binding | None = None

    def run(self, entry: Any) -> None:
        target = self._ready(entry)
        if self.case["construct_only"]:
            return
        self.header["stage"] = "call"
        watch = Watch(target)
        for number, call in enumerate(self.case["calls"]):
            self.header["calls"].append(self._call(target, call, watch, first=number == 0))

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
            self._returned(target, self._given(call), call, taped=call is calls[-1])

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
        return (target.double() if self.case["dtype"] == "float64" else target).eval()

    def _construct(self, entry: Any) -> nn.Module:
        if isinstance(entry, type) and not issubclass(entry, nn.Module):
            raise NotAModule(entry.__name__)
        target = entry(*self.case["construct"]) if self.case["fresh"] else self._quickly(entry)
        self.binding = bind(target, self.job["roles"], self.case["shapes"], self.job["source"])
        self.header |= self.binding.header()
        return target

    def _quickly(self, entry: Any) -> nn.Module:
        """A module whose own weights nobody will look at: only counted, or about to be replaced."""
        if self.case["construct_only"]:
            # A constructor may look at its fresh weights and not like what lies in raw memory.
            with suppress(Exception), _initialising(lambda layer: None):
                return entry(*self.case["construct"])  # type: ignore[no-any-return]
        with _initialising(_uniform):
            return entry(*self.case["construct"])  # type: ignore[no-any-return]

    def _call(self, target: Any, call: Mapping[str, Any], watch: Watch, *, first: bool) -> Header:
        given = self._given(call)
        original = {name: tensor.clone() for name, tensor in given.items()}
        # It is in evaluation mode from the start; setting that anew for every call would cost more than the call.
        if isinstance(target, nn.Module) and target.training != call["train"]:
            target.train(call["train"])
        watch.before()
        recorder = Recorder()
        with recorder if first and self.case["record"] else nullcontext():
            returned = self._returned(target, given, call, taped=first and self.case["tape"])
        disturbed = watch.disturbed(given, original)
        container, values = _unpack(returned)
        items = [_item(value, self.job["tensor_bytes"], self.sent) for value in values]
        report: Header = {"container": container, "operations": recorder.operations, "items": items}
        if self.case["gradients"]:
            report["gradients"] = sent_along(self._gradients(target, values[0], given, call), self.sent)
        return report | {"disturbed": disturbed}

    def _given(self, call: Mapping[str, Any]) -> dict[str, torch.Tensor]:
        """Clones, so that code which changes its inputs in place cannot change what a later call is given."""
        indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
        dtype = getattr(torch, self.case["dtype"])
        given = {name: self.tensors[index].clone() for name, index in indices.items()}
        return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in given.items()}

    def _returned(self, target: Any, given: Mapping[str, torch.Tensor], call: Mapping[str, Any], *, taped: bool) -> Any:
        if self.case["gradients"] and not isinstance(target, nn.Module):
            for name in call["names"]:
                given[name].requires_grad_()
        if taped:
            self.tape = Tape({**given, **_owned(target)})
        # Grad mode on, whatever the file set at its top: switching it off inside forward is the fault.
        with torch.enable_grad(), self.tape if taped and self.tape is not None else nullcontext():
            return target(*(given[name] for name in call["names"]), **{name: given[name] for name in call["kwargs"]})

    def _gradients(
        self, target: Any, result: Any, given: Mapping[str, torch.Tensor], call: Mapping[str, Any]
    ) -> dict[str, torch.Tensor | None]:
        """With respect to every role that has a place, or to the inputs of a function."""
        if self.binding is None:
            return gradients(result, {name: given[name] for name in call["names"]})
        found = gradients(result, self.binding.wanted(registered(target)))
        return {role: self.binding.assemble(role, found) for role, places in self.binding.places.items() if places}


def _owned(target: Any) -> dict[str, torch.Tensor]:
    if not isinstance(target, nn.Module):
        return {}
    parameters = {f"parameter:{name}": parameter for name, parameter in registered(target).items()}
    return parameters | {f"buffer:{name}"[:120]: buffer for name, buffer in target.named_buffers()}


@contextmanager
def _initialising(fill: Callable[[nn.Linear], None]) -> Iterator[None]:
    """Let ``nn.Linear`` begin with what ``fill`` makes of it. Random numbers for a million weights take 4 ms."""
    original = nn.Linear.reset_parameters
    nn.Linear.reset_parameters = fill  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        nn.Linear.reset_parameters = original  # type: ignore[method-assign]


def _uniform(layer: nn.Linear) -> None:
    """The numbers torch begins with, without the detour through ``nn.init``, which takes longer than a small matrix product."""
    bound = 1 / math.sqrt(layer.in_features) if layer.in_features else 0.0
    with torch.no_grad():
        layer.weight.uniform_(-bound, bound)
        if layer.bias is not None:
            layer.bias.uniform_(-bound, bound)


def _unpack(returned: Any) -> tuple[str, list[Any]]:
    if isinstance(returned, torch.Tensor):
        return "tensor", [returned]
    if isinstance(returned, tuple | list):
        name = "tuple" if isinstance(returned, tuple) else "list"
        return name, list(returned[:ITEMS])
    return "none" if returned is None else "other", [returned]


def _item(value: Any, tensor_bytes: int, sent: list[TensorBytes]) -> Header:
    if not isinstance(value, torch.Tensor):
        return {"other": "None" if value is None else f"a value of type {type(value).__name__[:60]}"}
    with torch._C.DisableTorchFunctionSubclass():
        tensor = torch.Tensor.detach(value).as_subclass(torch.Tensor)
    size = tensor.numel() * tensor.element_size()
    if size > tensor_bytes:
        return {"other": f"a tensor of shape {tuple(tensor.shape)}, far larger than the result can be"}
    encoded = to_wire(tensor)
    if isinstance(encoded, str):
        return {"other": encoded}
    sent.append(encoded)
    return {"tensor": len(sent) - 1}


def _ending(error: BaseException, otherwise: str) -> str:
    allocator = isinstance(error, RuntimeError) and "allocate memory" in _text(error)
    return "out_of_memory" if isinstance(error, MemoryError) or allocator else otherwise


def fault_of(error: BaseException, *, loading: bool = False) -> Header:
    """Type, text and line of an exception; nothing here trusts the exception object.

    The line is the last one of the submission on the stack; while loading, the last one outside any function, since that
    is the statement which should not have run.
    """
    line = None
    if isinstance(error, SyntaxError) and error.filename == FILENAME:
        line = error.lineno
    else:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == FILENAME and not (loading and code.co_flags & inspect.CO_OPTIMIZED):
                line = trace.tb_lineno
            trace = trace.tb_next
    text = error.msg if isinstance(error, SyntaxError) else _text(error)
    return {"type": type(error).__name__[:80], "message": str(text)[:MESSAGE_CHARS], "line": line}


def _text(error: BaseException) -> str:
    try:
        # Half a surrogate pair cannot be stored or shown anywhere.
        return str(error).encode("utf-8", "backslashreplace").decode()
    except BaseException:  # a student's own exception may fail to print itself
        return ""
