"""No layer that plays a role of the contract carries a bias; a further layer is the parameter count's matter."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Names every bias parameter found."""
    for observation in seen.values():
        layers = {str(name).removesuffix(".weight") for name in observation.bound.values() if name is not None}
        biases = [name for name in observation.unclaimed if name.removesuffix(".bias") in layers]
        if biases:
            return Finding(
                "unwanted-bias",
                f"{len(biases)} of the matrices {'has' if len(biases) == 1 else 'have'} a bias, which adds parameters.",
                expected="no bias anywhere",
                actual=", ".join(biases[:8]),
                next_step="nn.Linear adds a bias unless told otherwise; look at its third argument.",
            )
    return None
