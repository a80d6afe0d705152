"""The parts of an exercise fit together: what one of them names, another defines. Every complaint says what is allowed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

import checkers
from checkers._shapes import evaluate, sizes
from tutor.content import LOAD, Check, Exercise, LensSetup, Readings
from tutor.errors import ContentError
from tutor.meanings.axes import with_head_width
from tutor.traps import Symptom, Trap, wording
from tutor.trials import HEADS, WORDS

# All orders of four entries are 24 already, and each is tried on whatever fails.
MOST_IN_ANY_ORDER = 4
# What a case has besides is for checks to look at.
OF_AN_EXAMPLE = ("name", "dims", "arguments", "inputs", "again")
# What a head makes of its input in a lens.
PROJECTED = ("queries", "keys", "values")


def check_parts(exercise: Exercise, file: str) -> None:
    """Look at the exercise itself and at its traps.

    Args:
        exercise: each of whose parts is in order for itself.
        file: its file, for the complaint.

    Raises:
        ContentError: the first thing that is named and not there, or is there twice.
    """
    entry = exercise.entry
    unique(file, "entry", [*entry.positional, *entry.keyword])
    unique(file, "entry.constructor", [*entry.constructor, *entry.options])
    unique(file, "roles", [role.name for role in exercise.roles])
    for number, role in enumerate(exercise.roles):
        if role.bias_when:
            _known([role.bias_when], entry.options, "option", file, f"roles.{number}.bias_when")
    unique(file, "cases", [LOAD, *(case.name for case in exercise.cases)])
    unique(file, "examples", [case.name for case in exercise.examples])
    for number, case in enumerate(exercise.examples):
        _known(sorted(case.model_fields_set), OF_AN_EXAMPLE, "key of an example", file, f"examples.{number}")
    if exercise.readings is not None:
        _readings(exercise, exercise.readings, file)
    if exercise.lens is not None:
        _lens(exercise, exercise.lens, file)
    if not exercise.milestones:
        raise ContentError(file, "milestones", "at least one is needed.")
    unique(file, "milestones", [milestone.id for milestone in exercise.milestones])
    known: list[str] = []
    for number, milestone in enumerate(exercise.milestones):
        unique(file, f"milestones.{number}.checks", [check.id for check in milestone.checks])
        for index, check in enumerate(milestone.checks):
            _check(exercise, check, known, file, f"milestones.{number}.checks.{index}")
            known.append(f"{milestone.id}/{check.id}")
    for trap in exercise.traps:
        _trap(exercise, trap, known, exercise.file_of(trap.id))
    _rungs(exercise)


def unique(file: str, key: str, names: Sequence[str]) -> None:
    """Every name is its own.

    Raises:
        ContentError: one is there twice.
    """
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ContentError(file, key, f"{', '.join(twice)} appears more than once; every name must be its own.")


def _known(names: Iterable[str], allowed: Sequence[str], what: str, file: str, key: str) -> None:
    for unknown in (name for name in names if name not in allowed):
        raise ContentError(file, key, f"“{unknown}” is no {what}; allowed: {', '.join(allowed) or 'none'}.")


def _readings(exercise: Exercise, told: Readings, file: str) -> None:
    """Every layout numbers the same rows, and something tells which one a submission has."""
    _known([told.role], [role.name for role in exercise.roles], "role", file, "readings.role")
    axes = told.layouts[0].split()
    unique(file, "readings.layouts", told.layouts)
    unique(file, "readings.layouts.0", axes)
    for number, layout in enumerate(told.layouts):
        if sorted(layout.split()) != sorted(axes):
            problem = f"“{layout}” is no order of the axes of the first: {', '.join(axes)}."
            raise ContentError(file, f"readings.layouts.{number}", problem)
    if told.any_order:
        numbers = [axis for axis in axes if axis.isdigit() and 1 < int(axis) <= MOST_IN_ANY_ORDER]
        what = f"axis of 2 to {MOST_IN_ANY_ORDER} entries that is written as a number"
        _known([told.any_order], numbers, what, file, "readings.any_order")
    if not any(case.tape for case in exercise.cases):
        raise ContentError(file, "readings", "needs a case with tape = true, where it is found out which one it is.")
    shape = next(role.shape for role in exercise.roles if role.name == told.role)
    rooms = {case.name: with_head_width(case.dims) for case in exercise.cases}
    sized = {name: room for name, room in rooms.items() if _has_sizes(f"{told.layouts[0]} {shape}", room)}
    if not sized:
        raise ContentError(file, "readings.layouts.0", "has no size in any case.")
    for name, room in sized.items():
        made, rows = math.prod(sizes(told.layouts[0], room)), sizes(shape, room)[0]
        if made != rows:
            problem = f"“{told.layouts[0]}” makes {made} rows in case {name}, where {told.role} has {rows}."
            raise ContentError(file, "readings.layouts.0", problem)


def _lens(exercise: Exercise, told: LensSetup, file: str) -> None:
    """Everything that is given in the lens can be made by hand."""
    entry, roles = exercise.entry, [role.name for role in exercise.roles]
    _known(told.weights, roles, "role", file, "lens.weights")
    _known(told.inputs, [*entry.positional, *entry.keyword], "input", file, "lens.inputs")
    _known([told.maps] if told.maps else [], list(entry.returns), "result", file, "lens.maps")
    _all_there(roles, told.weights, file, "lens.weights")
    _all_there(entry.positional, told.inputs, file, "lens.inputs")
    made = [kind for kinds in told.weights.values() for kind in kinds.split()]
    _known(made, (*PROJECTED, "output"), "thing to make", file, "lens.weights")
    unique(file, "lens.weights", made)
    _all_there((*PROJECTED, "output") if roles else (), made, file, "lens.weights")
    for name, kind in told.inputs.items():
        given = ("sentence", "backwards") if roles else PROJECTED
        allowed = given if name in entry.positional else (*given, "causal")
        _known([kind], allowed, "input of a lens", file, f"lens.inputs.{name}")
    _all_there([*entry.constructor, "h", *(() if roles else ("d_k",))], told.dims, file, "lens.dims")
    _lens_sizes(exercise, told, file)


def _lens_sizes(exercise: Exercise, told: LensSetup, file: str) -> None:
    """There are four heads, each with room for every word, and what comes in has room for a word's features."""
    if told.dims["h"] != HEADS:
        raise ContentError(file, "lens.dims.h", f"there are {HEADS} heads, for each look one.")
    if not exercise.roles and told.dims["d_k"] < WORDS:
        raise ContentError(file, "lens.dims.d_k", f"must be {WORDS} or more, a number for each word.")
    for index, role in enumerate(exercise.roles):
        if not _has_sizes(role.shape, told.dims):
            raise ContentError(file, f"roles.{index}.shape", f"“{role.shape}” has no size with lens.dims.")
        shape, parts = sizes(role.shape, told.dims), HEADS * len(told.weights[role.name].split())
        if len(shape) != 2 or shape[0] % parts or shape[0] // parts < WORDS or shape[1] < 2 * WORDS:
            wanted = f"{parts} equal parts of {WORDS} rows or more, and {2 * WORDS} columns or more"
            raise ContentError(file, "lens.dims", f"{role.name} becomes {shape}, and needs {wanted}.")


def _all_there(names: Iterable[str], there: Iterable[str], file: str, key: str) -> None:
    known = list(there)
    for missing in (name for name in names if name not in known):
        raise ContentError(file, key, f"“{missing}” is missing.")


def _check(exercise: Exercise, check: Check, earlier: Sequence[str], file: str, key: str) -> None:
    cases = (LOAD, *(case.name for case in exercise.cases))
    _known([check.kind], checkers.kinds(), "kind of check", file, f"{key}.kind")
    _known(check.cases, cases, "case", file, f"{key}.cases")
    if not check.cases:
        raise ContentError(file, f"{key}.cases", f"at least one case is needed; allowed: {', '.join(cases)}.")
    _known(check.needs, earlier, "earlier check", file, f"{key}.needs")
    parameters = {parameter.name: parameter for parameter in _options(check.kind)}
    _known(check.options, list(parameters), f"option of {check.kind}", file, f"{key}.options")
    for name, parameter in parameters.items():
        if name in check.options:
            _value(parameter.annotation, check.options[name], file, f"{key}.options.{name}")
        elif parameter.default is inspect.Parameter.empty:
            takes = ", ".join(parameters)
            raise ContentError(file, f"{key}.options", f"“{name}” is missing; {check.kind} takes {takes}.")


def _options(kind: str) -> Iterator[inspect.Parameter]:
    """The options of a kind, which are the keywords of its function."""
    for parameter in inspect.signature(checkers.load_kind(kind).check, eval_str=True).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            yield parameter


def _value(annotation: Any, value: object, file: str, key: str) -> None:
    try:
        TypeAdapter(annotation).validate_python(value, strict=True)
    except ValidationError as error:
        raise ContentError(file, key, f"{value!r}: {error.errors()[0]['msg']}.") from error


def _trap(exercise: Exercise, trap: Trap, checks: Sequence[str], file: str) -> None:
    traps = [other.id for other in exercise.traps]
    _known(trap.same_as, traps, "trap", file, "same_as")
    _known(trap.brings, traps, "trap", file, "brings")
    if "?" not in trap.hints[0]:
        raise ContentError(file, "hints.0", "the first rung is a question.")
    if not (trap.variants or trap.symptoms):
        raise ContentError(file, "", "has neither variants nor symptoms, so nothing would ever be taken for it.")
    for number, symptom in enumerate(trap.symptoms):
        _symptom(exercise, symptom, checks, file, f"symptoms.{number}")


def _rungs(exercise: Exercise) -> None:
    """Every rung says something new; what leads to a fault is its own, while several can be mended by one expression."""
    owners: dict[str, str] = {}
    for trap in exercise.traps:
        file, said = exercise.file_of(trap.id), [wording(hint) for hint in trap.hints]
        for number, words in enumerate(said):
            if words in said[:number]:
                raise ContentError(file, f"hints.{number}", "repeats an earlier rung; each must say something new.")
        for number, words in enumerate(said[:-1]):
            owner = owners.setdefault(words, trap.id)
            if owner != trap.id:
                problem = f"is a rung of {owner}, too; only the last one, the corrected expression, may be shared."
                raise ContentError(file, f"hints.{number}", problem)


def _symptom(exercise: Exercise, symptom: Symptom, checks: Sequence[str], file: str, key: str) -> None:
    if symptom.check:
        _known([symptom.check], checks, "check", file, f"{key}.check")
    rooms = [with_head_width(case.dims) for case in exercise.cases]
    for operand in symptom.operands:
        if not any(_has_sizes(operand, room) for room in rooms):
            names = ", ".join(dict.fromkeys(name for room in rooms for name in room))
            raise ContentError(file, f"{key}.operands", f"“{operand}” has no size in any case; allowed: {names}.")


def _has_sizes(axes: str, dims: Mapping[str, int]) -> bool:
    try:
        return bool([evaluate(axis, dims) for axis in axes.split()])
    except ValueError:
        return False
