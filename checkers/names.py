"""The matrices carry the names of the contract, so that others can load and read them."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Content when each role's weight is ``ROLE.weight``."""
    for observation in seen.values():
        wrong = {role: name for role, name in observation.bound.items() if name not in (None, f"{role}.weight")}
        if wrong:
            return Finding(
                "layer-names",
                "The right number of matrices is there, but not under the names the exercise gives them.",
                expected=", ".join(f"self.{role}" for role in wrong),
                actual=", ".join(f"self.{str(name).removesuffix('.weight')}" for name in wrong.values()),
                next_step="Rename them; everything else is judged all the same.",
            )
    return None
