"""What a submission's text says: which of its code runs when its entry is used. Demo code and comparisons beside it do not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from checkers._parsing import parse

# What Python or torch calls without being asked to by name.
STARTS = frozenset({"__init__", "forward"})
QUIET = frozenset({"__repr__", "__str__", "__doc__"})
Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp


class RunningCode:
    """The text of a submission, read once.

    Args:
        text: Python; a text that cannot be read counts as empty.
        entry: name of the class or function that is used.
    """

    def __init__(self, text: str, entry: str) -> None:
        self.tree = parse(text) or ast.Module([], [])
        self._entry = entry

    @cached_property
    def running(self) -> tuple[ast.AST, ...]:
        """The functions and class-level statements that the entry leads to, by the names they use."""
        return _Reach(self.tree, self._entry).run()

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the running code, without annotations and branches that can never be taken."""
        return _below(self.running)

    @cached_property
    def calling(self) -> tuple[ast.AST, ...]:
        """Those nodes that are not part of a constructor."""
        return _below(part for part in self.running if getattr(part, "name", "") != "__init__")

    @cached_property
    def imported(self) -> dict[str, str]:
        """Each imported name → what it stands for, its last part."""
        aliases = [
            alias
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ]
        return {alias.asname or alias.name.split(".")[0]: alias.name.split(".")[-1] for alias in aliases}

    @cached_property
    def own(self) -> frozenset[str]:
        """Names and attributes that the file itself defines anywhere."""
        return frozenset(name for node in ast.walk(self.tree) for name in _defined(node))

    def line_of(self, names: frozenset[str], *, constructor: bool = True) -> int | None:
        """The first line of running code that uses one of these names; ".float" is met as an attribute only.

        Args:
            names: to look for.
            constructor: whether ``__init__`` counts.
        """
        found = (
            node.lineno
            for node in (self.nodes if constructor else self.calling)
            if (isinstance(node, ast.Name) and node.id in names)
            or (isinstance(node, ast.Attribute) and not names.isdisjoint((node.attr, f".{node.attr}")))
        )
        return min(found, default=None)

    def loop_around(self, lines: frozenset[int]) -> int | None:
        """The line of the innermost loop that repeats one of these lines, itself or by a call; None where none does."""
        functions = {node.name: node for node in self.nodes if isinstance(node, Function)}
        loops = [node for node in self.nodes if isinstance(node, Loop)]
        repeated = set(lines)
        for _ in range(len(functions) + 1):
            around = [loop for loop in loops if any(line in repeated for line in _repeats(loop))]
            if around:
                return min(around, key=lambda loop: len(span(loop))).lineno
            # Nothing loops here, so whoever calls the function around these lines may.
            inside = {name for name, node in functions.items() if not repeated.isdisjoint(span(node))}
            repeated = {node.lineno for node in self.nodes if isinstance(node, ast.expr) and name_of(node) in inside}
        return None


@lru_cache(maxsize=4)
def read(text: str, entry: str) -> RunningCode:
    """The source of a submission; several checks ask for the same one in a row."""
    return RunningCode(text, entry)


def name_of(node: ast.AST) -> str:
    """The name a node is: ``x`` → "x", ``F.softmax`` → "softmax"; "" where it is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def span(node: ast.stmt | ast.expr) -> range:
    """The lines that a node stands on."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def live(node: ast.AST) -> list[ast.AST]:
    """A node and what is below it, without annotations and without branches behind ``if False``."""
    found: list[ast.AST] = [node]
    for current in found:
        for name, value in ast.iter_fields(current):
            if name in ("annotation", "returns") or (name == "body" and _never(current)):
                continue
            children = value if isinstance(value, list) else (value,)
            found += [child for child in children if isinstance(child, ast.AST)]
    return found


def _below(parts: Iterable[ast.AST]) -> tuple[ast.AST, ...]:
    return tuple(dict.fromkeys(node for part in parts for node in live(part)))


def _never(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (isinstance(test, ast.Constant) and not test.value) or name_of(test) == "TYPE_CHECKING"


def _repeats(loop: Loop) -> range:
    """The lines a loop runs more than once; what a ``for`` goes over is worked out once."""
    lines = span(loop)
    return range(loop.body[0].lineno, lines.stop) if isinstance(loop, ast.For) else lines


def _defined(node: ast.AST) -> Sequence[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return (name,)
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return (name,)
    return ()


class _Reach:
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
        self._names = {entry}
        self._members: dict[ast.AST, None] = {}
        self._found: dict[ast.AST, None] = {}

    def run(self) -> tuple[ast.AST, ...]:
        before = -1
        while before != (before := len(self._found)):
            for name in tuple(self._names):
                for node in self._tops.get(name, ()):
                    self._meet(node)
            for member in tuple(self._members):
                if not isinstance(member, Function) or self._called(member.name):
                    self._add(member)
        return tuple(self._found)

    def _meet(self, node: ast.AST) -> None:
        if isinstance(node, ast.ClassDef):
            self._members |= dict.fromkeys((*node.bases, *node.decorator_list, *node.body))
        else:
            self._add(node)

    def _add(self, node: ast.AST) -> None:
        if node not in self._found:
            self._found[node] = None
            self._names.update(name for part in live(node) for name in _used(part))

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
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            continue
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _outside(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            yield from _outside(handler.body)


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
