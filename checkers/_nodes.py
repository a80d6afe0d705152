"""Nodes of a submission's tree: what they are called, where they stand, and what lies below them."""

from __future__ import annotations

import ast
from collections import deque

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(node: ast.AST) -> str:
    """The name a node is: ``x`` → "x", ``F.softmax`` → "softmax"; "" where it is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def span(node: ast.stmt | ast.expr) -> range:
    """The lines that a node stands on."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def live(*parts: ast.AST, met: set[ast.AST] | None = None) -> list[ast.AST]:
    """Parts and what is below them, each node once, without annotations and without branches behind ``if False``.

    Args:
        parts: in order; one may lie within another.
        met: nodes that are left out with what is below them; what is found is added.
    """
    met, found = set() if met is None else met, list[ast.AST]()
    waiting = deque(parts)
    while waiting:
        current = waiting.popleft()
        if current in met:
            continue
        met.add(current)
        found.append(current)
        for name, value in ast.iter_fields(current):
            if name in ("annotation", "returns") or (name == "body" and _never(current)):
                continue
            children = value if isinstance(value, list) else (value,)
            waiting.extend(child for child in children if isinstance(child, ast.AST))
    return found


def _never(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (isinstance(test, ast.Constant) and not test.value) or name_of(test) == "TYPE_CHECKING"
