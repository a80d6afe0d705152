"""All heads are computed at once: the number of torch operations does not grow with h."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Compares recorded cases that differ in h alone; one operation more per added head is a loop."""
    counts = {about.dims[case]["h"]: len(observation.calls[0].operations) for case, observation in seen.items()}
    few, many = min(counts), max(counts)
    if counts[many] - counts[few] < many - few:
        return None
    return Finding(
        "loop-over-heads",
        f"forward runs {counts[few]} torch operations with h = {few} but {counts[many]} with h = {many}: it goes head by head.",
        expected="the same number of operations for every h",
        actual=f"{counts[few]} and {counts[many]}",
        next_step="Give the heads an axis of their own, and one matrix product works on all of them.",
    )
