"""A question about the student's own code, made from its tape: what shape leaves a line, or which axis the softmax sums over.

The answer is what the code did; nobody has to be asked for it.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from checkers.base import Step, Tensor
from tutor.quiz import Choice, Foreseen, Option, Question, Shape

# Operations with one result; what makes several, such as chunk, leaves more than one shape.
_SINGLE = frozenset({
    "view", "reshape", "transpose", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "unflatten", "flatten", "unsqueeze",
    "contiguous", "matmul", "bmm", "baddbmm", "einsum", "tensordot", "softmax", "masked_fill", "where", "div", "mul", "add", "linear",
    "cat", "concat", "stack", "expand", "repeat",
})  # fmt: skip
_OPERATORS: Mapping[type[ast.operator], frozenset[str]] = MappingProxyType({
    ast.MatMult: frozenset({"matmul"}), ast.Div: frozenset({"div"}), ast.Mult: frozenset({"mul"}), ast.Add: frozenset({"add"}),
    ast.Sub: frozenset({"sub"}),
})  # fmt: skip
ID = "own-code"
CODE_CHARS = 80
SUMS_TO_ONE = 1e-4


@dataclass(frozen=True)
class Run:
    """One observed call: its tape, and the values of the named sizes."""

    tape: Sequence[Step]
    dims: Mapping[str, int]


def own_question(source: str, run: Run, seed: int) -> Question | None:
    """One question about a submission that passed; None where its tape has nothing to ask about.

    Args:
        source: the submission.
        run: one call of it.
        seed: chooses among the questions there are.
    """
    found = [*_about_softmax(source, run), *_about_shapes(source, run)]
    return random.Random(seed).choice(found) if found else None  # noqa: S311  no secret depends on it


def _about_shapes(source: str, run: Run) -> Iterator[Question]:
    """For every line that is carried out once and makes another shape than it is given."""
    for number, steps in _lines(source, run.tape).items():
        made = _shape(steps[-1].value)
        taken = [shape for step in steps for shape in step.shapes]
        if made is None or len(made) < 2 or not taken or made == taken[0]:
            continue
        foreseen = {shape: "That is what goes into the line." for shape in taken if shape != made}
        foreseen |= {
            shape: "Those are the right sizes in another order."
            for shape in (tuple(reversed(made)), (*made[:-2], made[-1], made[-2]))
            if shape != made and shape not in foreseen
        }
        yield Shape(
            id=ID,
            kind="shape",
            ask=f"{_where(source, number)} {_sizes(run.dims)} What is the shape of what leaves it?",
            answer=_plain(made),
            foreseen=tuple(Foreseen(answer=_plain(shape), says=says) for shape, says in foreseen.items()),
            think="Follow the axes through the line: which of them does it move, cut, join or sum over?",
            why=f"Given {' and '.join(map(_plain, dict.fromkeys(taken)))}, the line made {_plain(made)}.",
        )


def _about_softmax(source: str, run: Run) -> Iterator[Question]:
    for number, steps in _lines(source, run.tape).items():
        value = steps[-1].value
        if not any("softmax" in step.name for step in steps) or value is None or value.dim() < 2:
            continue
        spans = [_span(value.sum(axis)) for axis in range(value.dim())]
        ones = [axis for axis, (low, high) in enumerate(spans) if max(abs(low - 1), abs(high - 1)) < SUMS_TO_ONE]
        if len(ones) == 1:
            yield Choice(
                id=ID,
                kind="choice",
                ask=f"{_where(source, number)} Its result has the shape {_plain(tuple(value.shape))}. Over which axis does your softmax sum?",
                options=tuple(_option(axis, value, spans[axis], right=axis in ones) for axis in range(value.dim())),
                why=f"Along axis {ones[0]} all sums of your numbers are 1: whoever asks shares out its attention among the keys.",
            )


def _option(axis: int, value: Tensor, span: tuple[float, float], *, right: bool) -> Option:
    low, high = span
    sums = f"are {low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"go from {low:.3g} to {high:.3g}"
    says = "" if right else f"Along that axis the sums of your numbers {sums}; a softmax makes them 1."
    return Option(text=f"axis {axis}, of size {value.shape[axis]}", right=right, says=says)


def _span(sums: Tensor) -> tuple[float, float]:
    return float(sums.min()), float(sums.max())


def _lines(source: str, tape: Sequence[Step]) -> dict[int, list[Step]]:
    """Line → its steps, for lines of the entry itself whose last step is certainly what leaves them.

    They are carried out once, with no step of another line between, and hold one plain statement whose outermost operation that step is.
    """
    runs: list[list[Step]] = []
    for step in tape:
        if runs and runs[-1][-1].line == step.line:
            runs[-1].append(step)
        else:
            runs.append([step])
    lines = [steps[0].line for steps in runs]
    helped = {step.outer for step in tape if step.outer != step.line}
    plain = _plain_statements(source)
    return {
        line: steps
        for line, steps in zip(lines, runs, strict=True)
        if line is not None
        and lines.count(line) == 1
        and line not in helped
        and steps[-1].outer in {None, line}
        and steps[-1].name in _outermost(plain.get(line))
    }


def _plain_statements(source: str) -> dict[int, ast.expr]:
    """Line → what is assigned to one name on it, where nothing else begins or ends there: no loop either, which may repeat the line."""
    found: dict[int, list[ast.stmt]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            for line in {node.lineno, node.end_lineno or node.lineno}:
                found.setdefault(line, []).append(node)
    values = {}
    for line, statements in found.items():
        match statements:
            case [ast.Assign(targets=[ast.Name()], value=value)]:
                if statements[0].lineno == statements[0].end_lineno:
                    values[line] = value
    return values


def _outermost(value: ast.expr | None) -> frozenset[str]:
    """The names that the tape may give to the last operation of an expression; none where it cannot be known."""
    match value:
        case ast.BinOp(op=op):
            return _OPERATORS.get(type(op), frozenset())
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            return frozenset({"linear"})
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return frozenset({name}) & _SINGLE
    return frozenset()


def _where(source: str, number: int) -> str:
    code = source.splitlines()[number - 1].strip().replace("`", "'")
    shown = code if len(code) <= CODE_CHARS else f"{code[: CODE_CHARS - 1]}…"
    return f"Line {number} of your code is `{shown}`."


def _sizes(dims: Mapping[str, int]) -> str:
    *some, last = [f"{name} = {size}" for name, size in dims.items()]
    return f"It was run with {', '.join(some)} and {last}." if some else f"It was run with {last}."


def _shape(value: Tensor | None) -> tuple[int, ...] | None:
    return None if value is None else tuple(value.shape)


def _plain(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
