"""Which functions and statements of a file run when its entry is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from checkers._nodes import Function, live, name_of

# What Python or torch calls without being asked to by name.
STARTS = frozenset({"__init__", "forward"})
QUIET = frozenset({"__repr__", "__str__", "__doc__"})


class Reach:
    """Follows names from the entry: functions and constants of the file, and methods of the classes it meets."""

    def __init__(self, tree: ast.Module, entry: str) -> None:
        self._tops: dict[str, list[ast.AST]] = {}
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        methods = {id(member) for node in classes for member in node.body}
        functions = (node for node in ast.walk(tree) if isinstance(node, Function) and id(node) not in methods)
        for node in (*classes, *functions):
            self._tops.setdefault(node.name, []).append(node)
        for statement in _outside(tree.body):
            for name in _targets(statement):
                self._tops.setdefault(name, []).append(statement)
        self._names, self._waiting = {entry}, [entry]
        self._asleep: dict[str, list[ast.AST]] = {}
        self._found: dict[ast.AST, None] = {}
        self._read: set[ast.AST] = set()

    def run(self) -> tuple[ast.AST, ...]:
        while self._waiting:
            name = self._waiting.pop()
            for node in self._tops.get(name, ()):
                self._meet(node)
            for method in self._asleep.pop(name, ()):
                self._add(method)
        return tuple(self._found)

    def _meet(self, node: ast.AST) -> None:
        if not isinstance(node, ast.ClassDef):
            self._add(node)
            return
        for part in (*node.bases, *node.decorator_list, *node.body):
            if isinstance(part, Function) and not self._called(part.name):
                self._asleep.setdefault(part.name, []).append(part)
            else:
                self._add(part)

    def _add(self, node: ast.AST) -> None:
        self._found[node] = None
        used = {name for part in live(node, met=self._read) for name in _used(part)} - self._names
        self._names |= used
        self._waiting += sorted(used)

    def _called(self, name: str) -> bool:
        special = name.startswith("__") and name.endswith("__") and name not in QUIET
        return name in self._names or name in STARTS or special


def _used(node: ast.AST) -> Sequence[str]:
    """The name a node is, and the one that ``getattr(self, "attend")`` asks for."""
    if isinstance(node, ast.Call) and name_of(node.func) == "getattr":
        return [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return (name_of(node),)


def _outside(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a file that stand in no function or class, those under ``if`` and ``try`` included."""
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, Function | ast.ClassDef):
            continue
        yield statement
        parts = [statement, *getattr(statement, "handlers", [])]
        inner = [one for part in parts for name in ("body", "orelse", "finalbody") for one in getattr(part, name, [])]
        waiting += reversed(inner)


def _targets(statement: ast.stmt) -> list[str]:
    """What an assignment gives a value to; ``Net.forward = mine`` gives one to Net."""
    match statement:
        case ast.Assign(targets=targets):
            parts = targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            parts = [target]
        case _:
            return []
    return [node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)]
