"""Content proves itself: every recipe can be drawn, the reference passes, the starter does not."""

from __future__ import annotations

from pathlib import Path

from tutor.catalog import load_catalog, load_exercise
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.inputs import check_recipe
from tutor.judge import assess
from tutor.model import Assessment, Exercise, Status
from tutor.observing import observe_here
from tutor.planning import plan

SEEDS = (1, 2, 3)


def slugs(folder: Path, reference_folder: Path) -> tuple[str, ...]:
    """The slugs of the curriculum.

    Raises:
        ContentError: the curriculum or an exercise in it cannot be read.
    """
    return tuple(exercise.slug for exercise in load_catalog(folder, reference_folder).exercises)


def lint(folder: Path, reference_folder: Path) -> list[ContentError]:
    """Every complaint about one exercise folder; empty when it is in order."""
    try:
        exercise = load_exercise(folder, reference_folder)
        _recipes(exercise)
    except ContentError as error:
        return [error]
    return [*_reference_passes(exercise), *_starter_fails(exercise)]


def _recipes(exercise: Exercise) -> None:
    file = f"{exercise.slug}/exercise.toml"
    entry = exercise.entry
    for number, case in enumerate(exercise.cases):
        for name in (name for name in entry.constructor if name not in case.dims):
            raise ContentError(
                file, f"cases.{number}.dims", f"{name} is missing; the constructor of {entry.name} takes it."
            )
        allowed = (*entry.positional, *entry.keyword)
        for part in (case.inputs, *case.again):
            for name, recipe in part.items():
                if name not in allowed:
                    raise ContentError(
                        file, f"cases.{number}.inputs", f"“{name}” is no input; allowed: {', '.join(allowed)}."
                    )
                check_recipe(recipe, case, file, f"cases.{number}.inputs.{name}")
        missing = [name for name in entry.positional if name not in case.inputs and not case.construct_only]
        if missing:
            raise ContentError(
                file, f"cases.{number}.inputs", f"{', '.join(missing)} must be given in every case that is called."
            )


def _assess(exercise: Exercise, source: str, seed: int) -> Assessment:
    planned = plan(exercise, seed)
    return assess(exercise, source, observe_here(planned, source), Reference(exercise).observe(planned))


def _reference_passes(exercise: Exercise) -> list[ContentError]:
    file = f"reference/{exercise.slug.replace('-', '_')}.py"
    for seed in SEEDS:
        try:
            assessment = _assess(exercise, exercise.reference, seed)
        except Exception as error:
            return [ContentError(file, "", f"cannot be loaded or observed: {type(error).__name__}: {error}")]
        for milestone in assessment.milestones:
            for check in milestone.checks:
                if check.status is not Status.PASSED:
                    problem = (
                        f"must pass every check, but {milestone.id}/{check.id} says: {check.status}. {check.message}"
                    )
                    return [ContentError(file, "", f"{problem} (seed {seed})")]
    return []


def _starter_fails(exercise: Exercise) -> list[ContentError]:
    file = f"{exercise.slug}/starter.py"
    try:
        assessment = _assess(exercise, exercise.starter, SEEDS[0])
    except ContentError as error:
        return [error]
    except Exception as error:
        return [ContentError(file, "", f"could not be judged: {type(error).__name__}: {error}")]
    passed = [milestone.id for milestone in assessment.milestones if milestone.status is Status.PASSED]
    if passed:
        return [ContentError(file, "", f"must fail every milestone, but it passes {', '.join(passed)}.")]
    return []
