"""Which attention weights a call in training mode used, worked out from what it returned.

A result is the output layer's bias plus a sum over heads and keys: weight times what that layer makes of the value. Everything but
the weights is known, and as long as there are fewer of them than numbers in a row of the result, they are the one solution.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from checkers.base import Tensor

# In float64; the error is of the order of 1e-13.
EXACT = 1e-9
RELATIVE = 1e-5
AXES = ("sample", "head", "query", "key")


@dataclass(frozen=True, slots=True)
class Used:
    """One call in training mode.

    Args:
        result: what it returned, (B, n, width).
        joined: what it gave to the output layer, (B, n, width).
        plain: the weights without dropout, (B, h, n, n).
        weights: the weights that it used, in the same shape, if it mixed values at all.
        mixes: whether the result is a mixture of the values.
    """

    result: Tensor
    joined: Tensor
    plain: Tensor
    weights: Tensor
    mixes: bool

    @property
    def allowed(self) -> Tensor:
        """Where a query may look at a key."""
        return self.plain > 0

    @property
    def dropped(self) -> Tensor:
        """Where a weight is gone that would be there without dropout."""
        return self.allowed & self._is(0.0)

    def kept(self, factor: float) -> Tensor:
        """Where a weight is there, so many times as large as without dropout."""
        return self.allowed & self._is(factor)

    def _is(self, factor: float) -> Tensor:
        distance = (self.weights - factor * self.plain).abs()
        return distance <= EXACT + RELATIVE * self.plain


def used(result: Tensor, inside: Mapping[str, Tensor], *, weights: str, values: str, layer: str) -> Used:
    """Solve for the weights.

    Args:
        result: what the call returned, finite numbers in the shape (B, n, width).
        inside: stages and parameters of the reference by name.
        weights: the stage of the weights, (B, h, n, n).
        values: the stage of the values in heads, (B, h, n, d_k).
        layer: the output layer.

    Raises:
        ValueError: there are as many weights as numbers in a row of the result, or more.
    """
    plain, mixed, matrix = inside[weights], inside[values], inside[f"{layer}.weight"]
    heads, tokens, width = mixed.shape[1:]
    if heads * tokens >= matrix.shape[0]:
        raise ValueError(f"{heads} heads of {tokens} tokens are too many for a result of {matrix.shape[0]} numbers")
    rest = result.double() - inside[f"{layer}.bias"]
    parts = (mixed @ matrix.unflatten(1, (heads, width)).permute(1, 2, 0)).flatten(1, 2)
    found = rest @ parts.pinverse()
    mixes = bool(((rest - found @ parts).abs() <= EXACT * (1 + rest.abs())).all())
    joined = rest @ matrix.pinverse().transpose(0, 1)
    return Used(result, joined, plain, found.unflatten(-1, (heads, tokens)).transpose(1, 2), mixes)


def surprise(seen: float, share: float) -> float:
    """Relative entropy: a share is seen in n independent draws with a probability of at most exp(-n times this)."""
    pairs = ((seen, share), (1 - seen, 1 - share))
    return sum(part * math.log(part / whole) for part, whole in pairs if part > 0)


def neighbours(calls: Sequence[Used]) -> Iterator[tuple[str, list[tuple[Tensor, Tensor, Tensor]]]]:
    """What was dropped in neighbouring calls, samples, heads, queries and keys, and where both could be."""
    yield "call", [(one.dropped, other.dropped, one.allowed) for one, other in pairwise(calls)]
    for axis, name in enumerate(AXES):
        yield name, [(*_pair(one.dropped, axis), operator.and_(*_pair(one.allowed, axis))) for one in calls]


def _pair(tensor: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """All but the last along an axis, and all but the first."""
    more = tensor.shape[axis] - 1
    return tensor.narrow(axis, 0, more), tensor.narrow(axis, 1, more)
