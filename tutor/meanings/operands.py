"""How an operation and the shapes it was given are spoken of."""

from __future__ import annotations

from collections.abc import Mapping

from checkers.base import Fault
from tutor.meanings.axes import Axes

SIGNS: Mapping[str, str] = {
    "add": "the addition", "sub": "the subtraction", "rsub": "the subtraction", "mul": "the multiplication",
    "div": "the division", "true_divide": "the division", "setitem": "the assignment", "getitem": "the index",
    "invert": "~", "neg": "the minus sign", "pow": "the power", "and": "&", "or": "|",
    "lt": "the comparison", "le": "the comparison", "gt": "the comparison", "ge": "the comparison", "eq": "the comparison", "ne": "the comparison",
}  # fmt: skip
NO_AXES = "A mask comes ready to stretch over the scores, with two, three or four axes: put in no axes of your own."
UNEQUAL = r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)"


def plainly(operation: str) -> str:
    """``add_`` and ``__add__`` are ``add`` to the reader."""
    name = operation.strip("_")
    return name[1:] if name[:1] in "ri" and name[1:] in SIGNS else name


def given(fault: Fault, axes: Axes) -> str:
    """``matmul was given (2, 7, 15) = (B, T_q, d_model) and (…) = (…)``, or "" where it is not known."""
    if not fault.operation or not fault.shapes:
        return ""
    name = plainly(fault.operation)
    *some, last = (axes.shape(shape) for shape in fault.shapes[:3])
    shapes = f"{', '.join(some)} and {last}" if some else last
    return f"{SIGNS.get(name, name)} was given {shapes}"


def begin(sentence: str) -> str:
    """The same with a capital where it starts with an English word; the names of operations stay as they are."""
    return f"T{sentence[1:]}" if sentence.startswith("the ") else sentence


def meets(one: tuple[int, ...], other: tuple[int, ...]) -> int | None:
    """The first axis from the right, counted from -1, on which two shapes do not stretch to fit; None where they fit."""
    for axis in range(-1, -min(len(one), len(other)) - 1, -1):
        if one[axis] != other[axis] and 1 not in (one[axis], other[axis]):
            return axis
    return None


def kind(size: str) -> str:
    """The name in ``T_q = 7``, "" where there is only a number."""
    return size.partition(" = ")[0] if " = " in size else ""
