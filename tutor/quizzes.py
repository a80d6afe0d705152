"""``quiz.toml`` becomes questions; every complaint names file, key and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tutor.content import Exercise
from tutor.errors import ContentError
from tutor.files import read_toml, validated
from tutor.quiz import KINDS, Question

FORMAT = 1


def load_quiz(folder: Path) -> tuple[Question, ...]:
    """The learning questions of an exercise folder; none where there is no ``quiz.toml``.

    Raises:
        ContentError: the first thing that is wrong.
    """
    path, file = folder / "quiz.toml", f"{folder.name}/quiz.toml"
    if not path.exists():
        return ()
    data = read_toml(path, file)
    if data.pop("format", None) != FORMAT:
        raise ContentError(file, "format", f"must be {FORMAT}, the only format there is.")
    written = data.pop("questions", None)
    for key in data:
        raise ContentError(file, key, "unknown key; allowed: format, questions.")
    if not isinstance(written, list) or not written or not all(isinstance(one, dict) for one in written):
        raise ContentError(file, "questions", "must be one [[questions]] or several.")
    found = tuple(_question(one, file, f"questions.{number}.") for number, one in enumerate(written))
    ids = [question.id for question in found]
    for number, name in enumerate(ids):
        if name in ids[:number]:
            raise ContentError(
                file, f"questions.{number}.id", f"“{name}” appears more than once; every id must be its own."
            )
    return found


def check_about(exercise: Exercise) -> None:
    """What questions foretell is there.

    Raises:
        ContentError: a question is about a check that is not.
    """
    checks = [f"{milestone.id}/{check.id}" for milestone in exercise.milestones for check in milestone.checks]
    for number, question in enumerate(exercise.quiz):
        if question.about and question.about not in checks:
            problem = f"“{question.about}” is no check; allowed: {', '.join(checks)}."
            raise ContentError(f"{exercise.slug}/quiz.toml", f"questions.{number}.about", problem)


def _question(written: dict[str, Any], file: str, inside: str) -> Question:
    kind = written.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        what = "is missing" if kind is None else f"{kind!r} is no kind of question"
        raise ContentError(file, f"{inside}kind", f"{what}; allowed: {', '.join(KINDS)}.")
    return cast("Question", validated(KINDS[kind], written, file, inside=inside))
