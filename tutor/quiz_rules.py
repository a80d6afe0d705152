"""What must hold within one question; every complaint names the key, which the loader takes apart again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from pydantic_core import PydanticCustomError

from tutor.answers import Of, Unclear, Value, read, same


def check_answers(of: Of, answer: str, foreseen: Iterable[str], place: str = "") -> None:
    """The answer and the foreseen wrong ones can be read, and no two of them are the same."""
    known = [(answer, _read(of, answer, f"{place}answer"))]
    for number, one in enumerate(foreseen):
        key = f"{place}foreseen.{number}.answer"
        found = _read(of, one, key)
        for text, value in known:
            if same(found, value):
                what = "the right answer" if value is known[0][1] else "foreseen above"
                complain(key, f"{one!r} is {text!r}, which is {what}.")
        known.append((one, found))


def _read(of: Of, answer: str, key: str) -> Value:
    found = read(of, answer)
    if isinstance(found, Unclear):
        complain(key, f"{answer!r} is no {of}. {found.why}")
    return found


def exactly_one(key: str, mark: str, marks: list[bool]) -> None:
    """Exactly one of several has a mark."""
    if sum(marks) != 1:
        complain(key, f"exactly one must have {mark} = true; {sum(marks)} have it.")


def have_reasons(key: str, given: list[bool]) -> None:
    """Whatever needs a reason has one."""
    if not all(given):
        complain(f"{key}.{given.index(False)}.says", "is missing.")


def all_differ(key: str, names: Iterable[str]) -> None:
    """No name is there twice."""
    seen = list(names)
    twice = next((name for name in seen if seen.count(name) > 1), None)
    if twice is not None:
        complain(key, f"“{twice}” appears more than once; every one must be its own.")


def complain(key: str, problem: str) -> NoReturn:
    """Refuse the question.

    Raises:
        PydanticCustomError: always; ``key`` and ``problem`` are in its context.
    """
    raise PydanticCustomError("question", "{key}: {problem}", {"key": key, "problem": problem})
