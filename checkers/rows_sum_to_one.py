"""Each row of the attention weights is a distribution over the keys."""

from __future__ import annotations

from checkers.base import About, Finding, Foreign, Seen, Tensor

# Right variants stay below 7e-6, with scores of several hundred too; weights rounded to four decimals are off by 1e-4.
TOLERANCE = 5e-5


def check(seen: Seen, expected: Seen, about: About, *, result: str) -> Finding | None:
    """Rows are finite, not negative, and sum to one within ``TOLERANCE``.

    Args:
        result: name of the result that holds the weights, shape (…, T_q, T_k).
    """
    index = list(about.returns).index(result)
    for observation in seen.values():
        for call in observation.calls:
            weights = call.items[index] if index < len(call.items) else Foreign("nothing")
            finding = None if isinstance(weights, Foreign) else _rows(weights.double())
            if finding is not None:
                return finding
    return None


def _rows(weights: Tensor) -> Finding | None:
    expected = "every row ≥ 0 with sum 1"
    if not weights.isfinite().all():
        return Finding(
            "weights-not-finite",
            "The attention weights contain NaN or infinity.",
            expected,
            "NaN or infinity",
            "Look for a division by zero, a logarithm, or 0 · ∞ before the softmax.",
        )
    if (weights < -TOLERANCE).any():
        lowest = float(weights.min())
        return Finding(
            "weights-negative",
            f"Some attention weights are negative, down to {lowest:.3g}.",
            expected,
            f"{lowest:.3g}",
            "What you return as weights should be what the softmax gave.",
        )
    sums = weights.sum(-1)
    if bool((sums - 1).abs().max() <= TOLERANCE):
        return None
    worst = float(sums.flatten()[(sums - 1).abs().flatten().argmax()])
    columns = bool((weights.sum(-2) - 1).abs().max() <= TOLERANCE)
    seen = "the columns do: the softmax ran over the queries" if columns else f"one row sums to {worst:.4g}"
    return Finding(
        "softmax-over-queries" if columns else "rows-do-not-sum-to-one",
        f"The rows of the attention weights do not sum to 1; {seen}.",
        expected,
        f"row sum {worst:.4g}",
        "One row belongs to one query and shares out its attention over all keys: which axis is that?"
        if columns
        else "Return exactly what the softmax over the keys gave; nothing may scale, round or drop it afterwards.",
    )
