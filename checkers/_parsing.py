"""The one place where a submission's text becomes a tree."""

from __future__ import annotations

import ast
import threading
import warnings
from functools import lru_cache

# As much as ten thousand short lines, so that whoever walks over a tree has an end in sight. No walk calls itself: Python
# reads more levels than it can call functions.
MOST_NODES, MOST_LEVELS = 60_000, 1_000
_ONE_AT_A_TIME = threading.Lock()


@lru_cache(maxsize=4)
def parse(text: str) -> ast.Module | None:
    """The tree of a text, None where Python cannot read it or it is too large; whoever asks again gets the same tree, which nobody may change."""
    try:
        tree = _quietly(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if _within_limits(tree) else None


def _quietly(text: str) -> ast.Module:
    """What Python warns of, ten thousand times perhaps, is not for the log of the server. The filters are those of all threads."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _within_limits(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    count = 0
    for _ in range(MOST_LEVELS):
        count += len(level)
        if count > MOST_NODES:
            return False
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False
