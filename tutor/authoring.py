"""Writes the skeleton of a new exercise: a small one that works and passes lint, with a comment on every key, to be turned into another."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tutor.curriculum import Shelf
from tutor.errors import ContentError
from tutor.fields import Id

SKELETON = Path(__file__).with_name("skeleton")
NAME = "my-exercise"
PATH = """\
# The path through these exercises, behind the project's own: lessons in order, and in each its exercises; `after` names what is best done
# before. An exercise is offered once it is listed here, as in
#
# [[lessons]]
# title = "Week 1"
# about = "What the week is about."
# exercises = [{{ slug = "{slug}", after = ["scaled-dot-product-attention"] }}]
format = 2
lessons = []
"""


def write_skeleton(slug: str, shelf: Shelf) -> list[Path]:
    """Write an exercise of that name, and a curriculum where the shelf has none.

    Returns:
        The files that were written, the exercise's own first.

    Raises:
        ContentError: the name is none, or something of that name is there already; then nothing was written.
    """
    try:
        TypeAdapter(Id).validate_python(slug)
    except ValidationError as error:
        raise ContentError(slug, "", f"{error.errors()[0]['msg']}.") from error
    target, reference = shelf.folder / slug, shelf.references / f"{_word(slug)}.py"
    for path in (target, reference):
        if path.exists():
            raise ContentError(str(path), "", "is there already; nothing was written. Choose another name.")
    sources = sorted(path for path in SKELETON.rglob("*") if path.is_file())
    places = [reference if path.name == "reference.py" else target / path.relative_to(SKELETON) for path in sources]
    for source, place in zip(sources, places, strict=True):
        _write(place, _called(source.read_text(encoding="utf-8"), slug))
    return sorted(places, key=lambda place: place == reference) + _curriculum(slug, shelf)


def _curriculum(slug: str, shelf: Shelf) -> list[Path]:
    path = shelf.folder / "curriculum.toml"
    if path.exists():
        return []
    _write(path, PATH.format(slug=slug))
    return [path]


def _called(text: str, slug: str) -> str:
    title = slug.replace("-", " ").capitalize()
    return text.replace(NAME, slug).replace(_word(NAME), _word(slug)).replace("My exercise", title)


def _word(slug: str) -> str:
    """The name of its function and of the file of its reference."""
    return slug.replace("-", "_")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
