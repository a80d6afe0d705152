"""Reading what authors write: every complaint names file, key and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from tutor.errors import ContentError

Model = TypeVar("Model", bound=BaseModel)


def read_text(path: Path, shown: str) -> str:
    """The text of a file that complaints call ``shown``.

    Raises:
        ContentError: it is not there, is no UTF-8 text or is empty.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ContentError(
            shown, "", "is not there; `python -m tutor new` writes every file that is needed."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ContentError(shown, "", f"cannot be read as UTF-8 text: {type(error).__name__}.") from error
    if not text.strip():
        raise ContentError(shown, "", "is empty.")
    return text


def read_toml(path: Path, shown: str) -> dict[str, Any]:
    """The TOML in a file that complaints call ``shown``."""
    return parsed(read_text(path, shown), shown)


def parsed(text: str, shown: str) -> dict[str, Any]:
    """The TOML in a text.

    Raises:
        ContentError: it is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContentError(shown, "", f"is not valid TOML: {error}.") from error


def validated(
    model: type[Model], data: Mapping[str, Any], file: str, *, inside: str = "", hidden: frozenset[str] = frozenset()
) -> Model:
    """The data as a model.

    Args:
        model: what it must be.
        data: what an author wrote.
        file: its file, for the complaint.
        inside: where in the file the data stands, such as "questions.3.".
        hidden: names of fields that are no keys of the file.

    Raises:
        ContentError: the first thing that is wrong.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = inside + ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            allowed = _allowed(model, first["loc"], hidden)
            raise ContentError(file, key, f"unknown key; allowed: {allowed}.") from error
        if "problem" in first.get("ctx", {}):  # it knows the key itself
            raise ContentError(file, f"{inside}{first['ctx']['key']}", first["ctx"]["problem"]) from error
        problem = "is missing" if first["type"] == "missing" else f"{first['input']!r}: {first['msg']}"
        raise ContentError(file, key, f"{problem}.") from error


def _allowed(model: type[BaseModel], location: tuple[int | str, ...], hidden: frozenset[str]) -> str:
    """The keys that may stand where ``location`` ends."""
    outermost = model
    for part in location[:-1]:
        if isinstance(part, str):
            annotation = model.model_fields[part].annotation
            model = next(inner for inner in (annotation, *get_args(annotation)) if _is_model(inner))
    names = {field.alias or name for name, field in model.model_fields.items()}
    return ", ".join(sorted(names - hidden if model is outermost else names))


def _is_model(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
