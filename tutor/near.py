"""When numbers count as the same: one tolerance for all that explains, as wide as that of the checks."""

from __future__ import annotations

import math
from typing import Any

import torch

TOLERANCE = 5e-5


def same(value: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Equal within the tolerance, relative to the largest number; NaN equals NaN. Both of one shape."""
    finite = wanted[wanted.isfinite()]
    largest = float(finite.abs().max()) if finite.numel() else 0.0
    return torch.allclose(value.double(), wanted.double(), rtol=0.0, atol=TOLERANCE * (1 + largest), equal_nan=True)


def distance(mine: torch.Tensor, other: Any) -> float:
    """The largest difference, absolute plus relative; infinite where ``other`` is no tensor of that shape or one has NaN."""
    if not isinstance(other, torch.Tensor) or other.shape != mine.shape:
        return math.inf
    difference = float(((mine - other).abs() / (1 + other.abs())).max()) if mine.numel() else 0.0
    return math.inf if math.isnan(difference) else difference
