"""No layer that plays a role of the contract carries a bias; a further layer is the parameter count's matter."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Names every bias the observer found beside the roles, also bare ones such as ``b_Q``."""
    for observation in seen.values():
        biases = observation.biases
        if biases:
            return Finding(
                "unwanted-bias",
                f"{len(biases)} of the matrices {'has' if len(biases) == 1 else 'have'} a bias, which adds parameters.",
                expected="no bias anywhere",
                actual=", ".join(biases[:8]),
                next_step="nn.Linear adds a bias unless told otherwise; look at its third argument."
                if any(name.endswith(".bias") for name in biases)
                else "Leave them out: the exercise counts the numbers of its matrices only.",
            )
    return None
