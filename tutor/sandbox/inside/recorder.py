"""Writes down the names of the torch operations that code calls, in order.

Two levels are watched: functions as they are called from Python, and the operators that really run below them. What is hidden
from the first, for example by switching torch's function overrides off, is still seen by the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import policy

# Reading an attribute of a tensor is not a step of the computation.
SILENT = frozenset({"__get__", "size", "dim", "stride", "numel", "is_contiguous", "__len__", "__hash__"})


class Recorder:
    """A context in which every torch function and operator is noted by name; at most ``policy.OPERATIONS`` names are kept."""

    def __init__(self) -> None:
        self.operations: list[str] = []
        self._modes = (_Functions(self._note), _Operators(self._note))

    def __enter__(self) -> Recorder:
        for mode in self._modes:
            mode.__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for mode in reversed(self._modes):
            mode.__exit__(kind, error, trace)  # type: ignore[no-untyped-call]

    def _note(self, func: Callable[..., Any]) -> None:
        # An overload is called name.overload; which one it is says nothing about what was done.
        name = str(getattr(func, "__name__", type(func).__name__)).split(".")[0]
        if name not in SILENT and len(self.operations) < policy.OPERATIONS:
            self.operations.append(name)


class _Functions(TorchFunctionMode):
    def __init__(self, note: Callable[[Callable[..., Any]], None]) -> None:
        super().__init__()
        self._note = note

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        self._note(func)
        return func(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, note: Callable[[Callable[..., Any]], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._note = note

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        self._note(func)
        return func(*args, **(kwargs or {}))
