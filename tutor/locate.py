"""Patterns and lines in a submission's text."""

from __future__ import annotations

import ast
import time

import regex

from checkers._parsing import parse

SECONDS, SECONDS_IN_ALL = 0.02, 0.5
FLAGS = regex.MULTILINE
ROOTS = frozenset({"sqrt", "rsqrt", "isqrt", "pow"})
OPERATIONS = frozenset({
    "matmul", "einsum", "bmm", "baddbmm", "softmax", "transpose", "permute", "view", "reshape", "unflatten", "Linear",
})  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Searches:
    """The searches for one explanation.

    The patterns are ours, the text is the student's, so each has a time limit, and all have one together: a text that makes a pattern run
    for ever is one that does not match.
    """

    def __init__(self) -> None:
        self._left = SECONDS_IN_ALL

    def contains(self, pattern: str, text: str) -> bool:
        """Whether a pattern is found anywhere in a text."""
        return self._search(pattern, text) is not None

    def lacks(self, pattern: str, text: str) -> bool:
        """Whether a pattern is surely nowhere in a text; a search that ran out of time is not sure."""
        try:
            return self._timed(pattern, text) is None
        except TimeoutError:
            return False

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern fits a whole text."""
        return self._search(rf"\A(?:{pattern})\Z", text) is not None

    def line_of(self, pattern: str, code: str) -> int | None:
        """The line, counted from 1, on which the first match of a pattern begins, or its group ``here`` where that took part in it."""
        found = self._search(pattern, code)
        if found is None:
            return None
        marked = "here" in found.re.groupindex and found.start("here") >= 0
        return code.count("\n", 0, found.start("here" if marked else 0)) + 1

    def line_of_attribute(self, name: str, code: str) -> int | None:
        """The line on which ``self`` is given the first part of a dotted parameter name, or that part its weight: the last one counts."""
        first = regex.escape(regex.split(r"[.[]", name)[0])
        return self.line_of(rf"(?s:.*)\b(?P<here>self)\s*\.\s*{first}\s*(?:\.\s*weight\s*)?(?::[^=\n]+)?=[^=]", code)

    def _search(self, pattern: str, text: str) -> regex.Match[str] | None:
        try:
            return self._timed(pattern, text)
        except TimeoutError:
            return None

    def _timed(self, pattern: str, text: str) -> regex.Match[str] | None:
        if self._left <= 0:
            raise TimeoutError
        started = time.thread_time()
        try:
            return regex.search(pattern, text, flags=FLAGS, timeout=min(SECONDS, self._left))
        finally:
            self._left -= time.thread_time() - started


def within(path: str, source: str, code: str) -> str:
    """The code of one definition, on the lines it has in the whole; nothing where there is no such definition.

    Args:
        path: dotted name of a function, a class or a method, such as ``A.forward``; of several with one name the last counts.
        source: the submission.
        code: the same without comments and texts, line for line.
    """
    first, last, body = 0, 0, _body(source)
    for name in path.split("."):
        found = [node for node in body if isinstance(node, DEFINITIONS) and node.name == name]
        if not found:
            return ""
        first, last, body = found[-1].lineno, found[-1].end_lineno or 0, found[-1].body
    lines = enumerate(code.split("\n"), start=1)
    return "\n".join(line if first <= number <= last else "" for number, line in lines)


def definition_of(line: int, source: str) -> int | None:
    """The line on which a number that is used on this line was worked out, where that is another one.

    A number is worked out by a root, a power or a quotient, not by an operation on tensors.
    """
    tree = parse(source)
    if tree is None:
        return None
    statement = _statement(line, tree)
    used = {_dotted(node) for node in ast.walk(statement)} - {"", *_targets(statement)} if statement else set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or node.lineno == line:
            continue
        if not used.isdisjoint(_targets(node)) and _is_number(node.value):
            return node.lineno
    return None


def branch_of(line: int, source: str) -> int | None:
    """The line on which it is decided whether this line runs, or what it does; None where that may be elsewhere.

    It is the one ``if`` round it, or the line itself if it chooses between two values. With two round it, or a way out before it,
    nobody knows which.
    """
    tree = parse(source)
    nodes = list(ast.walk(tree)) if tree else []
    around = [node for node in nodes if isinstance(node, ast.If | ast.FunctionDef) and _spans(node, line)]
    branches = [node.lineno for node in around if isinstance(node, ast.If)]
    start = max((node.lineno for node in around if isinstance(node, ast.FunctionDef)), default=0)
    if any(isinstance(node, ast.Return) and start < node.lineno < line for node in nodes) or len(branches) > 1:
        return None
    chooses = any(isinstance(node, ast.IfExp) and node.lineno <= line <= (node.end_lineno or 0) for node in nodes)
    return branches[0] if branches else line if chooses else None


def _spans(node: ast.If | ast.FunctionDef, line: int) -> bool:
    return node.lineno < line <= (node.end_lineno or 0)


def _targets(node: ast.AST) -> set[str]:
    """What an assignment gives a value, as it is written; nothing for any other node."""
    match node:
        case ast.Assign():
            return {_dotted(target) for target in node.targets} - {""}
        case ast.AnnAssign():
            return {_dotted(node.target)} - {""}
    return set()


def _is_number(value: ast.expr) -> bool:
    nodes = list(ast.walk(value))
    named = {_dotted(node).rpartition(".")[2] for node in nodes}
    called = {_dotted(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
    signs = {type(node.op) for node in nodes if isinstance(node, ast.BinOp)}
    of_numbers = bool(called & ROOTS or signs & {ast.Pow, ast.Div})
    return of_numbers and not (named & OPERATIONS or ast.MatMult in signs)


def _dotted(node: ast.AST) -> str:
    """``self.d_k`` as it is written; nothing where the node is more than names and dots."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ""


def _statement(line: int, tree: ast.Module) -> ast.stmt | None:
    """The smallest statement that spans a line."""
    spans = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    )
    return min(spans, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=None)


def _body(source: str) -> list[ast.stmt]:
    tree = parse(source)
    return tree.body if tree else []
