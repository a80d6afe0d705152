"""Building a student's module without the random numbers that nobody will look at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import nn

from .loading import NotAModule


def build(entry: Any, sizes: Sequence[int], arguments: Mapping[str, Any], *, fresh: bool, counted: bool) -> nn.Module:
    """A new module of a class.

    Args:
        entry: the class.
        sizes: what its constructor is given by position.
        arguments: what it is given by name.
        fresh: whether its own first weights are looked at, and so must be what torch would have made.
        counted: whether its weights are only counted.

    Raises:
        NotAModule: the class is none of ``nn.Module``.
        BaseException: whatever the constructor raises.
    """
    if isinstance(entry, type) and not issubclass(entry, nn.Module):
        raise NotAModule(entry.__name__)
    if fresh:
        return entry(*sizes, **arguments)  # type: ignore[no-any-return]
    if counted:
        # A constructor may look at its fresh weights and not like what lies in raw memory.
        with suppress(Exception), _initialising(lambda layer: None):
            return entry(*sizes, **arguments)  # type: ignore[no-any-return]
    with _initialising(_uniform):
        return entry(*sizes, **arguments)  # type: ignore[no-any-return]


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
