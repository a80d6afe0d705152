"""What comes back is what the contract names, in that order and in those shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from checkers._dtypes import TYPES, other_type, turned_at
from checkers._shapes import named, plain, sizes, spelled, what
from checkers.base import About, Call, Finding, Foreign, Seen, Tensor


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Container, number, order, type and shape of the results of every call."""
    for case, observation in seen.items():
        for number, call in enumerate(observation.calls):
            dims = about.dims_of(case, number)
            dtype = about.dtype_of(case)
            finding = _container(call, about, dims) or _items(call, about, dims, dtype)
            if finding is not None:
                return replace(finding, line=turned_at(observation, dtype)) if finding.code in TYPES else finding
    return None


def _container(call: Call, about: About, dims: Mapping[str, int]) -> Finding | None:
    names = list(about.returns)
    wanted = " and ".join(f"{name} {named(axes, dims)}" for name, axes in about.returns.items())
    if call.container == "none":
        return Finding(
            "nothing-returned",
            f"{about.called} ended without returning anything.",
            expected=wanted,
            actual="None",
            next_step=f"End {about.called} with a return statement.",
        )
    plural = len(names) > 1
    if plural and call.container == "tensor":
        return Finding(
            "weights-not-returned",
            f"{about.called} returned a single tensor of shape {what(call.items[0])}.",
            expected=wanted,
            actual="one tensor",
            next_step=f"Return {' and '.join(names)} together, as a pair.",
        )
    if (plural and len(call.items) != len(names)) or (not plural and call.container != "tensor"):
        return _other_container(call, about, wanted)
    return None


def _other_container(call: Call, about: About, wanted: str) -> Finding:
    names = list(about.returns)
    holding = f"a {call.container} of {len(call.items)}" if call.container in ("tuple", "list") else what(call.items[0])
    return Finding(
        "tuple-instead-of-tensor" if len(names) == 1 and call.container == "tuple" else "wrong-container",
        f"{about.called} returned {holding}.",
        expected=wanted,
        actual=", ".join(what(item) for item in call.items[:4]),
        next_step=f"Return exactly {', '.join(names)}.",
    )


def _items(call: Call, about: About, dims: Mapping[str, int], dtype: str) -> Finding | None:
    shapes = {name: sizes(axes, dims) for name, axes in about.returns.items()}
    got = [what(item) for item in call.items]
    if got != [plain(shape) for shape in shapes.values()] and got == [plain(s) for s in reversed(shapes.values())]:
        return Finding(
            "return-order-swapped",
            f"The results come back in the wrong order: first {got[0]}, then {got[1]}.",
            expected=", then ".join(shapes),
            actual=", then ".join(reversed(shapes)),
            next_step="Exchange the two on the return line.",
        )
    for (name, axes), item in zip(about.returns.items(), call.items, strict=True):
        finding = _item(name, axes, item, dims) or other_type(name, item, dtype)
        if finding is not None:
            return finding
    return None


def _item(name: str, axes: str, item: Tensor | Foreign, dims: Mapping[str, int]) -> Finding | None:
    if isinstance(item, Foreign):
        return Finding(
            "not-a-tensor",
            f"{name} is {item.what}, not a tensor.",
            expected=named(axes, dims),
            actual=item.what,
            next_step=f"Return the tensor {name} itself.",
        )
    shape, wanted = tuple(item.shape), sizes(axes, dims)
    if shape == wanted:
        return None
    return Finding(
        f"{name}-shape",
        f"{name} has shape {plain(shape)}{_reading(shape, wanted, spelled(axes, dims))}.",
        expected=named(axes, dims),
        actual=plain(shape),
        next_step="Follow the shapes line by line from the input; the first one that surprises you is the place.",
    )


def _reading(shape: tuple[int, ...], wanted: tuple[int, ...], axes: str) -> str:
    """A guess in words at how a wrong shape came about, or nothing."""
    names = axes.split()
    if sorted(shape) == sorted(wanted):
        return ": the right axes in another order"
    for index, name in enumerate(names):
        if shape == wanted[:index] + wanted[index + 1 :]:
            return f": the axis {name} is missing, perhaps averaged or summed away"
    return ""
