"""Each row of the attention weights is a distribution over the keys."""

from __future__ import annotations

from checkers._shapes import result_of
from checkers.base import About, Finding, Seen, Tensor

# Right variants stay below 7e-6, with scores of several hundred too; weights rounded to four decimals are off by 1e-4.
TOLERANCE = 5e-5
EXPECTED = "every row ≥ 0 with sum 1"


def check(seen: Seen, expected: Seen, about: About, *, result: str) -> Finding | None:
    """Rows are finite, not negative, and sum to one within ``TOLERANCE``.

    Args:
        result: name of the result that holds the weights, shape (…, T_q, T_k).
    """
    for case, observation in seen.items():
        for number, call in enumerate(observation.calls):
            weights = result_of(call, result, about, about.dims_of(case, number))
            finding = weights if isinstance(weights, Finding) else _rows(weights.double())
            if finding is not None:
                return finding
    return None


def _rows(weights: Tensor) -> Finding | None:
    if not weights.isfinite().all():
        return Finding(
            "weights-not-finite",
            "The attention weights contain NaN or infinity.",
            EXPECTED,
            "NaN or infinity",
            "Look for a division by zero, a logarithm, or 0 · ∞ before the softmax.",
        )
    if (weights < -TOLERANCE).any():
        lowest = float(weights.min())
        return Finding(
            "weights-negative",
            f"Some attention weights are negative, down to {lowest:.3g}.",
            EXPECTED,
            f"{lowest:.3g}",
            "What you return as weights should be what the softmax gave.",
        )
    sums = weights.sum(-1)
    return None if _all_one(sums) else _sums(sums, columns=_all_one(weights.sum(-2)))


def _all_one(sums: Tensor) -> bool:
    return bool(((sums - 1).abs() <= TOLERANCE).all())


def _sums(sums: Tensor, *, columns: bool) -> Finding:
    worst = float(sums.flatten()[(sums - 1).abs().flatten().argmax()])
    seen = (
        "the columns do, as after a softmax over the queries, or with queries and keys exchanged behind it"
        if columns
        else f"one row sums to {worst:.6g}"
    )
    return Finding(
        "softmax-over-queries" if columns else "rows-do-not-sum-to-one",
        f"The rows of the attention weights do not sum to 1; {seen}.",
        EXPECTED,
        f"row sum {worst:.6g}",
        "One row belongs to one query and shares out its attention over all keys: which axis is that?"
        if columns
        else "Return exactly what the softmax over the keys gave; nothing may scale, round or drop it afterwards.",
    )
