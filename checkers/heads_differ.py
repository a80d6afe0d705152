"""Every head has an attention map of its own."""

from __future__ import annotations

from checkers.base import About, Finding, Foreign, Seen, Tensor

# Heads that see other features differ by about a hundredth; equal ones at most in the last bit.
TOLERANCE = 1e-7


def check(seen: Seen, expected: Seen, about: About, *, result: str, fresh: bool = False) -> Finding | None:
    """Compares the maps of all pairs of heads in the first call of each case.

    Args:
        result: name of the result that holds the weights, shape (B, h, T_q, T_k).
        fresh: whether the cases keep the weights that the constructor made.
    """
    index = list(about.returns).index(result)
    for observation in seen.values():
        items = observation.calls[0].items
        maps = items[index] if index < len(items) else Foreign("nothing")
        alike = None if isinstance(maps, Foreign) or maps.dim() < 3 else _alike(maps.double())
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
