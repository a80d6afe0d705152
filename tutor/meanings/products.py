"""Matrix products that do not fit: which axes meet, and what in attention code brings them there."""

from __future__ import annotations

import re
from typing import TypeAlias

from checkers.base import Fault
from tutor.meanings.axes import Axes
from tutor.meanings.operands import UNEQUAL, begin, given, kind, meets, plainly
from tutor.meanings.rules import Meaning
from tutor.meanings.text import Text

INNER = r"mat1 and mat2 shapes cannot|Expected size for first two dimensions|size mismatch|mat1 dim 1 must match"
AXES = r"batch\d must be a 3D tensor|(self|mat\d) must be a matrix|1D tensors expected"
NEEDS = {
    "bmm": "tensors of three axes", "baddbmm": "tensors of three axes", "mm": "tensors of two axes", "addmm": "tensors of two axes",
    "dot": "tensors of one axis", "mv": "a matrix and a vector",
}  # fmt: skip
Shape: TypeAlias = tuple[int, ...]


def product(fault: Fault, axes: Axes, text: Text) -> Meaning | None:
    """What a failed product of two tensors means, where the operation and the shapes are known and explain it."""
    if fault.type != "RuntimeError" or len(fault.shapes) < 2:
        return None
    name = plainly(fault.operation)
    if re.match(AXES, fault.message) and name in NEEDS:
        return Meaning(
            f"{given(fault, axes)}, but it takes {NEEDS[name]}.",
            "Use @ or torch.matmul: they carry any axes in front.",
        )
    if name == "linear" and re.match(INNER, fault.message):
        return _layer(fault, axes)
    if name not in ("matmul", "rmatmul", "bmm", "mm") or min(len(shape) for shape in fault.shapes[:2]) < 2:
        return None
    if re.match(INNER, fault.message):
        batches = _leading(fault, axes, text) if name == "bmm" else None
        return batches or _inner(fault, axes, text)
    return _leading(fault, axes, text) if re.match(UNEQUAL, fault.message) else None


def _inner(fault: Fault, axes: Axes, text: Text) -> Meaning | None:
    first, second = fault.shapes[:2]
    if first[-1] == second[-2]:
        return None
    left, right = axes.size(first, -1), axes.size(second, -2)
    message = f"{given(fault, axes)}; the last axis of the first ({left}) must equal the last but one of the second ({right})."
    last = {len(second) - 2, len(second) - 1}
    turned = last in _exchanged(text.statement(fault.line), len(second))
    return Meaning(message, _inner_step(first, second, {kind(left), kind(right)}, axes, turned=turned))


def _exchanged(statement: str, count: int) -> list[set[int]]:
    """The pairs of axes that a statement exchanges, counted from 0."""
    pairs = re.findall(r"(?:transpose|swapaxes|swapdims)\([^()]*?(-?\d)\s*,\s*(-?\d)\s*\)", statement)
    found = [{int(one) % count, int(other) % count} for one, other in pairs]
    return found + [{count - 2, count - 1}] * (".mT" in statement)


def _inner_step(first: Shape, second: Shape, names: set[str], axes: Axes, *, turned: bool) -> str:
    lengths = set(axes.lengths)
    if first[-1] == second[-1] and turned:
        return "It would fit if the last two axes of the second stood the other way round: is the exchange on this line one too many?"
    if first[-1] == second[-1]:
        return (
            "Queries meet keys with the last two axes of the keys exchanged, by transpose(-2, -1); "
            "where values are weighted, the first must be weights that end in an axis of keys."
        )
    if second[-1] == first[-2] and axes.names(first)[-2] == "d_k":
        return (
            "In both, the features stand before time: the last two axes are (T, d_k), until the keys alone are turned."
        )
    if second[-1] == first[-2] and set(axes.names(second)[-2:]) <= lengths:
        return "It would fit in the other order: the weights stand on the left of the values."
    if names <= lengths and len(names) == 2:
        also = ", and whether the exchange on this line belongs there" if turned else ""
        return (
            f"One of the two counts queries where the other counts keys: look where each takes its length from{also}."
        )
    return (
        "Follow both tensors back to where their shapes were right: is one of them cut, joined or turned differently?"
    )


def _leading(fault: Fault, axes: Axes, text: Text) -> Meaning | None:
    first, second = fault.shapes[:2]
    clash = meets(first[:-2], second[:-2])
    if clash is None:
        return None
    left, right = axes.size(first, clash - 2), axes.size(second, clash - 2)
    message = f"{given(fault, axes)}; the axes before the last two are matched from the right, and there {left} meets {right}."
    names, headed = {kind(left), kind(right)}, [axes.heads in axes.names(shape) for shape in (first, second)]
    pairs = _exchanged(text.statement(fault.line), len(second)) if first[-1] == second[-1] != second[-2] else []
    if pairs and {len(second) - 2, len(second) - 1} not in pairs:
        one, other = sorted(pairs[0])
        step = f"This line exchanges axes {one} and {other}; it is transpose(-2, -1) that exchanges the last two."
    elif axes.heads in names and names & set(axes.lengths) and len(first) == len(second):
        step = "The heads stand in different places: after the split, move them in front of time in both, with transpose(1, 2)."
    elif axes.front & names and names & set(axes.lengths) and first[-1] == second[-1]:
        step = "Time stands where the batch belongs: keys are turned in their last two axes only, by transpose(-2, -1)."
    elif names <= set(axes.lengths) and all(headed):
        step = (
            "Time stands where the heads belong: after the split, move the heads in front of it with transpose(1, 2)."
        )
    elif any("·" in name for name in names):
        step = "In one of the two, batch and heads are joined to one axis; in the other they are apart. Use one form for both."
    elif axes.heads and len(first) != len(second) and headed[0] != headed[1]:
        step = "One of the two has an axis for the heads and the other has none: split both, or neither."
    elif len(first) != len(second):
        step = "One of the two has an axis more: find the line where the other one lost it or never got it."
    else:
        step = "Bring both to the same axes in front of the last two; only an axis of size 1 stretches to fit."
    return Meaning(message, step)


def _layer(fault: Fault, axes: Axes) -> Meaning | None:
    given_shape, weight = fault.shapes[:2]
    if len(weight) != 2 or not given_shape or given_shape[-1] == weight[1]:
        return None
    last, takes = axes.size(given_shape, -1), axes.size(weight, 1)
    message = begin(
        f"a layer was given {axes.shape(given_shape)}: its last axis is {last}, but the layer takes {takes}."
    )
    names = axes.names(given_shape)
    if names[-2:] == (axes.heads, "d_k"):
        step = "The heads are still apart here: an input is projected before it is split, a result after it is joined to the full width."
    elif len(names) == 4 and names[1] == axes.heads and names[-1] == "d_k":
        step = "Bring the heads back next to their features with transpose(1, 2) and join the two before this layer."
    elif names[-1].endswith("·d_k"):
        step = "Time and features were joined instead of heads and features: move the heads back with transpose(1, 2) before joining."
    elif names[-1] == "d_k" and any("·" in name for name in names):
        step = "The heads were joined with time instead of with their features: (B, T, h, d_k) becomes (B, T, d_model)."
    elif names[-1] == "d_k":
        step = "Only the width of one head arrives: before this layer the results of all heads stand side by side, h · d_k = d_model."
    else:
        step = "Compare nn.Linear(in_features, out_features) in __init__ with what this line gives the layer."
    return Meaning(f"A{message[1:]}", step)
