"""Patterns and lines in a submission's text.

The patterns are ours, the text is the student's, so every search has a time limit: a text that makes a pattern run for ever is
one that does not match.
"""

from __future__ import annotations

import ast

import regex

SECONDS = 0.02
FLAGS = regex.MULTILINE
NUMBER = regex.compile(r"sqrt|\*\*|(?<!/)/(?!/)")
OPERATION = regex.compile(r"@|matmul|einsum|bmm|softmax|transpose|view|reshape|Linear")


def contains(pattern: str, text: str) -> bool:
    """Whether a pattern is found anywhere in a text."""
    return _search(pattern, text) is not None


def lacks(pattern: str, text: str) -> bool:
    """Whether a pattern is surely nowhere in a text; a search that ran out of time is not sure."""
    try:
        return regex.search(pattern, text, flags=FLAGS, timeout=SECONDS) is None
    except TimeoutError:
        return False


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern fits a whole text."""
    return _search(rf"\A(?:{pattern})\Z", text) is not None


def line_of(pattern: str, code: str) -> int | None:
    """The line, counted from 1, on which the first match of a pattern begins, or its group ``here`` where it has one."""
    found = _search(pattern, code)
    if found is None:
        return None
    return code.count("\n", 0, found.start("here" if "here" in found.re.groupindex else 0)) + 1


def line_of_attribute(name: str, code: str) -> int | None:
    """The line on which ``self`` is given the first part of a dotted parameter name."""
    first = regex.escape(regex.split(r"[.[]", name)[0])
    return line_of(rf"\bself\s*\.\s*{first}\s*(?::[^=\n]+)?=[^=]", code)


def definition_of(line: int, code: str) -> int | None:
    """The line on which a number that is used on this line was worked out, where that is another one.

    A number is worked out by a root, a power or a quotient, not by an operation on tensors.
    """
    found = _statement(line, code)
    names = (
        {ast.unparse(node) for node in ast.walk(found) if isinstance(node, ast.Name | ast.Attribute)} if found else ()
    )
    for node in ast.walk(_tree(code)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and node.lineno != line:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if {ast.unparse(target) for target in targets} & set(names) and _is_number(node.value):
                return node.lineno
    return None


def _is_number(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return NUMBER.search(text) is not None and OPERATION.search(text) is None


def _statement(line: int, code: str) -> ast.stmt | None:
    """The smallest statement that spans a line."""
    spans = (
        node
        for node in ast.walk(_tree(code))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    )
    return min(spans, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=None)


def _tree(code: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def _search(pattern: str, text: str) -> regex.Match[str] | None:
    try:
        return regex.search(pattern, text, flags=FLAGS, timeout=SECONDS)
    except TimeoutError:
        return None
