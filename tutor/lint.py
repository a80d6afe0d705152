"""Content proves itself: every recipe can be drawn, the reference passes, the starter does not, every trap fails and is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from checkers.base import Seen
from tutor.after_pass import Afterwards
from tutor.catalog import load_exercise
from tutor.content import LOAD, Case, Check, Exercise
from tutor.curriculum import Shelf, load_lessons
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.inputs import check_axes, check_recipe
from tutor.judge import assess
from tutor.model import Assessment, Status
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.proof import Matrix, complaints, prove

SEEDS = (1, 2, 3)
LIBRARY_TOLERANCE = 1e-9  # in float64


def lint(folder: Path, reference_folder: Path, lender: Path | None = None) -> tuple[list[ContentError], Matrix | None]:
    """Every complaint about one exercise folder, none when it is in order; and its kill matrix, where it came so far.

    Args:
        folder: of the exercise.
        reference_folder: where its reference lies.
        lender: a folder of exercises that it may borrow from, besides its own.
    """
    try:
        exercise = load_exercise(folder, reference_folder, lender)
        _drawable(exercise)
        reference = Reference(exercise)
        found = [
            *_reference_passes(exercise, reference),
            *_starter_fails(exercise, reference),
            *_library_agrees(exercise, reference),
        ]
        if found:
            return found, None
        matrix = prove(exercise, reference)
    except ContentError as error:
        return [error], None
    return complaints(exercise, matrix), matrix


def lint_path(shelves: Sequence[Shelf]) -> list[ContentError]:
    """What is wrong with the path through the exercises, up to the first shelf that is not in order."""
    known: list[str] = []
    for shelf in shelves:
        try:
            lessons = load_lessons(shelf, known)
        except ContentError as error:
            return [error]
        known += [step.slug for lesson in lessons for step in lesson.exercises]
    return []


def _drawable(exercise: Exercise) -> None:
    """Every size, recipe, option and formula can be worked out in every case that uses it.

    Raises:
        ContentError: the first that cannot.
    """
    file, entry = f"{exercise.slug}/exercise.toml", exercise.entry
    placed = [(f"cases.{number}", case) for number, case in enumerate(exercise.cases)]
    placed += [(f"examples.{number}", case) for number, case in enumerate(exercise.examples)]
    for key, case in placed:
        for name in (name for name in entry.constructor if name not in case.dims):
            raise ContentError(file, f"{key}.dims", f"{name} is missing; the constructor of {entry.name} takes it.")
        for unknown in (name for name in case.arguments if name not in entry.options):
            allowed = ", ".join(entry.options) or "none; entry.options lists them"
            raise ContentError(
                file, f"{key}.arguments", f"“{unknown}” is no option of {entry.name}; allowed: {allowed}."
            )
        if case.construct_only:
            continue
        for index, role in enumerate(exercise.roles):
            check_axes(role.shape, case.dims, file, f"roles.{index}.shape (in case {case.name})")
            if role.name in exercise.biases(case):
                check_axes(role.bias, case.dims, file, f"roles.{index}.bias (in case {case.name})")
        for name, axes in entry.returns.items():
            check_axes(axes, case.dims, file, f"entry.returns.{name} (in case {case.name})")
        _inputs(exercise, case, file, key)
    _options(exercise, file)


def _inputs(exercise: Exercise, case: Case, file: str, key: str) -> None:
    allowed = (*exercise.entry.positional, *exercise.entry.keyword)
    for index, again in enumerate(case.again):
        for unknown in (name for name in again.dims if name not in case.dims):
            sizes = ", ".join(case.dims)
            raise ContentError(file, f"{key}.again.{index}.dims", f"“{unknown}” is no dimension; allowed: {sizes}.")
    for call in range(len(case.again) + 1):
        place = f"{key}.again.{call - 1}.inputs" if call else f"{key}.inputs"
        for name, recipe in case.recipes(call).items():
            if name not in allowed:
                raise ContentError(file, place, f"“{name}” is no input; allowed: {', '.join(allowed)}.")
            if recipe.split() == ["none"] and name in exercise.entry.positional:
                raise ContentError(
                    file, f"{place}.{name}", "“none” is for what is passed by name; this input is always given."
                )
            check_recipe(recipe, case, call, file, f"{place}.{name}")
    missing = [name for name in exercise.entry.positional if name not in case.inputs]
    if missing:
        raise ContentError(file, f"{key}.inputs", f"{', '.join(missing)} must be given in every case that is called.")


def _options(exercise: Exercise, file: str) -> None:
    for number, milestone in enumerate(exercise.milestones):
        for index, check in enumerate(milestone.checks):
            key = f"milestones.{number}.checks.{index}.options"
            result = check.options.get("result")
            if result is not None and result not in exercise.entry.returns:
                allowed = ", ".join(exercise.entry.returns)
                raise ContentError(file, f"{key}.result", f"“{result}” is no result; allowed: {allowed}.")
            for case in (exercise.case(name) for name in check.cases if name != LOAD):
                _of_case(check, case, file, key)


def _of_case(check: Check, case: Case, file: str, key: str) -> None:
    if "count" in check.options:
        check_axes(check.options["count"], case.dims, file, f"{key}.count", least=0)
    for name in ("call", "calls"):
        asked = check.options.get(name)
        numbers = [asked] if isinstance(asked, int) else asked or []
        for number in (number for number in numbers if not 0 <= number <= len(case.again)):
            last = len(case.again)
            raise ContentError(file, f"{key}.{name}", f"{number} is no call of {case.name}; allowed: 0 to {last}.")


def _assess(exercise: Exercise, source: str, seed: int, reference: Reference) -> Assessment:
    planned = plan(exercise, seed)
    seen, expected = observe_here(planned, source), reference.observe(planned)
    try:
        return assess(exercise, source, seen, expected)
    except Exception as error:
        raise _unfit(exercise, source, seen, expected) from error


def _unfit(exercise: Exercise, source: str, seen: Seen, expected: Seen) -> ContentError:
    """Which check cannot look at its cases, found by asking one after the other."""
    file = f"{exercise.slug}/exercise.toml"
    for number, milestone in enumerate(exercise.milestones):
        for index, check in enumerate(milestone.checks):
            alone = milestone.model_copy(update={"checks": (check.model_copy(update={"needs": ()}),)})
            try:
                assess(exercise.model_copy(update={"milestones": (alone,)}), source, seen, expected)
            except Exception as error:
                problem = f"{check.kind} cannot look at {', '.join(check.cases)}: {type(error).__name__}: {error}"
                return ContentError(file, f"milestones.{number}.checks.{index}", f"{problem}.")
    return ContentError(file, "milestones", "the checks cannot be carried out one after the other.")


def _reference_passes(exercise: Exercise, reference: Reference) -> list[ContentError]:
    file = f"reference/{exercise.slug.replace('-', '_')}.py"
    for seed in SEEDS:
        for milestone in _assess(exercise, exercise.reference, seed, reference).milestones:
            for check in milestone.checks:
                if check.status is not Status.PASSED:
                    problem = (
                        f"must pass every check, but {milestone.id}/{check.id} says: {check.status}. {check.message}"
                    )
                    return [ContentError(file, "", f"{problem} (seed {seed})")]
    return []


def _library_agrees(exercise: Exercise, reference: Reference) -> list[ContentError]:
    """What the library gives is what the reference gives, so that students may be shown it."""
    file, planned = f"{exercise.slug}/library.py", plan(exercise, SEEDS[0])
    try:
        apart = Afterwards(exercise).from_reference(planned, reference.observe(planned))
    except ContentError:
        raise
    except Exception as error:
        return [ContentError(file, "", f"cannot be run: {type(error).__name__}: {error}")]
    if apart is None or apart < LIBRARY_TOLERANCE:
        return []
    return [ContentError(file, "", f"must give the reference's first result, but is {apart:.2g} away from it.")]


def _starter_fails(exercise: Exercise, reference: Reference) -> list[ContentError]:
    assessment = _assess(exercise, exercise.starter, SEEDS[0], reference)
    passed = [milestone.id for milestone in assessment.milestones if milestone.status is Status.PASSED]
    if not passed:
        return []
    problem = f"must fail every milestone, but it passes {', '.join(passed)}."
    return [ContentError(f"{exercise.slug}/starter.py", "", problem)]
