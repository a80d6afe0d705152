"""The work is done by hand: no ready-made one was called, and none stands in the code that runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from checkers._nodes import name_of
from checkers._source import RunningCode, read
from checkers._tape import first_line
from checkers.base import About, Finding, Seen

# What finds something by a text instead of a name.
LOOKUPS = frozenset({"getattr", "attrgetter", "methodcaller", "import_module", "__import__", "eval", "exec"})


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Goes by what was really called in the recorded cases, then by the text of what the entry leads to.

    A comment, demo code or a comparison that mentions a name is no matter, and neither is a helper of one's own by that name.
    """
    forbidden = frozenset(about.forbidden_calls)
    for observation in seen.values():
        called = {name for call in observation.calls for name in call.operations}
        found = sorted(called & forbidden)
        if found:
            # What runs inside the library is left out where the call itself was seen.
            found = [name for name in found if not name.startswith("_")] or found
            written = _written(about, forbidden)
            return _finding(found, about.called, _taped(seen, found) or (written[0] if written else None))
    written = _written(about, forbidden)
    return _finding([written[1]], about.called, written[0]) if written else None


def _taped(seen: Seen, names: Sequence[str]) -> int | None:
    lines = (first_line(observation.tape, lambda step: step.name in names) for observation in seen.values())
    return next((line for line in lines if line is not None), None)


def _finding(found: list[str], called: str, line: int | None) -> Finding:
    return Finding(
        "library-attention-used",
        f"{called} hands the work to the library; it calls {', '.join(found)}.",
        expected="every step written out in your own code",
        actual=", ".join(found),
        next_step="Write the steps yourself; comparing with the library in trial code is welcome.",
        line=line,
    )


def _written(about: About, forbidden: frozenset[str]) -> tuple[int, str] | None:
    """The first forbidden name in the code that runs, and its line."""
    if not any(name in about.source for name in forbidden):
        return None
    source = read(about.source, about.entry)
    expressions = [node for node in source.nodes if isinstance(node, ast.expr)]
    found = [(node.lineno, name) for node in expressions if (name := _named(node, source, forbidden))]
    return min(found, default=None)


def _named(node: ast.expr, source: RunningCode, forbidden: frozenset[str]) -> str:
    """The forbidden name that a node stands for; "" where it stands for none, or for something the file defines itself."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in source.own:
            # A name that nothing binds comes from a star import.
            original = source.imported.get(name, name)
            return original if original in forbidden else ""
        case ast.Attribute(attr=name) if name in forbidden and (name not in source.own or _library(node, source)):
            return name
        case ast.Call(func=func, args=args) if name_of(func) in LOOKUPS:
            texts = [part.value for part in args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            words = {word for text in texts for word in re.findall(r"\w+", text)}
            return min((words & forbidden) - source.own, default="")
    return ""


def _library(node: ast.Attribute, source: RunningCode) -> bool:
    """Whether an attribute is one of something imported: F.softmax is, self.softmax is not."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in source.imported and root.id not in source.own
