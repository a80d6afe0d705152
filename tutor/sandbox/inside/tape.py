"""The tape: every torch operation of a call with its line, what it was given and what came out.

It tells where a computation leaves the right way. Only operations called from Python are on it, since only these have lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.overrides import TorchFunctionMode

from .loading import FILENAME
from .policy import STEP_TENSORS, STEP_VALUE_BYTES, STEPS, TAPE_BYTES
from .recorder import SILENT
from .tensors import refusal, shape_of, to_wire
from .wire import TensorBytes

DEPTH = 60
SWITCH = "_set_grad_enabled"
# Attributes of a tensor that are tensors over the same numbers.
VIEWS = frozenset({"T", "mT", "H", "mH", "data", "real"})
Header = dict[str, Any]


class Tape(TorchFunctionMode):
    """A context that notes operations; at most ``STEPS`` of them, and values up to ``TAPE_BYTES`` in all.

    Args:
        known: tensors that the code is given or owns, by name: "Q", "parameter:W_Q.weight", "buffer:mask".
    """

    def __init__(self, known: Mapping[str, torch.Tensor]) -> None:
        super().__init__()
        self._origin: dict[int, int | str] = {id(tensor): name for name, tensor in known.items()}
        self._alive: list[Any] = list(known.values())  # an id is free for reuse as soon as its object is gone
        self._made: dict[int, tuple[torch.Tensor, int]] = {}
        self.steps: list[Header] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = _name(func)
        # Gradients may be switched on where they are on; then nothing is switched.
        idle = name == SWITCH and args[:1] == (torch.is_grad_enabled(),)
        if name in SILENT or idle or len(self.steps) >= STEPS:
            return func(*args, **kwargs)
        given = _tensors((*args, *kwargs.values()))
        line, outer = _lines()
        self.steps.append(
            {
                "name": name,
                "line": line,
                "outer": outer,
                "takes": [self._origin.get(id(tensor), "?") for tensor in given],
                "shapes": [list(shape_of(tensor)) for tensor in given],
                "device": _device(args, kwargs),
            }
        )
        number = len(self.steps) - 1
        result = func(*args, **kwargs)
        self._keep(number, args[0] if name == "__setitem__" and args else result)
        return result

    def _keep(self, number: int, result: Any) -> None:
        made = _tensors((result,))
        for tensor in made:
            self._origin[id(tensor)] = number
        self._alive.extend(made)
        if made:
            # Read when the call is over: here every step of reading would itself be noted by whoever else is watching.
            self._made[number] = (made[0], _version(made[0]))

    def failed(self, line: int | None) -> Header:
        """The operation under way and the shapes it was given, for a call that has raised on this line; empty where none was."""
        number = len(self.steps) - 1
        # What has given its result was not what raised: a name on the same line was not there, say.
        if number in self._made or not self.steps or len(self.steps) == STEPS or self.steps[-1]["line"] != line:
            return {}
        last = self.steps[-1]
        return {"operation": last["name"], "shapes": last["shapes"]}

    def report(self, sent: list[TensorBytes]) -> Header:
        """The steps as JSON values; their results go to ``sent`` as one flat tensor per dtype."""
        groups: dict[str, bytearray] = {}
        room = TAPE_BYTES
        for number, step in enumerate(self.steps):
            value = self._value(number, room)
            step["value"] = None
            if value is not None:
                room -= len(value.data)
                groups.setdefault(value.dtype, bytearray()).extend(value.data)
                step["value"] = [list(groups).index(value.dtype), list(value.shape)]
        flat = []
        for dtype, data in groups.items():
            flat.append(len(sent))
            item = torch.empty(0, dtype=getattr(torch, dtype)).element_size()
            sent.append(TensorBytes(dtype, (len(data) // item,), bytes(data)))
        return {"flat": flat, "steps": self.steps}

    def _value(self, number: int, room: int) -> TensorBytes | None:
        """What a step made, unless it was written over since or is too large."""
        if number not in self._made:
            return None
        tensor, version = self._made[number]
        if refusal(tensor) is not None or _version(tensor) != version:
            return None
        if tensor.numel() * tensor.element_size() > min(STEP_VALUE_BYTES, room):
            return None
        encoded = to_wire(tensor)
        return encoded if isinstance(encoded, TensorBytes) else None


def _version(tensor: torch.Tensor) -> int:
    try:
        return tensor._version
    except RuntimeError:  # made in inference mode, where nothing counts changes
        return 0


def _name(func: Callable[..., Any]) -> str:
    name = str(getattr(func, "__name__", type(func).__name__))
    if name == "__get__":
        attribute = str(getattr(getattr(func, "__self__", None), "__name__", ""))
        return attribute if attribute in VIEWS else name
    return name[:80]


def _tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for value in values:
        inner = value if isinstance(value, tuple | list) else (value,)
        found += [one for one in inner[:STEP_TENSORS] if isinstance(one, torch.Tensor) and not is_lazy(one)]
    return found[:STEP_TENSORS]


def _lines() -> tuple[int | None, int | None]:
    """The innermost and the outermost line of the submission on the stack: in a helper, and where it was called."""
    frame: FrameType | None = sys._getframe(2)
    inner = outer = None
    for _ in range(DEPTH):
        if frame is None:
            break
        if frame.f_code.co_filename == FILENAME:
            outer = frame.f_lineno
            inner = inner or outer
        frame = frame.f_back
    return inner, outer


def _device(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    for value in (kwargs.get("device"), *args[1:3]):
        if isinstance(value, torch.device):
            return "object"
        if isinstance(value, str) and value.split(":")[0] in ("cpu", "cuda", "mps", "meta"):
            return "text"
    return ""
