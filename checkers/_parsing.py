"""The one place where a submission's text becomes a tree."""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=8)
def parse(text: str) -> ast.Module | None:
    """The tree of a text, None where Python cannot read it; whoever asks again gets the same tree, which nobody may change."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
