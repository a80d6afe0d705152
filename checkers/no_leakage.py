"""What a token sees does not change when later tokens change."""

from __future__ import annotations

from collections.abc import Sequence

from checkers._shapes import result_of
from checkers.base import About, Finding, Observation, Seen, Tensor

TOLERANCE = 1e-5


def check(seen: Seen, expected: Seen, about: About, *, result: str, axis: int, before: int) -> Finding | None:
    """Compares the first call with the second, in which tokens from ``before`` on had new values.

    Args:
        result: name of the result to compare.
        axis: its axis of positions.
        before: number of leading positions that must stay as they were.
    """
    for case, observation in seen.items():
        finding = _case(observation, case, about, result, axis=axis, before=before)
        if finding is not None:
            return finding
    return None


def _case(observation: Observation, case: str, about: About, result: str, *, axis: int, before: int) -> Finding | None:
    results = []
    for number, call in enumerate(observation.calls[:2]):
        found = result_of(call, result, about, about.dims_of(case, number))
        if isinstance(found, Finding):
            return found
        results.append(found)
    if not all(bool(found.isfinite().all()) for found in results):
        return _not_finite(result)
    moved = _moved(results, axis, before)
    return _leaks(result, moved, before) if moved else None


def _moved(results: Sequence[Tensor], axis: int, before: int) -> list[int]:
    first, second = (found.double() for found in results)
    distance = (first - second).abs().movedim(axis, 0)[:before]
    return [position for position, row in enumerate(distance) if not bool((row <= TOLERANCE).all())]


def _not_finite(result: str) -> Finding:
    return Finding(
        "not-finite",
        f"With a mask, {result} contains NaN or infinity.",
        expected="finite numbers",
        actual="NaN or infinity",
        next_step="Every query here may see at least one key. 0 · ∞ gives NaN, and so does a row of nothing but −∞: "
        "did you read True as “forbidden”?",
    )


def _leaks(result: str, moved: Sequence[int], before: int) -> Finding:
    return Finding(
        "leaks-from-later-tokens",
        f"Changing the tokens from {before} on changed {result} at position {moved[0]}, which may not see them.",
        expected=f"positions 0 to {before - 1} stay exactly as they were",
        actual=f"position{'s' if len(moved) > 1 else ''} {', '.join(map(str, moved))} changed",
        next_step="Follow the mask: does it reach the scores before the softmax, and does True mean “may attend”?",
    )
