"""Proves the traps of an exercise: each really fails, is recognised as itself, and every check is there for one of them.

The table of traps against checks is the kill matrix of mutation testing: a row without a mark is a fault that passes (a
survivor), a column without one a check that nothing needs (idle).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import accumulate

from checkers.equals_reference import TOLERANCE
from tutor.content import Exercise
from tutor.diagnose import Diagnoser, Explained
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.faults import FaultDictionary
from tutor.judge import assess
from tutor.model import Assessment, Status
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.reader import Reader
from tutor.situations import situations
from tutor.stages import Stages
from tutor.symptoms import held
from tutor.traps import Mutant, Trap, Variant

SEED = 5
MARGIN = 10
FIRST = "first = self.__dict__.setdefault('_first', __import__('types').SimpleNamespace({given}))"


@dataclass(frozen=True)
class Row:
    """One form of one trap, or a fault without a name: the checks it fails, and the traps it was taken for.

    ``name`` is the trap's id, empty where there is none; ``allowed`` are the ids it may be taken for, ``held`` the places of the
    trap's symptoms that hold, ``codes`` those of the failed checks.
    """

    name: str
    form: str
    allowed: frozenset[str]
    fails: tuple[str, ...]
    named: tuple[str, ...]
    line: int | None = None
    held: frozenset[int] = frozenset()
    codes: tuple[str, ...] = ()


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
    # What the texts themselves give away comes before anything that takes time.
    results, programs = diagnoser.dictionary.stages.results, tuple(_programs(exercise, diagnoser.dictionary))
    right, weakest = _distances(exercise, diagnoser, results)
    rows = tuple(_row(program, *_outcome(exercise, reference, diagnoser, program.source)) for program in programs)
    checks = tuple(f"{milestone.id}/{check.id}" for milestone in exercise.milestones for check in milestone.checks)
    return Matrix(exercise.slug, checks, rows, right, weakest)


def complaints(exercise: Exercise, matrix: Matrix) -> list[ContentError]:
    """What the matrix says against the content: survivors, mistaken traps, idle checks and symptoms, a narrow margin."""
    return [
        *(_against(exercise, row) for row in matrix.rows if _mistaken(row)),
        *(_idle(exercise, check) for check in matrix.idle if exercise.traps),
        *_idle_symptoms(exercise, matrix),
        *_margin(exercise, matrix),
    ]


def _mistaken(row: Row) -> bool:
    return not row.fails or not set(row.named) <= row.allowed or bool(row.name and not row.named)


def _against(exercise: Exercise, row: Row) -> ContentError:
    file = exercise.file_of(row.name) if row.name else f"{exercise.slug}/exercise.toml"
    if not row.fails:
        return ContentError(file, row.form, "survives: no check fails it.")
    named = ", ".join(row.named) or "nothing"
    failed = ", ".join(f"{check} ({code})" for check, code in zip(row.fails, row.codes, strict=True))
    return ContentError(file, row.form, f"is taken for {named}; it fails {failed}.")


def _idle(exercise: Exercise, check: str) -> ContentError:
    return ContentError(f"{exercise.slug}/exercise.toml", check, "is idle: no trap fails it.")


def _idle_symptoms(exercise: Exercise, matrix: Matrix) -> Iterator[ContentError]:
    for trap in exercise.traps:
        held = {place for row in matrix.rows if row.name == trap.id for place in row.held}
        for place in (place for place in range(len(trap.symptoms)) if place not in held):
            file = exercise.file_of(trap.id)
            yield ContentError(file, f"symptoms.{place}", "shows in no example and no variant of this trap.")


def _margin(exercise: Exercise, matrix: Matrix) -> Iterator[ContentError]:
    if matrix.right >= TOLERANCE or matrix.weakest < MARGIN * matrix.right or matrix.weakest <= TOLERANCE:
        problem = f"the right answer errs by {matrix.right:.1e}, the weakest trap by {matrix.weakest:.1e}"
        yield ContentError(
            f"{exercise.slug}/traps", "", f"{problem}; {TOLERANCE:.0e} must lie between, ten times apart."
        )


@dataclass(frozen=True)
class _Program:
    """A source with a known fault; of a fault without a name there is no trap."""

    form: str
    source: str
    trap: Trap | None = None


def _programs(exercise: Exercise, dictionary: FaultDictionary) -> Iterator[_Program]:
    """Every form of every trap, then the faults without a name."""
    for trap in exercise.traps:
        file = exercise.file_of(trap.id)
        for number, variant in enumerate(trap.variants, start=1):
            yield _Program(f"variant {number}", changed(exercise.reference, variant, exercise), trap)
        for number, example in enumerate(trap.examples, start=1):
            source = edited(exercise.reference, example.edits, file, f"examples.{number - 1}.edits")
            yield _Program(f"example {number}", source, trap)
    for number, mutant in enumerate(exercise.mutants):
        yield _Program(mutant.says, _mutated(exercise, mutant, dictionary, f"mutants.{number}"))


def _mutated(exercise: Exercise, mutant: Mutant, dictionary: FaultDictionary, key: str) -> str:
    file = f"{exercise.slug}/exercise.toml"
    source = edited(exercise.reference, mutant.edits, file, f"{key}.edits")
    if not mutant.replace:
        return source
    dictionary.parts(mutant.replace, file, f"{key}.replace")
    try:
        return changed(source, Variant(replace=mutant.replace), exercise)
    except (ContentError, KeyError) as error:
        raise ContentError(file, f"{key}.edits", "leave no stages to replace; leave out one of the two.") from error


def changed(reference: str, variant: Variant, exercise: Exercise) -> str:
    """The reference's text with the stages of a variant exchanged.

    Raises:
        ContentError: the text defines no stages at all.
        KeyError: a stage is not there.
    """
    nodes = Stages(exercise.model_copy(update={"reference": reference}), {}).assigned
    text = reference.encode()
    # Python counts the columns of a line in bytes.
    starts = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    for stage in sorted(variant.replace, key=lambda stage: nodes[stage].lineno, reverse=True):
        value = nodes[stage].value
        first = starts[value.lineno - 1] + value.col_offset
        last = starts[(value.end_lineno or value.lineno) - 1] + (value.end_col_offset or 0)
        new = variant.replace[stage].replace("{}", f"({text[first:last].decode()})")
        text = text[:first] + new.encode() + text[last:]
    if any(re.search(r"\bfirst\b", new) for new in variant.replace.values()):
        begins = min(nodes.values(), key=lambda node: node.lineno)
        given = ", ".join(f"{name}={name}" for name in (*exercise.entry.positional, *exercise.entry.keyword))
        start = starts[begins.lineno - 1]
        text = text[:start] + f"{' ' * begins.col_offset}{FIRST.format(given=given)}\n".encode() + text[start:]
    return text.decode()


def edited(source: str, edits: Iterable[tuple[str, str]], file: str, key: str = "edits") -> str:
    """The source with passages exchanged.

    Raises:
        ContentError: a passage is not there; the message names ``file`` and ``key``.
    """
    for old, new in edits:
        if old not in source:
            raise ContentError(file, key, f"“{old}” is not in the reference.")
        source = source.replace(old, new)
    return source


def _row(program: _Program, assessment: Assessment, explained: Explained) -> Row:
    failed = [
        (f"{milestone.id}/{check.id}", check.code)
        for milestone in assessment.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    ]
    found, trap = explained.diagnosis, program.trap
    return Row(
        name=trap.id if trap else "",
        form=program.form,
        allowed=frozenset((trap.id, *trap.same_as) if trap else ()),
        fails=tuple(name for name, _ in failed),
        codes=tuple(code for _, code in failed),
        named=found.traps if found else (),
        line=found.line if found else None,
        held=held(trap, explained.evidence) if trap and explained.evidence else frozenset(),
    )


def _outcome(
    exercise: Exercise, reference: Reference, diagnoser: Diagnoser, source: str
) -> tuple[Assessment, Explained]:
    planned = plan(exercise, SEED)
    with redirect_stdout(io.StringIO()):  # an example may print as students do
        seen = observe_here(planned, source)
    planned, seen = Reader.of(diagnoser).read(planned, seen)
    assessment = assess(exercise, source, seen, reference.observe(planned))
    if assessment.status is Status.PASSED:
        return assessment, Explained(None)
    return assessment, diagnoser.explain(planned, source, seen, assessment)


def _distances(exercise: Exercise, diagnoser: Diagnoser, results: Sequence[str]) -> tuple[float, float]:
    """Largest error of the right answer in float32, smallest distance of a single trap, over all cases."""
    planned, dictionary = plan(exercise, SEED), diagnoser.dictionary
    seen = observe_here(planned, exercise.reference)
    known = situations(exercise, planned, seen, results, diagnoser.build)
    dictionary.check(known)
    traps = (dictionary.distance((fault,), known) for fault in dictionary.faults)
    return dictionary.distance((), known), min(traps, default=float("inf"))
