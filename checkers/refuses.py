"""The code refuses something it cannot do right, instead of quietly doing something else."""

from __future__ import annotations

from checkers.base import About, Ending, Finding, Seen

JUDGES_ENDINGS = True


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Content when every case ends with an exception, in the constructor or at the latest in the call."""
    for case, observation in seen.items():
        if observation.ending is Ending.RETURNED:
            sizes = ", ".join(
                f"{name} = {about.dims[case][name]}" for name in ("d_model", "h") if name in about.dims[case]
            )
            return Finding(
                "silent-indivisible-heads",
                f"With {sizes} the heads cannot share the width evenly, and nothing said so.",
                expected="an exception, best in __init__",
                actual="it was accepted",
                next_step="Check in __init__ that h divides d_model and raise if it does not.",
            )
    return None
