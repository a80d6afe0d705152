"""What a submission's text says: which of its code runs when its entry is used. Demo code and comparisons beside it do not."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache

from checkers._nodes import Function, live, name_of, span
from checkers._parsing import parse
from checkers._reach import Reach

# From a product out to the loop around it.
MOST_CALLS = 20
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
        return Reach(self.tree, self._entry).run()

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the running code, without annotations and branches that can never be taken."""
        return tuple(live(*self.running))

    @cached_property
    def calling(self) -> tuple[ast.AST, ...]:
        """Those nodes that are not part of a constructor."""
        return tuple(live(*(part for part in self.running if getattr(part, "name", "") != "__init__")))

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
        repeated, known = sorted(lines), set[str]()
        for _ in range(MOST_CALLS):
            around = [loop for loop in loops if _one_in(_repeats(loop), repeated)]
            if around:
                return min(around, key=lambda loop: len(span(loop))).lineno
            # Nothing loops here, so whoever calls the function around these lines may.
            inside = {name for name, node in functions.items() if name not in known and _one_in(span(node), repeated)}
            known |= inside
            repeated = sorted({line for name in inside for line in self._lines.get(name, ())})
        return None

    @cached_property
    def _lines(self) -> dict[str, set[int]]:
        """Each name in the running code, and the lines it is used on."""
        found: dict[str, set[int]] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                found.setdefault(name_of(node), set()).add(node.lineno)
        return found


@lru_cache(maxsize=2)
def read(text: str, entry: str) -> RunningCode:
    """The source of a submission; several checks ask for the same one in a row."""
    return RunningCode(text, entry)


def _one_in(lines: range, some: Sequence[int]) -> bool:
    """Whether one of some numbers in order lies in a range."""
    place = bisect_left(some, lines.start)
    return place < len(some) and some[place] < lines.stop


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
