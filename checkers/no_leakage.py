"""What a token sees does not change when later tokens change."""

from __future__ import annotations

from checkers._shapes import named, sizes, what
from checkers.base import About, Finding, Foreign, Seen, Tensor

TOLERANCE = 1e-5


def check(seen: Seen, expected: Seen, about: About, *, result: str, axis: int, before: int) -> Finding | None:
    """Compares the first call with the second, in which tokens from ``before`` on had new values.

    Args:
        result: name of the result to compare.
        axis: its axis of positions.
        before: number of leading positions that must stay as they were.
    """
    index = list(about.returns).index(result)
    for case, observation in seen.items():
        wanted = sizes(about.returns[result], about.dims[case])
        first, second = (
            call.items[index] if index < len(call.items) else Foreign("nothing") for call in observation.calls[:2]
        )
        for item in (first, second):
            if isinstance(item, Foreign) or tuple(item.shape) != wanted:
                return Finding(
                    f"{result}-shape",
                    f"With a mask, {result} comes back as {what(item)}.",
                    expected=named(about.returns[result], about.dims[case]),
                    actual=what(item),
                    next_step="Return the same two tensors with and without a mask.",
                )
        if isinstance(first, Foreign) or isinstance(second, Foreign):
            continue
        if not (first.isfinite().all() and second.isfinite().all()):
            return Finding(
                "not-finite",
                f"With a mask, {result} contains NaN or infinity.",
                expected="finite numbers",
                actual="NaN or infinity",
                next_step="Every query here may see at least one key. 0 · ∞ gives NaN, and so does a row of nothing but −∞: "
                "did you read True as “forbidden”?",
            )
        moved = _moved(first, second, axis, before)
        if moved:
            return Finding(
                "leaks-from-later-tokens",
                f"Changing the tokens from {before} on changed {result} at position {moved[0]}, which may not see them.",
                expected=f"positions 0 to {before - 1} stay exactly as they were",
                actual=f"position{'s' if len(moved) > 1 else ''} {', '.join(map(str, moved))} changed",
                next_step="Follow the mask: does it reach the scores before the softmax, and does True mean “may attend”?",
            )
    return None


def _moved(first: Tensor, second: Tensor, axis: int, before: int) -> list[int]:
    distance = (first.double() - second.double()).abs().movedim(axis, 0)[:before].flatten(1)
    return [position for position, row in enumerate(distance) if not bool((row <= TOLERANCE).all())]
