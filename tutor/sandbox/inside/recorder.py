"""Writes down the names of the torch operations that code calls, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch.overrides import TorchFunctionMode

OPERATIONS = 2_000
# Reading an attribute of a tensor is not a step of the computation.
SILENT = frozenset({"__get__", "size", "dim", "stride", "numel", "is_contiguous", "__len__", "__hash__"})


class Recorder(TorchFunctionMode):
    """A context in which every torch function is noted by name; at most ``OPERATIONS`` names are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[str] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        name = getattr(func, "__name__", type(func).__name__)
        if name not in SILENT and len(self.operations) < OPERATIONS:
            self.operations.append(name)
        return func(*args, **(kwargs or {}))
