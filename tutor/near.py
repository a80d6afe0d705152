"""When numbers count as the same: one tolerance for all that explains, as wide as that of the checks."""

from __future__ import annotations

import math
from typing import Any

import torch

TOLERANCE = 5e-5
# Numbers as large as this come out of an exp, where an absolute error of the exponent is a relative one of the result.
LARGE, WIDER = 1e3, 10


def same(value: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Equal within the tolerance, relative to the largest number; NaN equals NaN. Both of one shape."""
    # In float32, as the submission computed: what overflows there is infinite here, too.
    return torch.allclose(value.float(), wanted.float(), rtol=0.0, atol=margin_of(wanted), equal_nan=True)


def margin_of(wanted: torch.Tensor) -> float:
    """How far numbers may be from these and still count as the same."""
    largest = float(wanted.nan_to_num(0.0, 0.0, 0.0).abs().max()) if wanted.numel() else 0.0
    return TOLERANCE * (1 + largest) * (WIDER if largest > LARGE else 1)


def distance(mine: torch.Tensor, other: Any) -> float:
    """The largest difference, absolute plus relative; infinite where ``other`` is no tensor of that shape or one has NaN."""
    if not isinstance(other, torch.Tensor) or other.shape != mine.shape:
        return math.inf
    difference = float(((mine - other).abs() / (1 + other.abs())).max()) if mine.numel() else 0.0
    return math.inf if math.isnan(difference) else difference
