"""The cases run to their end. How one failed to is an ending, which the judge words, so nothing is left to ask here."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Content whenever every case returned."""
    return None
