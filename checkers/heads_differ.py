"""Every head has an attention map of its own."""

from __future__ import annotations

from checkers._shapes import result_of
from checkers.base import About, Finding, Foreign, Seen, Tensor

# Heads that see other features differ by about a hundredth; equal ones at most in the last bit.
TOLERANCE = 1e-7


def check(seen: Seen, expected: Seen, about: About, *, result: str, fresh: bool = False) -> Finding | None:
    """Every result of the first call of each case is finite, and no two heads have one map.

    Args:
        result: name of the result that holds the weights, shape (B, h, T_q, T_k).
        fresh: whether the cases keep the weights that the constructor made.
    """
    for case, observation in seen.items():
        maps = result_of(observation.calls[0], result, about, about.dims[case])
        if isinstance(maps, Finding):
            return maps
        items = zip(about.returns, observation.calls[0].items, strict=False)
        wild = [name for name, item in items if not isinstance(item, Foreign) and not item.isfinite().all()]
        if wild:
            return _not_finite(wild[0], fresh=fresh)
        alike = _alike(maps.double())
        if alike is not None:
            return _finding(result, alike, fresh=fresh)
    return None


def _alike(maps: Tensor) -> tuple[int, int] | None:
    heads = list(maps.unbind(-3))
    for first, one in enumerate(heads):
        for second in range(first + 1, len(heads)):
            if bool(((one - heads[second]).abs() <= TOLERANCE).all()):
                return first, second
    return None


def _not_finite(result: str, *, fresh: bool) -> Finding:
    return Finding(
        "weights-not-finite",
        f"{'In a new module ' if fresh else ''}{result} contains NaN or infinity.",
        expected="finite numbers",
        actual="NaN or infinity",
        next_step="Look at how __init__ sets the weights: is there one that nothing was ever written to?"
        if fresh
        else "Look for a division by zero, a logarithm, or 0 · ∞ before the softmax.",
    )


def _finding(result: str, alike: tuple[int, int], *, fresh: bool) -> Finding:
    pair = f"heads {alike[0]} and {alike[1]}"
    if fresh:
        return Finding(
            "heads-start-alike",
            f"In a new module {pair} have the same attention map, so they would learn the same and stay one head.",
            expected="random weights that make every head start differently",
            actual=f"{result} of {pair} is the same",
            next_step="Look at how __init__ sets the weights: nn.Linear starts them at random, a constant does not.",
        )
    return Finding(
        "heads-share-one-map",
        f"{pair.capitalize()} have exactly the same attention map, though their queries and keys come from different features.",
        expected="h different maps",
        actual=f"{result} of {pair} is the same",
        next_step="Follow the axis h through the scores: is it averaged, added up, or filled by copying one head?",
    )
