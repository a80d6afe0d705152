"""What the text of a submission says about tensors that are moved to a device by name.

Such a move may be part of the computation, or only there to print or to keep a copy; on one device the tape cannot tell them apart, since
a tensor that is there already is given back as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from checkers._nodes import name_of, span
from checkers._parsing import parse
from checkers.base import Step

MOVES = frozenset({"cpu", "cuda", "to"})
# Results of these are tensors that no tape has seen before.
UNTRACKED = frozenset({
    "vmap", "checkpoint", "Function", "script", "trace", "deepcopy", "functional_call", "custom_op", "compile", "jacrev", "jvp",
    "DisableTorchFunction", "DisableTorchFunctionSubclass", "_C",
})  # fmt: skip
LOOKS = frozenset(
    {"numpy", "tolist", "item", "print", "append", "format", "str", "repr", "info", "debug", "add_scalar", "save"}
)


@dataclass(frozen=True)
class Move:
    """A call that moves a tensor: its lines, the tensor, and the statement it stands in.

    Args:
        whole: nothing of the statement stands around it.
        looked: something around it only looks at the tensor.
    """

    lines: range
    moved: ast.expr
    statement: ast.stmt
    whole: bool
    looked: bool

    @cached_property
    def goes_on(self) -> bool:
        """Whether the tensor that was moved goes on into the computation."""
        if isinstance(self.statement, ast.Expr) or self.looked:
            return False
        targets = self.statement.targets if isinstance(self.statement, ast.Assign) else []
        if targets and all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets):
            return False
        if self.whole and len(targets) == 1 and isinstance(self.moved, ast.Name) and isinstance(targets[0], ast.Name):
            # shown = attn_w.cpu() may be a copy to look at; attn_w = attn_w.cpu() is none.
            return self.moved.id == targets[0].id
        return True


class Moves:
    """The moves in one source, looked up by line; read only when something asks.

    Args:
        text: of the submission; one that cannot be read counts as empty.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def untracked(self) -> bool:
        """Whether the file uses something that gives tensors no tape has seen."""
        return any(name_of(node) in UNTRACKED for node in ast.walk(self._tree))

    def replaces(self, step: Step) -> bool:
        """Whether the moved tensor goes on into the computation, as far as the text of its line says."""
        return any(move.goes_on for move in self._at(step.line))

    def returns(self, step: Step) -> bool:
        """Whether the moved tensor is what takes the place of the old one, or is returned at once."""
        return any(
            isinstance(move.statement, ast.Return) or isinstance(move.moved, ast.Name) or self._handed_on(move)
            for move in self._at(step.line)
            if move.goes_on
        )

    def _handed_on(self, move: Move) -> bool:
        """Whether the move is all that a name stands for which is returned."""
        targets = move.statement.targets if isinstance(move.statement, ast.Assign) and move.whole else []
        returned = [node.value for node in ast.walk(self._tree) if isinstance(node, ast.Return)]
        names = {part.id for value in returned for part in _parts(value) if isinstance(part, ast.Name)}
        return any(isinstance(target, ast.Name) and target.id in names for target in targets)

    def kept_at(self, line: int | None) -> int | None:
        """Where a tensor that a line reads from ``self`` was put there; None where the text does not say."""
        used = {node.attr for node in ast.walk(self._tree) if isinstance(node, ast.Attribute) and node.lineno == line}
        kept = (
            node.lineno
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Assign)
            and _makes_tensor(node.value)
            and any(isinstance(one, ast.Attribute) and one.attr in used for one in node.targets)
        )
        return min(kept, default=None)

    @property
    def _tree(self) -> ast.Module:
        return parse(self._text) or ast.Module([], [])

    def _at(self, line: int | None) -> list[Move]:
        return [move for move in self._moves if line in move.lines]

    @cached_property
    def _moves(self) -> list[Move]:
        statements = [node for node in ast.walk(self._tree) if isinstance(node, ast.stmt)]
        return [move for statement in statements for move in _within(statement)]


def _parts(value: ast.expr | None) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple | ast.List) else [value] if value else []


def _within(statement: ast.stmt) -> Iterator[Move]:
    """The moves in a statement, those in the statements below it apart."""
    waiting: list[tuple[ast.AST, bool]] = [(statement, False)]
    while waiting:
        node, looked = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                continue
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr in MOVES:
                yield Move(span(child), child.func.value, statement, node is statement, looked)
            waiting.append((child, looked or _looks(child)))


def _makes_tensor(value: ast.expr) -> bool:
    """Whether an expression calls something that is no class, other than classes of tensors: torch.ones, not nn.Linear."""
    names = [name_of(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)]
    return bool(names) and all(name[:1].islower() or name.endswith("Tensor") for name in names)


def _looks(node: ast.AST) -> bool:
    """Whether something around a move only looks at the tensor."""
    return isinstance(node, ast.JoinedStr) or name_of(node.func if isinstance(node, ast.Call) else node) in LOOKS
