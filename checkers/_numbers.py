"""Comparing what came back, whatever its type: tensors of whole numbers, truth values or complex numbers come back, too."""

from __future__ import annotations

from checkers.base import Foreign, Tensor


def wide(tensor: Tensor) -> Tensor:
    """The same numbers in double precision, without losing an imaginary part."""
    return tensor.cdouble() if tensor.is_complex() else tensor.double()


def near(one: Tensor, other: Tensor, tolerance: float) -> Tensor:
    """Where two tensors of one shape agree within a tolerance, absolute plus relative; infinity agrees with itself, NaN with nothing."""
    first, second = wide(one), wide(other)
    distance = (first - second).abs()
    return (first == second) | (distance.isfinite() & (distance <= tolerance * (1 + second.abs())))


def identical(one: Tensor | Foreign, other: Tensor | Foreign) -> bool:
    """Whether both are tensors of one shape with equal numbers."""
    if isinstance(one, Foreign) or isinstance(other, Foreign) or tuple(one.shape) != tuple(other.shape):
        return False
    return bool((one == other).all())
