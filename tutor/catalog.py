"""Folders of exercises become ``Exercise`` values; every complaint names file, key and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tutor.coherence import check_parts
from tutor.content import Exercise
from tutor.curriculum import Lesson, Shelf, load_lessons
from tutor.errors import ContentError
from tutor.files import read_text, read_toml, validated
from tutor.quizzes import check_about, load_quiz
from tutor.trap_files import load_traps

# What lies in files of its own, and is no key of exercise.toml.
BESIDE = frozenset({"statement", "starter", "reference", "traps", "quiz", "library"})


class Catalog:
    """All exercises in the order of the path.

    Args:
        exercises: themselves.
        lessons: the path they lie on.
    """

    def __init__(self, exercises: tuple[Exercise, ...], lessons: tuple[Lesson, ...]) -> None:
        self.exercises, self.lessons = exercises, lessons

    def find(self, slug: str) -> Exercise | None:
        return next((exercise for exercise in self.exercises if exercise.slug == slug), None)

    def __getitem__(self, slug: str) -> Exercise:
        """The exercise of that name.

        Raises:
            KeyError: there is none.
        """
        found = self.find(slug)
        if found is None:
            raise KeyError(slug)
        return found


class _Written(Exercise):
    format: Literal[1]


def load_catalog(*shelves: Shelf) -> Catalog:
    """Read the curricula and every exercise they list.

    Args:
        shelves: where they lie; what one borrows from another may lie on its own shelf or on the first.

    Raises:
        ContentError: the first thing that is wrong.
    """
    lessons: list[Lesson] = []
    exercises: list[Exercise] = []
    for shelf in shelves:
        added = load_lessons(shelf, [exercise.slug for exercise in exercises])
        steps = [step.slug for lesson in added for step in lesson.exercises]
        exercises += [load_exercise(shelf.folder / slug, shelf.references, shelves[0].folder) for slug in steps]
        lessons += added
    return Catalog(tuple(exercises), tuple(lessons))


def with_unlisted(catalog: Catalog, slug: str, *shelves: Shelf) -> Catalog:
    """The same with the exercise of that name, where one lies on a shelf though its curriculum does not list it yet.

    Raises:
        ContentError: it is wrong.
    """
    shelf = next((shelf for shelf in shelves if slug in shelf.there()), None)
    if catalog.find(slug) or shelf is None:
        return catalog
    added = load_exercise(shelf.folder / slug, shelf.references, shelves[0].folder)
    return Catalog((*catalog.exercises, added), catalog.lessons)


def load_exercise(folder: Path, reference_folder: Path, lender: Path | None = None) -> Exercise:
    """Read one exercise folder.

    Args:
        folder: its own.
        reference_folder: holds one file per slug, with underscores for hyphens.
        lender: a folder of exercises that it may borrow from, besides the one its own lies in.

    Raises:
        ContentError: a file is missing, a key is unknown or has a wrong value, or parts do not fit together.
    """
    file = f"{folder.name}/exercise.toml"
    data = read_toml(folder / "exercise.toml", file)
    for key in BESIDE & set(data):
        raise ContentError(file, key, f"unknown key; allowed: {', '.join(sorted({*_Written.model_fields} - BESIDE))}.")
    reference = reference_folder / f"{folder.name.replace('-', '_')}.py"
    library = folder / "library.py"
    data |= {
        "statement": read_text(folder / "statement.md", f"{folder.name}/statement.md"),
        "starter": read_text(folder / "starter.py", f"{folder.name}/starter.py"),
        "reference": read_text(reference, f"reference/{reference.name}"),
        "traps": (),
        "quiz": load_quiz(folder),
        "library": read_text(library, f"{folder.name}/library.py") if library.exists() else "",
    }
    exercise: Exercise = validated(_Written, data, file, hidden=BESIDE)
    if exercise.slug != folder.name:
        raise ContentError(file, "slug", f"“{exercise.slug}” must equal the folder's name, “{folder.name}”.")
    lenders = [folder.parent] if lender is None else [folder.parent, lender]
    exercise = exercise.model_copy(update={"traps": load_traps(exercise, folder, lenders)})
    check_parts(exercise, file)
    check_about(exercise)
    return exercise
