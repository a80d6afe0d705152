"""Proves the traps of an exercise: each really fails, is recognised as itself, and every check is there for one of them.

The table of traps against checks is the kill matrix of mutation testing: a row without a mark is a fault that passes (a
survivor), a column without one a check that nothing needs (idle).
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass

from checkers.equals_reference import TOLERANCE
from tutor.content import Exercise, Variant
from tutor.diagnose import Diagnoser
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.judge import assess
from tutor.model import Assessment, Diagnosis, Status
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.situations import situations

SEED = 5
MARGIN = 10
FIRST = "first = self.__dict__.setdefault('_first', __import__('types').SimpleNamespace(Q=Q, K=K, V=V, mask=mask))"


@dataclass(frozen=True)
class Row:
    """One form of one trap, or a fault without a name: the checks it fails, and the traps it was taken for.

    ``name`` is the trap's id, empty where there is none; ``allowed`` are the ids it may be taken for.
    """

    name: str
    form: str
    allowed: frozenset[str]
    fails: tuple[str, ...]
    named: tuple[str, ...]
    line: int | None = None


@dataclass(frozen=True)
class Matrix:
    """All rows of one exercise; ``checks`` are the columns, "milestone/check".

    ``right`` is the largest error of the right answer computed in float32, ``weakest`` the smallest distance of a trap from it.
    """

    slug: str
    checks: tuple[str, ...]
    rows: tuple[Row, ...]
    right: float
    weakest: float

    @property
    def survivors(self) -> list[Row]:
        return [row for row in self.rows if not row.fails]

    @property
    def idle(self) -> list[str]:
        return [check for check in self.checks if not any(check in row.fails for row in self.rows)]


def prove(exercise: Exercise, reference: Reference) -> Matrix:
    """Run every form of every trap through observer, judge and diagnosis, in this process: all of it is ours."""
    diagnoser = reference.diagnoser(exercise)
    rows = tuple(
        _row(program, _outcome(exercise, reference, diagnoser, program.source)) for program in _programs(exercise)
    )
    checks = tuple(f"{milestone.id}/{check.id}" for milestone in exercise.milestones for check in milestone.checks)
    right, weakest = _distances(exercise, diagnoser)
    return Matrix(exercise.slug, checks, rows, right, weakest)


def complaints(exercise: Exercise, matrix: Matrix) -> list[ContentError]:
    """What the matrix says against the content: survivors, idle checks, mistaken traps, a narrow margin, poor hints."""
    return [
        *(_against(exercise, row) for row in matrix.rows if _mistaken(row)),
        *(_idle(exercise, check) for check in matrix.idle if exercise.traps),
        *_hints(exercise),
        *_margin(exercise, matrix),
    ]


def _mistaken(row: Row) -> bool:
    return not row.fails or not set(row.named) <= row.allowed or bool(row.name and not row.named)


def _against(exercise: Exercise, row: Row) -> ContentError:
    file = f"{exercise.slug}/traps/{row.name}.toml" if row.name else f"{exercise.slug}/exercise.toml"
    if not row.fails:
        return ContentError(file, row.form, "survives: no check fails it.")
    named = ", ".join(row.named) or "nothing"
    return ContentError(file, row.form, f"is taken for {named}; it fails {', '.join(row.fails)}.")


def _idle(exercise: Exercise, check: str) -> ContentError:
    return ContentError(f"{exercise.slug}/exercise.toml", check, "is idle: no trap fails it.")


def _hints(exercise: Exercise) -> Iterator[ContentError]:
    for trap in exercise.traps:
        file = f"{exercise.slug}/traps/{trap.id}.toml"
        if not all(text.strip() for text in (*trap.hints, trap.says)):
            yield ContentError(file, "hints", "no rung and no sentence may be blank.")
        if "?" not in trap.hints[0]:
            yield ContentError(file, "hints.0", "the first rung is a question.")
        if not (trap.variants or trap.symptoms):
            yield ContentError(file, "", "has neither variants nor symptoms, so nothing would ever be taken for it.")


def _margin(exercise: Exercise, matrix: Matrix) -> Iterator[ContentError]:
    if matrix.right >= TOLERANCE or matrix.weakest < MARGIN * matrix.right or matrix.weakest <= TOLERANCE:
        problem = f"the right answer errs by {matrix.right:.1e}, the weakest trap by {matrix.weakest:.1e}"
        yield ContentError(
            f"{exercise.slug}/traps", "", f"{problem}; {TOLERANCE:.0e} must lie between, ten times apart."
        )


@dataclass(frozen=True)
class _Program:
    """A source with a known fault."""

    name: str
    form: str
    allowed: frozenset[str]
    source: str


def _programs(exercise: Exercise) -> Iterator[_Program]:
    """Every form of every trap, then the faults without a name."""
    for trap in exercise.traps:
        file, allowed = f"{exercise.slug}/traps/{trap.id}.toml", frozenset({trap.id, *trap.same_as})
        for number, variant in enumerate(trap.variants, start=1):
            source = changed(exercise.reference, variant)
            yield _Program(trap.id, f"variant {number}", allowed, source)
        for number, example in enumerate(trap.examples, start=1):
            source = edited(example.source or exercise.reference, example.edits, file)
            yield _Program(trap.id, f"example {number}", allowed, source)
    for mutant in exercise.mutants:
        source = edited(exercise.reference, mutant.edits, f"{exercise.slug}/exercise.toml")
        yield _Program("", mutant.says, frozenset(), changed(source, Variant(replace=mutant.replace)))


def changed(reference: str, variant: Variant) -> str:
    """The reference's text with the stages of a variant exchanged."""
    stages = {
        node.targets[0].id: node
        for node in ast.walk(ast.parse(reference))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    lines = reference.splitlines(keepends=True)
    for stage, text in sorted(variant.replace.items(), key=lambda item: stages[item[0]].lineno, reverse=True):
        value = stages[stage].value
        first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
        now = ast.get_source_segment(reference, value) or ""
        head, tail = lines[first][: value.col_offset], lines[last][value.end_col_offset :]
        lines[first : last + 1] = [f"{head}{text.replace('{}', f'({now})')}{tail}"]
    if any("first." in text for text in variant.replace.values()):
        start = min(node.lineno for node in stages.values() if node.col_offset == 8) - 1
        lines.insert(start, f"        {FIRST}\n")
    return "".join(lines)


def edited(source: str, edits: Iterable[tuple[str, str]], file: str) -> str:
    """The source with passages exchanged.

    Raises:
        ContentError: a passage is not there; the message names ``file``.
    """
    for old, new in edits:
        if old not in source:
            raise ContentError(file, "edits", f"“{old}” is not in the reference.")
        source = source.replace(old, new)
    return source


def _row(program: _Program, outcome: tuple[Assessment, Diagnosis | None]) -> Row:
    assessment, found = outcome
    fails = tuple(
        f"{milestone.id}/{check.id}"
        for milestone in assessment.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    )
    return Row(
        program.name, program.form, program.allowed, fails, found.traps if found else (), found.line if found else None
    )


def _outcome(
    exercise: Exercise, reference: Reference, diagnoser: Diagnoser, source: str
) -> tuple[Assessment, Diagnosis | None]:
    planned = plan(exercise, SEED)
    with redirect_stdout(io.StringIO()):  # an example may print as students do
        seen = observe_here(planned, source)
    assessment = assess(exercise, source, seen, reference.observe(planned))
    if assessment.status is Status.PASSED:
        return assessment, None
    return assessment, diagnoser.explain(planned, source, seen, assessment).diagnosis


def _distances(exercise: Exercise, diagnoser: Diagnoser) -> tuple[float, float]:
    """Largest error of the right answer in float32, smallest distance of a single trap, over all cases."""
    planned, dictionary = plan(exercise, SEED), diagnoser.dictionary
    seen = observe_here(planned, exercise.reference)
    known = situations(exercise, planned, seen, dictionary.stages.results, diagnoser.build)
    traps = (dictionary.distance((fault,), known) for fault in dictionary.faults)
    return dictionary.distance((), known), min(traps, default=float("inf"))
