"""What the text of a submission tells about an error: statements, definitions, and names that are spelled alike."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from checkers._parsing import parse

NAME_CHARS, CANDIDATES, STATEMENT_CHARS = 40, 300, 2_000
# Names a file on attention may mean although it never spells them right.
COMMON_NAMES = frozenset({
    "torch", "math", "nn", "bias", "view", "reshape", "transpose", "permute", "contiguous", "softmax", "masked_fill",
    "unflatten", "flatten", "matmul", "sqrt", "shape", "size", "Linear", "Module", "Parameter", "functional", "einsum",
    "super", "print", "range",
})  # fmt: skip
# What torch's modules, layers and tensors offer, for names that were looked for there.
TORCH_NAMES = frozenset({
    "Dropout", "Identity", "LayerNorm", "ModuleList", "Sequential", "Softmax", "Tensor", "amax", "arange", "bool", "chunk",
    "concat", "detach", "device", "dropout", "dtype", "expand", "float32", "float64", "in_features", "init", "layer_norm", "linear",
    "logical_not", "masked_fill_", "movedim", "numel", "ones", "out_features", "register_buffer", "repeat", "split", "squeeze",
    "stack", "swapaxes", "tensor", "tril", "triu", "unsqueeze", "weight", "where", "xavier_uniform_", "zeros",
})  # fmt: skip
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Binding(NamedTuple):
    """Where a name is given a value: the line, and the function it belongs to, None at the top of the file or of a class."""

    line: int
    function: str | None
    how: Literal["parameter", "assignment", "import"] = "assignment"


class Text:
    """A submission's text, read once; a text that is no Python has no definitions and no names.

    Args:
        text: the submission, with Unix line ends.
        entry: the name the exercise asks for.
        function: whether that is a function rather than a class.
    """

    def __init__(self, text: str, entry: str, *, function: bool = False) -> None:
        # Not splitlines: to Python a form feed, or a line separator in a text, ends no line.
        self.lines = text.split("\n")
        self.entry = entry
        self.function = function
        self.tree = parse(text) or ast.Module(body=[], type_ignores=[])

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree))

    def line(self, number: int | None) -> str:
        return self.lines[number - 1] if number is not None and 0 < number <= len(self.lines) else ""

    def statement(self, number: int | None) -> str:
        """The whole statement a line belongs to; of an if, a loop or a def only the head. Without comments, and bounded."""
        if number is None:
            return ""
        around = [node for node in self.nodes if isinstance(node, ast.stmt) and node.lineno <= number <= _end(node)]
        if not around:
            return self.line(number)[:STATEMENT_CHARS]
        inner = max(around, key=lambda node: node.lineno)
        body = getattr(inner, "body", None)
        last = max(inner.lineno, body[0].lineno - 1) if isinstance(body, list) and body else _end(inner)
        return re.sub(r"#.*", "", "\n".join(self.lines[inner.lineno - 1 : last])[:STATEMENT_CHARS])

    @cached_property
    def entry_class(self) -> ast.ClassDef | None:
        classes = (node for node in self.tree.body if isinstance(node, ast.ClassDef))
        return next((node for node in classes if node.name == self.entry), None)

    def definition(self, method: str) -> int | None:
        """The line of this method of the entry, of the class where it has none, or of the entry itself where it is a function."""
        found = self.entry_class
        if found is None:
            lines = (node.lineno for node in self.tree.body if isinstance(node, Function) and node.name == self.entry)
        else:
            lines = (node.lineno for node in found.body if isinstance(node, Function) and node.name == method)
        return next(lines, found.lineno if found else None)

    def function_at(self, number: int | None) -> Function | None:
        """The innermost function that this line lies in."""
        if number is None:
            return None
        around = [node for node in self.nodes if isinstance(node, Function) and node.lineno <= number <= _end(node)]
        return max(around, key=lambda node: node.lineno, default=None)

    def defines(self, number: int | None) -> bool:
        """Whether this line is part of a class or a def, rather than a statement at the top of the file."""
        parts = (node for node in self.tree.body if isinstance(node, Function | ast.ClassDef))
        return number is not None and any(node.lineno <= number <= _end(node) for node in parts)

    @cached_property
    def members(self) -> frozenset[str]:
        """What is reached through self: attributes that are set, methods, and names in the body of a class."""
        set_here = {node.attr for node in self.nodes if isinstance(node, ast.Attribute) and _sets_self(node)}
        inside = [part for node in self.nodes if isinstance(node, ast.ClassDef) for part in node.body]
        set_here |= {part.name for part in inside if isinstance(part, Function)}
        return frozenset(set_here | {part.id for node in inside for part in _stored(node)})

    @cached_property
    def imports(self) -> frozenset[str]:
        """The names that import statements bring in."""
        statements = (node for node in self.nodes if isinstance(node, ast.Import | ast.ImportFrom))
        return frozenset(name for node in statements for name in _imported(node.names))

    def binding(self, name: str) -> Binding | None:
        """Where the file first gives this name a value: as a parameter, by assignment or import, by a def or class at the top."""
        found = [binding for function, node in _scoped(self.tree) if (binding := _binds(node, name, function))]
        tops = (node for node in self.tree.body if isinstance(node, Function | ast.ClassDef))
        found += [Binding(node.lineno, None) for node in tops if node.name == name]
        return min(found, default=None, key=lambda binding: binding.line)

    def silent(self, number: int | None) -> Function | None:
        """A function of this file that is called in the statement and returns nothing."""
        called = set(re.findall(r"(\w+)\s*\(", self.statement(number)))
        functions = (node for node in self.nodes if isinstance(node, Function) and node.name in called)
        return next((function for function in functions if not _gives(function)), None)

    def optional(self, number: int | None) -> str:
        """A parameter that may be left out, one of this statement if there is one; “mask” where the file has none."""
        functions = [node for node in self.nodes if isinstance(node, Function)]
        names = [name for function in functions for name in _left_out(function.args) if len(name) <= NAME_CHARS]
        words = set(re.findall(r"\w+", self.statement(number)))
        return next((name for name in (*(one for one in names if one in words), *names)), "mask")

    def near(self, name: str, among: Iterable[str] | None = None) -> str:
        """A name of the file that is spelled much like this one, or ""; bounded, since both are the student's to choose."""
        if not 0 < len(name) <= NAME_CHARS:
            return ""
        names = self._names if among is None else among
        alike = sorted(other for other in set(names) - {name} if abs(len(other) - len(name)) <= 2)[:CANDIDATES]
        lowered = {other.lower(): other for other in alike}
        same_case = difflib.get_close_matches(name, alike, 1, 0.75)
        any_case = difflib.get_close_matches(name.lower(), lowered, 1, 0.75)
        return same_case[0] if same_case else lowered[any_case[0]] if any_case else ""

    @cached_property
    def _names(self) -> frozenset[str]:
        names = {node.id for node in self.nodes if isinstance(node, ast.Name)} | {
            node.attr for node in self.nodes if isinstance(node, ast.Attribute)
        }
        return frozenset(names | self.members | self.imports | COMMON_NAMES)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _sets_self(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _stored(node: ast.AST) -> Iterator[ast.Name]:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part


def _imported(aliases: Iterable[ast.alias]) -> list[str]:
    return [alias.asname or alias.name.split(".")[0] for alias in aliases]


def _scoped(tree: ast.Module) -> Iterator[tuple[str | None, ast.AST]]:
    """Every node with the name of the function whose own name space it lies in; no recursion, since code may be nested deeply."""
    todo: list[tuple[str | None, ast.AST]] = [(None, tree)]
    while todo:
        function, node = todo.pop()
        yield function, node
        inner = node.name if isinstance(node, Function) else None if isinstance(node, ast.ClassDef) else function
        todo.extend((inner, child) for child in ast.iter_child_nodes(node))


def _binds(node: ast.AST, name: str, function: str | None) -> Binding | None:
    match node:
        case ast.arg(arg=bound) if bound == name:
            return Binding(node.lineno, function, "parameter")
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases) if name in _imported(aliases):
            return Binding(node.lineno, function, "import")
        case ast.Name(id=bound, ctx=ast.Store()) if bound == name:
            return Binding(node.lineno, function)
    return None


def _left_out(arguments: ast.arguments) -> Iterator[str]:
    """The parameters whose default is None."""
    placed = [*arguments.posonlyargs, *arguments.args]
    by_place = zip(placed[len(placed) - len(arguments.defaults) :], arguments.defaults, strict=True)
    for argument, default in (*by_place, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
        if isinstance(default, ast.Constant) and default.value is None:
            yield argument.arg


def _gives(function: Function) -> bool:
    """Whether some return (or yield) of this very function hands back a value."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value is not None):
            return True
        if not isinstance(node, SCOPES):
            todo.extend(ast.iter_child_nodes(node))
    return False
