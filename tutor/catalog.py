"""Folders under ``exercises/`` become ``Exercise`` values; every complaint names file, key and what is allowed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from tutor.coherence import check_parts, unique
from tutor.content import Exercise
from tutor.errors import ContentError
from tutor.fields import Frozen
from tutor.traps import Borrowed, Trap

FORMAT = 1
# What lies in files of its own, and is no key of exercise.toml.
BESIDE = frozenset({"statement", "starter", "reference", "traps"})
Model = TypeVar("Model", bound=BaseModel)


class Catalog:
    """All exercises in curriculum order."""

    def __init__(self, exercises: tuple[Exercise, ...]) -> None:
        self.exercises = exercises

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


class _Curriculum(Frozen):
    format: Literal[1]
    exercises: tuple[str, ...]


def load_catalog(folder: Path, reference_folder: Path) -> Catalog:
    """Read the curriculum and every exercise it lists.

    Args:
        folder: holds ``curriculum.toml`` and one folder per slug.
        reference_folder: holds one file per slug, with underscores for hyphens.

    Raises:
        ContentError: the first thing that is wrong.
    """
    return Catalog(tuple(load_exercise(folder / slug, reference_folder) for slug in load_curriculum(folder)))


def load_curriculum(folder: Path) -> tuple[str, ...]:
    """The slugs in the order of the curriculum.

    Raises:
        ContentError: the list is wrong or names what is not there.
    """
    name = "curriculum.toml"
    slugs = _validate(_Curriculum, _toml(folder / name, name), name).exercises
    unique(name, "exercises", list(slugs))
    there = sorted(path.parent.name for path in folder.glob("*/exercise.toml"))
    for slug in (slug for slug in slugs if slug not in there):
        raise ContentError(
            name, "exercises", f"“{slug}” has no folder with an exercise.toml; there are: {', '.join(there)}."
        )
    return slugs


def load_exercise(folder: Path, reference_folder: Path) -> Exercise:
    """Read one exercise folder.

    Raises:
        ContentError: a file is missing, a key is unknown or has a wrong value, or parts do not fit together.
    """
    file = f"{folder.name}/exercise.toml"
    data = _toml(folder / "exercise.toml", file)
    if data.pop("format", None) != FORMAT:
        raise ContentError(file, "format", f"must be {FORMAT}, the only format there is.")
    for key in BESIDE & set(data):
        raise ContentError(file, key, f"unknown key; allowed: {_allowed(Exercise, (key,))}.")
    reference = reference_folder / f"{folder.name.replace('-', '_')}.py"
    data |= {
        "statement": _text(folder / "statement.md", f"{folder.name}/statement.md"),
        "starter": _text(folder / "starter.py", f"{folder.name}/starter.py"),
        "reference": _text(reference, f"reference/{reference.name}"),
        "traps": (),
    }
    exercise = _validate(Exercise, data, file)
    if exercise.slug != folder.name:
        raise ContentError(file, "slug", f"“{exercise.slug}” must equal the folder's name, “{folder.name}”.")
    exercise = exercise.model_copy(update={"traps": _traps(exercise, folder)})
    check_parts(exercise, file)
    return exercise


def _traps(exercise: Exercise, folder: Path) -> tuple[Trap, ...]:
    """The exercise's own traps, each file one trap, and those it borrows, in the order of their ids."""
    own = {path.stem: _trap(path, exercise.file_of(path.stem)) for path in (folder / "traps").glob("*.toml")}
    ids = [*own, *(trap for borrowed in exercise.borrows for trap in borrowed.traps)]
    unique(f"{folder.name}/exercise.toml", "borrows", ids)
    found = own | {
        name: _trap(path, exercise.file_of(name), borrowed.names)
        for number, borrowed in enumerate(exercise.borrows)
        for name, path in _lent(borrowed, folder, f"borrows.{number}").items()
    }
    return tuple(found[name] for name in sorted(found))


def _lent(borrowed: Borrowed, folder: Path, key: str) -> dict[str, Path]:
    """The files of what is borrowed, by id."""
    there = {path.stem: path for path in (folder.parent / borrowed.source / "traps").glob("*.toml")}
    for missing in (name for name in borrowed.traps if name not in there):
        allowed = ", ".join(sorted(there)) or "none, since no such exercise has traps"
        file = f"{folder.name}/exercise.toml"
        raise ContentError(file, f"{key}.traps", f"“{missing}” is no trap of {borrowed.source}; allowed: {allowed}.")
    return {name: there[name] for name in borrowed.traps}


def _trap(path: Path, file: str, names: Mapping[str, str] = MappingProxyType({})) -> Trap:
    """One trap, with names of another exercise exchanged for those of this one."""
    trap = _validate(Trap, _parsed(_renamed(_text(path, file), names), file), file)
    if trap.id != path.stem:
        raise ContentError(file, "id", f"“{trap.id}” must equal the file's name, “{path.stem}”.")
    return trap


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """All at once, so that two names may change places, and the longest first."""
    if not names:
        return text
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda found: names[found[0]], text)


def _text(path: Path, shown: str) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContentError(shown, "", f"cannot be read as UTF-8 text: {type(error).__name__}.") from error
    if not text.strip():
        raise ContentError(shown, "", "is empty.")
    return text


def _toml(path: Path, shown: str) -> dict[str, Any]:
    return _parsed(_text(path, shown), shown)


def _parsed(text: str, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContentError(shown, "", f"is not valid TOML: {error}.") from error


def _validate(model: type[Model], data: dict[str, Any], file: str) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ContentError(file, key, f"unknown key; allowed: {_allowed(model, first['loc'])}.") from error
        problem = "is missing" if first["type"] == "missing" else f"{first['input']!r}: {first['msg']}"
        raise ContentError(file, key, f"{problem}.") from error


def _allowed(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    for part in location[:-1]:
        if isinstance(part, str):
            annotation = model.model_fields[part].annotation
            model = next(inner for inner in (annotation, *get_args(annotation)) if _is_model(inner))
    names = {field.alias or name for name, field in model.model_fields.items()}
    return ", ".join(sorted((names - BESIDE) | {"format"} if model is Exercise else names))


def _is_model(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
