"""A reference as it is shown beside a learner's code: without the texts that stand before the code and push it away from theirs."""

from __future__ import annotations

import ast


def undocumented(source: str) -> str:
    """The source without docstrings and without the comments ahead of its first statement; every other line stays as it is.

    Args:
        source: Python that can be parsed, as a reference of ours can.
    """
    tree, lines = ast.parse(source), source.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node)
            and len(node.body) > 1
        ):
            text, following = node.body[:2]
            dropped.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
            dropped.update(_blank(lines, (text.end_lineno or text.lineno) + 1, following.lineno))
    first = next((node.lineno for node in tree.body if node.lineno not in dropped), 1)
    kept = [line for number, line in enumerate(lines, start=1) if number not in dropped and number >= first]
    return "\n".join(kept)


def _blank(lines: list[str], start: int, end: int) -> list[int]:
    """The numbers of the blank lines from ``start`` on, up to the first that is not, or to ``end``."""
    found = []
    for number in range(start, end):
        if lines[number - 1].strip():
            break
        found.append(number)
    return found
