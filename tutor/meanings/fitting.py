"""Tensors that should be combined entry by entry, or put side by side, and do not fit."""

from __future__ import annotations

import re

from checkers.base import Fault
from tutor.meanings.axes import Axes
from tutor.meanings.operands import NO_AXES, UNEQUAL, begin, given, kind, meets, plainly
from tutor.meanings.rules import Meaning
from tutor.meanings.text import Text

# A sum and the like along one axis that does not keep it.
REDUCTION = r"\.(?:max|amax|min|amin|sum|mean|logsumexp|norm|std|var)\((?![^)]*keepdim)"
MASKED = frozenset({"masked_fill", "where"})
LONGEST = "context_length"  # what cases call the most tokens there may be
CUT = "One is as large as can be, the other as this input is long: cut out the part for its length, on both axes."


def fit(fault: Fault, axes: Axes, text: Text) -> Meaning | None:
    """What it means that two tensors do not stretch to one shape, where the operation and the shapes are known and explain it."""
    found = re.match(UNEQUAL, fault.message)
    if fault.type != "RuntimeError" or not found or len(fault.shapes) < 2:
        return None
    first, second = _clashing(fault.shapes)
    axis = meets(first, second)
    wanted = {int(found[1]), int(found[2])}
    if axis is None or {first[axis], second[axis]} != wanted:
        return None
    left, right = axes.size(first, axis), axes.size(second, axis)
    message = (
        f"{given(fault, axes)}; axes are matched from the right, and the {_ordinal(axis)} is {left} against {right}."
    )
    if plainly(fault.operation) == "mul" and len(first) > 1 < len(second) and first[-1] == second[-2]:
        return Meaning(
            begin(message), "* multiplies entry by entry; the product that adds up over an axis is written @."
        )
    masked = plainly(fault.operation) in MASKED or "mask" in text.statement(fault.line)
    reduced = re.search(REDUCTION, text.statement(fault.line)) is not None
    names = {kind(left), kind(right)}
    if LONGEST in names and not names.isdisjoint(axes.lengths):
        return Meaning(begin(message), CUT)
    return Meaning(begin(message), _step(axes, first, second, names, masked=masked, reduced=reduced))


def _clashing(shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    pairs = [(one, other) for number, one in enumerate(shapes) for other in shapes[number + 1 :]]
    return next((pair for pair in pairs if meets(*pair) is not None), pairs[0])


def _ordinal(axis: int) -> str:
    return {-1: "last", -2: "last but one", -3: "third from the right", -4: "fourth from the right"}.get(
        axis, f"axis {axis}"
    )


def _step(
    axes: Axes, first: tuple[int, ...], second: tuple[int, ...], names: set[str], *, masked: bool, reduced: bool
) -> str:
    lengths = set(axes.lengths)
    short, long = sorted((first, second), key=len)
    if len(short) == 3 and len(long) == 4 and meets(short[1:], long[2:]) is None and short[0] == long[0]:
        return "The one with three axes has none for the heads: keep it where it was taken away, or put one in that stretches with unsqueeze(1)."
    if masked and any(1 in shape[1:] and len(shape) > 2 for shape in (first, second)):
        return NO_AXES
    if names <= lengths and len(names) == 2:
        what = (
            "scores and masks are (…, T_q, T_k), so look which is not"
            if masked
            else "look which of the two is meant here"
        )
        return f"One counts queries where the other counts keys: {what}."
    if names & lengths and "" in names:
        return "One of the sizes belongs to this case and the other does not: build the smaller tensor from the lengths of the inputs."
    if len(first) != len(second) and reduced:
        return "A sum or maximum along an axis takes that axis away; keepdim=True keeps it, with size 1, and that stretches."
    return "Print both shapes before this line; only an axis of size 1 stretches to fit."
