"""What is said to an answer, and the sentences that replies to several kinds of question share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tutor.answers import Of, Unclear, Value, has_names, read, same, shown
from tutor.model import Mark
from tutor.quiz import Foreseen

Given: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to an answer.

    Args:
        mark: how good it is; None if it could not be read, which is no attempt.
        says: paragraphs of prose, with code between backticks.
        truth: what stands beside a prediction, or beside an answer in one's own words.
    """

    mark: Mark | None
    says: str
    truth: str = ""


def clear(of: Of, text: str, wanted: str) -> Value | Unclear:
    """What was written; names of axes are not clear where numbers are wanted."""
    found, right = read(of, text), read(of, wanted)
    if isinstance(found, Unclear) or isinstance(right, Unclear) or has_names(right) or not has_names(found):
        return found
    return Unclear("Here every size is a number. Put the numbers of this example in place of the names.")


def seen(found: Value, text: str) -> str:
    """What was written, and what it comes to where that is something else."""
    plain = shown(found)
    if isinstance(found, int) and text.strip() not in {plain, str(found)}:
        return f"You wrote {text.strip()}, which is {plain}."
    return f"You wrote {plain}."


def meant(of: Of, found: Value, foreseen: Iterable[Foreseen]) -> str:
    """What a foreseen answer would mean, with a space behind it; empty for any other."""
    return next((f"{one.says} " for one in foreseen if same(found, read(of, one.answer))), "")
