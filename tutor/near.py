"""When numbers count as the same: one tolerance for all that explains, as wide as that of the checks."""

from __future__ import annotations

import math
from typing import Any

import torch

TOLERANCE = 5e-5
# Numbers as large as this come out of an exp, where an absolute error of the exponent is a relative one of the result.
LARGE, WIDER = 1e3, 10
# Two roundings of one row differ by no more than so many of the largest one.
ROUNDINGS = 10


def same(value: torch.Tensor, wanted: torch.Tensor, margin: torch.Tensor | None = None) -> bool:
    """Equal within the margin; NaN equals NaN, infinite equals infinite. All of one shape.

    Args:
        value: any numbers.
        wanted: what they may be the same as.
        margin: of each number; that of ``wanted`` if None.
    """
    return not bool(apart(value, wanted, margins(wanted) if margin is None else margin).any())


def apart(value: torch.Tensor, wanted: torch.Tensor, margin: torch.Tensor) -> torch.Tensor:
    """Where two tensors of one shape are not the same within the margin."""
    # In float32, as the submission computed: what overflows there is infinite here, too.
    mine, right = _float32(value), _float32(wanted)
    return ~(((mine - right).abs() <= margin) | (mine == right) | (mine.isnan() & right.isnan()))


def _float32(numbers: torch.Tensor) -> torch.Tensor:
    """Complex numbers stay what they are: their real part alone is not the same."""
    return numbers if numbers.is_complex() else numbers.float()


def margins(wanted: torch.Tensor) -> torch.Tensor:
    """How far each number may be from these and still count as the same: relative to the largest of its row.

    A row is what lies along the last axis; one huge entry, a fill of -1e9 say, widens no other row.
    """
    largest = _largest(wanted)
    return TOLERANCE * (1 + largest) * torch.where(largest > LARGE, WIDER, 1)


def rounding(single: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """How far apart rounding may take two ways of computing a row, by what it does to one of them.

    Args:
        single: computed in float32.
        exact: the same in float64.
    """
    return ROUNDINGS * _largest(single - exact)


def _largest(wanted: torch.Tensor) -> torch.Tensor:
    """Of each row the largest finite absolute number."""
    rows = wanted.nan_to_num(0.0, 0.0, 0.0).abs()
    return rows.amax(-1, keepdim=True) if rows.dim() and rows.numel() else rows


def distance(mine: torch.Tensor, other: Any) -> float:
    """The largest difference, absolute plus relative to the largest of its row; infinite where ``other`` is no tensor of that shape or one has NaN."""
    if not isinstance(other, torch.Tensor) or other.shape != mine.shape:
        return math.inf
    difference = float(((mine - other).abs() / (1 + _largest(other))).max()) if mine.numel() else 0.0
    return math.inf if math.isnan(difference) else difference


def alike(one: Any, other: Any) -> bool:
    """Whether two values that programs of ours gave are one tensor, up to the rounding of float64."""
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)) or one.shape != other.shape:
        return False
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    close = ((one - other).abs() < 1e-9) | (one == other) | (one.isnan() & other.isnan())
    return bool(close.all())
