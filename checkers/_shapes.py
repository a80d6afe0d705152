"""Shapes in named axes, the way the lessons write them: ``(2, 7, 15) = (B, T_q, d_model)``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from typing import Any

from checkers.base import About, Call, Finding, Foreign, Tensor

DOTS = "..."
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}


def sizes(axes: str, dims: Mapping[str, int]) -> tuple[int, ...]:
    """``"B T_q d_model"`` → ``(2, 7, 15)``; a part may be a formula such as ``3*d_model``."""
    return tuple(evaluate(part, dims) for part in spelled(axes, dims).split())


def spelled(axes: str, dims: Mapping[str, int]) -> str:
    """``"... T_q d_v"`` → ``"B h T_q d_v"``: dots in front stand for every dimension listed before the axis behind them.

    Raises:
        ValueError: dots elsewhere, or before something that is no dimension.
    """
    first, *rest = axes.split() or [""]
    if first != DOTS:
        return axes
    names = list(dims)
    if not rest or rest[0] not in names:
        raise ValueError(f"“{DOTS}” stands first, right before the name of a dimension")
    return " ".join((*names[: names.index(rest[0])], *rest))


def named(axes: str, dims: Mapping[str, int]) -> str:
    """``"(2, 7, 15) = (B, T_q, d_model)"``."""
    return f"{plain(sizes(axes, dims))} = ({', '.join(spelled(axes, dims).split())})"


def plain(shape: tuple[int, ...]) -> str:
    """A shape as Python writes a tuple."""
    return str(tuple(shape))


def what(item: Tensor | Foreign) -> str:
    """A returned item in words: its shape, or what it was instead of a tensor."""
    return item.what if isinstance(item, Foreign) else plain(tuple(item.shape))


def given(dims: Mapping[str, object]) -> str:
    """``"d_model = 512, h = 8"``."""
    return ", ".join(f"{name} = {size}" for name, size in dims.items())


def result_of(call: Call, name: str, about: About, dims: Mapping[str, int]) -> Tensor | Finding:
    """The result of that name, real numbers in the shape of the contract; what is wrong with it where it is anything else.

    Args:
        call: what came back.
        name: of the result.
        about: the exercise.
        dims: the value of every named axis in this call.
    """
    index = list(about.returns).index(name)
    item = call.items[index] if index < len(call.items) else Foreign("nothing")
    wanted = named(about.returns[name], dims)
    if not isinstance(item, Foreign) and item.is_complex():
        return _complex(name, str(item.dtype).removeprefix("torch."), wanted)
    if not isinstance(item, Foreign) and tuple(item.shape) == sizes(about.returns[name], dims):
        return item
    return Finding(
        f"{name}-shape",
        f"In this situation {name} comes back as {what(item)}.",
        expected=wanted,
        actual=what(item),
        next_step=f"Return {' and '.join(about.returns)} in the same shapes from every path through {about.called}.",
    )


def _complex(name: str, dtype: str, wanted: str) -> Finding:
    return Finding(
        "wrong-dtype",
        f"{name} comes back as {dtype}, complex numbers.",
        expected=f"real numbers, {wanted}",
        actual=dtype,
        next_step="Look for the operation that makes complex numbers out of real ones.",
    )


def evaluate(formula: str, dims: Mapping[str, int]) -> int:
    """Work out a formula over named dimensions: ``+ - * // **``, whole numbers and names.

    Raises:
        ValueError: something else is in it; the message names it.
    """
    if formula in dims:
        return dims[formula]
    try:
        return _value(ast.parse(formula, mode="eval").body, dims)
    except SyntaxError as error:
        raise ValueError(f"“{formula}” is no formula") from error


def _value(node: ast.expr, dims: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in dims:
            return dims[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            result: Any = _OPERATIONS[type(op)](_value(left, dims), _value(right, dims))
            return int(result)
    raise ValueError(f"“{ast.unparse(node)}” is neither a number, a known dimension nor one of + - * // **")
