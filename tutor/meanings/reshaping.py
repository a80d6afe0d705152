"""Views, reshapes and axes that are asked of a tensor which has not got them."""

from __future__ import annotations

import math
import re

from checkers.base import Fault
from tutor.meanings.axes import HEADS, WIDTH, Axes
from tutor.meanings.operands import NO_AXES, plainly
from tutor.meanings.rules import Meaning
from tutor.meanings.text import Text

SHAPE = r"shape '\[([-\d, ]*)\]' is invalid for input of size (\d+)"
RANGE = r"Dimension out of range \(expected to be in range of \[-(\d+), (\d+)\], but got (-?\d+)\)"
ORDER = r"permute\(.*input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)"


def reshaped(fault: Fault, axes: Axes, text: Text) -> Meaning | None:
    """What a failed change of shape means, where the operation and the shape are known and explain it."""
    if not fault.shapes:
        return None
    if fault.message.startswith("view size is not compatible") and fault.operation == "view":
        return _strides(fault.shapes[0], axes)
    if found := re.match(SHAPE, fault.message):
        wanted = tuple(int(size) for size in re.findall(r"-?\d+", found[1]))
        return _sizes(fault, wanted, axes, text) if math.prod(fault.shapes[0]) == int(found[2]) else None
    if found := re.match(RANGE, fault.message):
        return _axis(fault, int(found[1]), int(found[3]), axes)
    if (found := re.match(ORDER, fault.message)) and len(fault.shapes[0]) == int(found[1]):
        return _order(int(found[2]), fault.shapes[0], axes)
    return None


def _strides(shape: tuple[int, ...], axes: Axes) -> Meaning:
    message = f"view was asked of {axes.shape(shape)}, a tensor whose memory is not in the order of its axes, as after transpose."
    step = "Put .contiguous() before the view, or use reshape."
    if axes.heads and axes.names(shape)[-2:] != (axes.heads, "d_k"):
        step += " Both go through the axes in the order they have now: make sure first that it is the order you mean to cut or join."
    return Meaning(message, step)


def _order(named: int, shape: tuple[int, ...], axes: Axes) -> Meaning:
    if named < len(shape):
        step = "permute names every axis; transpose(-2, -1) exchanges the last two however many stand in front."
    elif axes.heads and (named, len(shape)) == (4, 3):
        step = "A fourth axis is there only after the split into heads: is that done before this line, and its result kept?"
    else:
        step = "permute names every axis of the tensor exactly once."
    return Meaning(f"permute names {named} axes, but the tensor has {len(shape)}: {axes.shape(shape)}.", step)


def _sizes(fault: Fault, wanted: tuple[int, ...], axes: Axes, text: Text) -> Meaning:
    held, name = fault.shapes[0], plainly(fault.operation)
    literal = _literals(wanted, text.statement(fault.line))
    target = _target(wanted, literal, axes)
    start = f"{name} was asked to lay {axes.shape(held)} out as {target}"
    total, have = math.prod(wanted), math.prod(held)
    if -1 in wanted:
        message = f"{start}, but {have} numbers do not go evenly into groups of {-total}."
    else:
        message = f"{start}: that takes {total} numbers, but there are {have}."
    if re.search(r"\bmask\b", text.statement(fault.line)) and total > have:
        return Meaning(message, NO_AXES)
    return Meaning(message, _step(held, wanted, literal, axes))


def _literals(wanted: tuple[int, ...], statement: str) -> set[int]:
    """The sizes that stand as numbers between the parentheses of a view or reshape, not counting what is nested deeper."""
    written: set[int] = set()
    for call in re.finditer(r"\b(?:view|reshape)\(", statement):
        depth, own = 1, ""
        for sign in statement[call.end() :]:
            depth += (sign in "([") - (sign in ")]")
            if depth < 1:
                break
            own += sign if depth == 1 else " "
        written |= {int(number) for number in re.findall(r"(?<![\w.])\d{1,9}(?![\w.])", own)}
    return {size for size in wanted if size > 2 and size in written}


def _target(wanted: tuple[int, ...], literal: set[int], axes: Axes) -> str:
    """The shape asked for, in named axes; a number that is written in the code stays a number."""
    names = axes.names(wanted, products=False)
    shown = [str(size) if size in literal else name for size, name in zip(wanted, names, strict=True)]
    plain = str(tuple(wanted))
    return plain if all(name.lstrip("-").isdigit() for name in shown) else f"{plain} = ({', '.join(shown)})"


def _step(held: tuple[int, ...], wanted: tuple[int, ...], literal: set[int], axes: Axes) -> str:
    if literal:
        numbers = " and ".join(str(size) for size in sorted(literal))
        origin = "d_model, h and the shape of this tensor" if axes.heads else "the shape of this tensor"
        return f"The code fixes {numbers}: take sizes from {origin}, since they differ from case to case."
    names, had = axes.names(wanted, products=False), axes.names(held)
    if axes.heads in names and "d_model" in names:
        return "The heads share the width between them: each has d_k = d_model // h features, not all of them."
    counted, kept = ([name for name in shape if name in axes.lengths] for shape in (names, had))
    if counted and counted != kept and len(counted) == len(kept):
        return "Queries and keys differ in length here: take every length from the tensor that is being cut."
    if (
        names[-2:] == (axes.heads, "d_k")
        and len(held) == 3
        and held[-1] != wanted[-2] * wanted[-1]
        and had[1] == names[1]
    ):
        return f"What is cut here is {held[-1]} wide, and d_model = h · d_k = {wanted[-2] * wanted[-1]}: check the layer's sizes in __init__."
    return _left_out(held, wanted, axes) or (
        "Compare each size in this line with the shape of the tensor: which one does it really have here?"
    )


def _left_out(held: tuple[int, ...], wanted: tuple[int, ...], axes: Axes) -> str:
    """The step for a new shape that is too small by just one named axis."""
    names, have, total = axes.names(wanted, products=False), math.prod(held), math.prod(wanted)
    missing = have // total if total > 0 and have % total == 0 else 0
    left_out = [name for name, size in axes.dims.items() if size == missing > 1 and name not in names]
    # Heads and features of a head are both in the full width, wherever that stands.
    if left_out and (missing in held or (left_out[0] in (HEADS, "d_k") and held[-1] == axes.dims.get(WIDTH))):
        called = "T" if left_out[0] in ("T_q", "T_k") and axes.lengths == ("T",) else left_out[0]
        return f"The new shape has no room for {called} = {missing}: every axis must be kept or joined with another."
    if axes.heads in names and "d_k" in names and not set(names) & set(axes.lengths):
        return "The new shape has no axis for time: it stays an axis of its own beside the heads."
    return ""


def _axis(fault: Fault, axes_allowed: int, asked: int, axes: Axes) -> Meaning | None:
    shape, name = fault.shapes[0], plainly(fault.operation)
    if len(shape) != axes_allowed - (name in ("unsqueeze", "stack")):
        return None
    numbers = f"0 to {axes_allowed - 1}, or -1 to -{axes_allowed} from the end"
    message = f"{name} was asked for axis {asked} of {axes.shape(shape)}; the axes it can name here are {numbers}."
    if len(shape) == 3 and asked == 3 and axes.heads:
        return Meaning(
            message,
            "A fourth axis is there only after the split into heads: is that done before this line, and its result kept?",
        )
    return Meaning(message, "Counted from the end it holds for any number of axes: -1 is the last one.")
