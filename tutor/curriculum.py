"""The path through the exercises: lessons in order, and what comes before what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tutor.coherence import unique
from tutor.errors import ContentError
from tutor.fields import Frozen, Id, Text
from tutor.files import read_toml, validated


class Shelf(NamedTuple):
    """Where exercises lie.

    Args:
        folder: holds ``curriculum.toml`` and one folder per slug.
        references: holds one file per slug, with underscores for hyphens.
    """

    folder: Path
    references: Path

    def there(self) -> list[str]:
        """The slugs of what lies here, whether the curriculum lists it or not."""
        return sorted(path.parent.name for path in self.folder.glob("*/exercise.toml"))


class Step(Frozen):
    """One exercise on the path, and the slugs of those that are best done before."""

    slug: Id
    after: tuple[Id, ...] = ()


class Lesson(Frozen):
    """A stretch of the path: what a lesson teaches, and its exercises in order."""

    title: Text
    about: Text
    exercises: tuple[Step, ...]


class _Curriculum(Frozen):
    format: Literal[2]
    lessons: tuple[Lesson, ...]


def load_lessons(shelf: Shelf, earlier: Sequence[str] = ()) -> tuple[Lesson, ...]:
    """The lessons of a shelf, in order.

    Args:
        shelf: whose curriculum is read.
        earlier: slugs of the exercises on the shelves before.

    Raises:
        ContentError: the list is wrong, or names what is not there, is there twice or comes later.
    """
    file, known = f"{shelf.folder.name}/curriculum.toml", list(earlier)
    lessons = validated(_Curriculum, read_toml(shelf.folder / "curriculum.toml", file), file).lessons
    for number, lesson in enumerate(lessons):
        for index, step in enumerate(lesson.exercises):
            _check(step, shelf, known, file, f"lessons.{number}.exercises.{index}")
            known.append(step.slug)
    return lessons


def _check(step: Step, shelf: Shelf, known: Sequence[str], file: str, key: str) -> None:
    unique(file, f"{key}.slug", [*known, step.slug])
    there = shelf.there()
    if step.slug not in there:
        allowed = ", ".join(there) or "none"
        raise ContentError(
            file, f"{key}.slug", f"“{step.slug}” has no folder with an exercise.toml; there are: {allowed}."
        )
    for name in step.after:
        if name not in known:
            raise ContentError(
                file, f"{key}.after", f"“{name}” does not come before; allowed: {', '.join(known) or 'none'}."
            )
