"""The reference as a list of named stages, and quick evaluation of programs that differ from it in some of them.

A stage is one assignment of the reference's ``forward`` (or function); its name is what is assigned to. A program exchanges
expressions. Values are shared: an expression is evaluated once for the same values of the names it uses, so that
thousands of programs on small tensors take a fraction of a second.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tutor.content import Exercise
from tutor.errors import ContentError


@dataclass(frozen=True, eq=False)
class Expression:
    """Compiled code, the places of the stages it uses and the other names; equal text is the same object."""

    text: str
    code: types.CodeType
    uses: tuple[int, ...]
    others: frozenset[str]


Program = tuple[Expression, ...]
"""One expression for every stage, in order."""


@dataclass(frozen=True)
class Stages:
    """The stages of one reference in order, and which of them it returns.

    Raises:
        ContentError: the reference is not written as assignments to new names followed by one return of names.
    """

    exercise: Exercise
    scope: Mapping[str, Any]
    _known: dict[str, Expression] = field(default_factory=dict)

    @cached_property
    def assigned(self) -> Mapping[str, ast.Assign]:
        """Name → the first statement of the body that assigns to it alone, whatever else there is."""
        found: dict[str, ast.Assign] = {}
        for node in self._body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]):
                    found.setdefault(name, node)
        return found

    @cached_property
    def nodes(self) -> Mapping[str, ast.Assign]:
        """Stage → its assignment in the reference."""
        stages = self.assigned.values()
        for node in self._body[:-1]:
            text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not text and node not in stages:
                raise self._complaint(node.lineno, "must be an assignment to one new name")
        return self.assigned

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Stage → its expression in the reference."""
        return {name: ast.unparse(node.value) for name, node in self.nodes.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.nodes)

    @cached_property
    def reference(self) -> Program:
        """The program that is right."""
        return tuple(self.expression(text) for text in self.texts.values())

    @cached_property
    def results(self) -> tuple[str, ...]:
        """The stages that are returned, in order."""
        last = self._body[-1]
        value = last.value if isinstance(last, ast.Return) else None
        names = value.elts if isinstance(value, ast.Tuple) else [value]
        found = tuple(node.id for node in names if isinstance(node, ast.Name) and node.id in self.nodes)
        if len(found) != len(names):
            raise self._complaint(last.lineno, "must return names of stages")
        return found

    def expression(self, text: str) -> Expression:
        """Compile one expression.

        Raises:
            SyntaxError: it is none.
        """
        known = self._known.get(text)
        if known is None:
            tree = ast.parse(text.strip(), mode="eval")
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            uses = tuple(place for place, name in enumerate(self.names) if name in names)
            others = frozenset(names - set(self.names))
            known = self._known[text] = Expression(text, compile(tree, "stage", "eval"), uses, others)
        return known

    def program(self, parts: Iterable[tuple[int, str]]) -> Program | None:
        """The reference with stages exchanged, given as place and text; None where two want one stage for themselves.

        What wraps the present expression, ``{}``, does so after all that replaces one.
        """
        text: dict[int, str] = {}
        wraps = []
        for place, new in parts:
            if "{}" in new:
                wraps.append((place, new))
            elif place in text:
                return None
            else:
                text[place] = new
        for place, new in wraps:
            text[place] = new.replace("{}", f"({text.get(place, self.reference[place].text)})")
        program = list(self.reference)
        for place, new in text.items():
            program[place] = self.expression(new)
        return tuple(program)

    @cached_property
    def _body(self) -> list[ast.stmt]:
        entry = self.exercise.entry
        try:
            body = ast.parse(self.exercise.reference).body
        except SyntaxError as error:
            raise self._complaint(error.lineno or 1, "is no Python") from error
        path = (entry.name,) if entry.kind == "function" else (entry.name, "forward")
        for name in path:
            found = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name]
            if not found:
                raise self._complaint(1, f"must define {'.'.join(path)}")
            body = found[-1].body
        return body

    def _complaint(self, line: int, problem: str) -> ContentError:
        return ContentError(f"reference/{self.exercise.slug.replace('-', '_')}.py", f"line {line}", f"{problem}.")


class Raised:
    """Stands for the value of an expression that raised, and of whatever builds on it."""


RAISED = Raised()


class Evaluator:
    """Evaluates programs in one situation: one call with its inputs, and one module with its weights.

    Args:
        stages: of the reference.
        given: inputs by name, and ``self`` where there is a module.
    """

    def __init__(self, stages: Stages, given: Mapping[str, Any]) -> None:
        self._stages, self._scope = stages, {**stages.scope, **given}
        self._known: dict[tuple[Any, ...], int] = {}
        self._values: list[Any] = []
        self._numbers: dict[int, int] = {}
        self.errors: dict[str, str] = {}  # the text of an expression that raised, and what it raised

    def values(self, program: Program, upto: int) -> list[int]:
        """The number of the value of each stage up to and with ``upto``: equal for programs that do not differ before it."""
        numbers: list[int] = []
        for expression in program[: upto + 1]:
            key = (expression, *[numbers[place] for place in expression.uses])
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = self._number(self._evaluate(expression, numbers))
            numbers.append(number)
        return numbers

    def _number(self, value: Any) -> int:
        """What is the very same object, as where no mask is given, is the same value."""
        number = self._numbers.setdefault(id(value), len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    def value(self, number: int) -> Any:
        """A tensor, or ``RAISED``."""
        return self._values[number]

    def by_name(self, program: Program) -> dict[str, Any]:
        """Stage → value."""
        numbers = self.values(program, len(program) - 1)
        return {name: self._values[number] for name, number in zip(self._stages.names, numbers, strict=True)}

    def _evaluate(self, expression: Expression, numbers: list[int]) -> Any:
        names = {self._stages.names[place]: self._values[numbers[place]] for place in expression.uses}
        if any(value is RAISED for value in names.values()):
            return RAISED
        # All names are globals, since a comprehension inside would not see locals; what an earlier expression left there, this one
        # does not use.
        self._scope.update(names)
        try:
            # Ours: stages and traps are content of this project, never a submission's text.
            return eval(expression.code, self._scope)  # noqa: S307
        except Exception as error:
            self.errors[expression.text] = f"{type(error).__name__}: {error}"
            return RAISED
