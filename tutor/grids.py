"""Numbers of a tensor as they travel to a page."""

from __future__ import annotations

import math

import torch

from tutor.trials import Grid


def grid_of(tensor: torch.Tensor, decimals: int) -> Grid:
    """The numbers, rounded; those that are not finite are left out."""
    numbers = tensor.double().flatten().tolist()
    # Not -0: a sign on nothing helps nobody.
    values = (round(one, decimals) + 0.0 if math.isfinite(one) else None for one in numbers)
    return Grid(shape=tuple(tensor.shape), values=tuple(values))
