"""Observe, never grade: load a source, build its class, put weights in, call it on tensors, report what came out.

The same code watches a submission behind the walls and, in the trusted process, a source of ours. A job and a report are plain JSON values plus a list of tensors; an integer in the JSON is an index into that list.

Job: ``source``, ``entry`` {kind, name}, ``roles`` {name: other names}, ``tensor_bytes`` (largest tensor sent back) and
``cases``, each with ``name``, ``construct`` (positional arguments), ``construct_only``, ``weights`` {role: index},
``calls`` [{args, kwargs}], ``record`` and ``gradients``. Report: one header per case, in the order of the job, the load first, then ``{"done": true}``.
"""

from __future__ import annotations

import inspect
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import nn

from .binding import bind, describe, load_weights, registered
from .recorder import Recorder
from .tensors import to_wire
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
    emit(watched.header | {"seconds": time.perf_counter() - started}, watched.sent)


class _Case:
    """One case under way; ``header`` and ``sent`` hold what has been seen of it so far."""

    def __init__(self, case: Mapping[str, Any], job: Mapping[str, Any], tensors: Sequence[torch.Tensor]) -> None:
        self.case, self.job, self.tensors = case, job, tensors
        self.header: Header = {"case": case["name"], "stage": "construct", "ending": "returned", "calls": []}
        self.sent: list[TensorBytes] = []

    def run(self, entry: Any) -> None:
        target = entry if self.job["entry"]["kind"] == "function" else self._construct(entry)
        if self.case["construct_only"]:
            return
        self.header["stage"] = "bind"
        if isinstance(target, nn.Module):
            weights = {role: self.tensors[index] for role, index in self.case["weights"].items()}
            load_weights(registered(target), weights, self.header["bound"], self.header["unclaimed"])
            target.eval()
        self.header["stage"] = "call"
        for number, call in enumerate(self.case["calls"]):
            recorded = self.case["record"] and number == 0
            self.header["calls"].append(self._call(target, call, recorded=recorded))

    def _construct(self, entry: Any) -> nn.Module:
        if isinstance(entry, type) and not issubclass(entry, nn.Module):
            raise NotAModule(entry.__name__)
        target = self._quickly(entry) if self.case["construct_only"] else entry(*self.case["construct"])
        self.header["parameters"] = describe(registered(target))
        self.header["bound"], self.header["unclaimed"] = bind(self.header["parameters"], self.job["roles"])
        return target

    def _quickly(self, entry: Any) -> nn.Module:
        try:
            with _no_initialisation():
                return entry(*self.case["construct"])  # type: ignore[no-any-return]
        except Exception:
            # A constructor may look at its fresh weights and not like what lies in raw memory.
            return entry(*self.case["construct"])  # type: ignore[no-any-return]

    def _call(self, target: Any, call: Mapping[str, Any], *, recorded: bool) -> Header:
        # Clones, so that code which changes its inputs in place cannot change what a later call is given.
        args = [self.tensors[index].clone() for index in call["args"]]
        kwargs = {name: self.tensors[index].clone() for name, index in call["kwargs"].items()}
        recorder = Recorder()
        # Grad mode on, whatever the file set at its top: switching it off inside forward is the fault.
        with torch.enable_grad(), recorder if recorded else nullcontext():
            returned = target(*args, **kwargs)
        container, values = _unpack(returned)
        items = [_item(value, self.job["tensor_bytes"], self.sent) for value in values]
        report: Header = {"container": container, "operations": recorder.operations, "items": items}
        if self.case["gradients"]:
            report["gradients"] = _gradients(target, values, self.header["bound"], self.sent)
        return report


@contextmanager
def _no_initialisation() -> Iterator[None]:
    """Leave the weights of ``nn.Linear`` as they are: counting parameters needs no random numbers, which cost 4 ms a layer."""
    original = nn.Linear.reset_parameters
    nn.Linear.reset_parameters = lambda self: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        nn.Linear.reset_parameters = original  # type: ignore[method-assign]


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


def _gradients(target: Any, values: Sequence[Any], bound: Mapping[str, str | None], sent: list[TensorBytes]) -> Header:
    """d(sum of squares of the first result)/d(weight) for each bound role; None where nothing arrives."""
    parameters = registered(target)
    asked = {role: parameters[name] for role, name in bound.items() if name is not None}
    output = values[0]
    if not (isinstance(output, torch.Tensor) and output.requires_grad):
        return dict.fromkeys(asked)
    live = {role: weight for role, weight in asked.items() if weight.requires_grad}
    report: Header = dict.fromkeys(asked)
    if not live:
        return report
    try:
        with torch.enable_grad():
            found = torch.autograd.grad(output.square().sum(), list(live.values()), allow_unused=True)
    except RuntimeError:
        # What backward needs was changed in place, or the output is complex: then nothing arrives.
        return report
    for role, gradient in zip(live, found, strict=True):
        encoded = None if gradient is None else to_wire(gradient)
        if isinstance(encoded, TensorBytes):
            sent.append(encoded)
            report[role] = len(sent) - 1
    return report


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
