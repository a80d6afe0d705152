"""Known faults as an author writes them in TOML, frozen and typed: traps with their forms, signs and hints, and faults without a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tutor.fields import Code, Frozen, Id, Name, Pattern, Text


class Variant(Frozen):
    """One form of a fault in the numbers: stages of the reference with another expression.

    In an expression ``{}`` stands for the present one, so that faults can meet in one stage. ``says`` overrides the trap's sentence.
    """

    replace: Annotated[Mapping[str, str], Field(min_length=1)]
    says: str = ""


class Symptom(Frozen):
    """How a fault that never reaches the numbers shows; every part that is given must hold, and one must be.

    A pattern is looked for anywhere, unless it says “whole”. Only ``line`` and ``inside`` are no conditions.

    Args:
        code: that of a failed check's finding.
        check: the failed check itself, "milestone/check".
        text: a pattern in the words of the finding.
        without: a whole code that no failed check has.
        error: a pattern in "Type: message" of an exception.
        operation: the whole name of the torch operation that raised.
        operands: the last axes of what that operation was given, in order.
        raised: a pattern in the submission up to and with the line that raised.
        step: an operation that was carried out and the type of its result, whole ("round float32").
        source: a pattern in the submission without its comments and texts; a group ``here`` marks the line to change.
        absent: a pattern that is not there.
        near: all numbers are at most so far from the right ones.
        inside: the function, class or method that ``source``, ``absent`` and ``line`` look at, such as "A.forward", instead of the whole submission.
        line: a pattern for the line to change, where that is another one than the check's; a group ``here`` says where on the match.
    """

    code: Code | Literal[""] = ""
    check: str = ""
    text: Pattern = ""
    without: Pattern = ""
    error: Pattern = ""
    operation: Pattern = ""
    operands: tuple[str, ...] = ()
    raised: Pattern = ""
    step: Pattern = ""
    source: Pattern = ""
    absent: Pattern = ""
    near: float | None = None
    inside: Name | Literal[""] = ""
    line: Pattern = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        conditions = self.model_dump(exclude={"inside", "line"}, exclude_defaults=True)
        if not conditions:
            raise PydanticCustomError("symptom", "holds always, because no condition is given")
        return self


Edit = tuple[Annotated[str, Field(min_length=1)], str]
"""A passage of the reference, and what stands there instead."""


class Example(Frozen):
    """A program with the fault, for the proof: passages of the reference exchanged."""

    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]


class Trap(Frozen):
    """A known fault: what it is, how it is recognised, and a ladder of hints.

    Args:
        id: the name of its file.
        says: one sentence, true of any code that has the fault.
        hints: three rungs: a question, the concept, the corrected expression, which other traps may have, too.
        variants: its forms in the numbers.
        symptoms: how it shows elsewhere.
        examples: programs with the fault, for the proof.
        line: a pattern for the line to change, looked for in the submission without comments, where a symptom knows none.
        place: how the tape's line leads to the line to change: "call", where a helper was called; "definition", where a number on it
            was worked out; "use", the next line that takes the value; "result", the line that gave the result, not where it begins to go
            wrong; "line", nowhere, as ``line`` knows better.
        same_as: traps that no observation can tell from this one.
        brings: traps whose numbers are only a consequence of this one.
    """

    id: Id
    says: Text
    hints: tuple[Text, Text, Text]
    variants: tuple[Variant, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    examples: tuple[Example, ...] = ()
    line: Pattern = ""
    place: Literal["", "call", "definition", "use", "result", "line"] = ""
    same_as: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()


def wording(hint: str) -> str:
    """A rung without its line breaks and indents: two with the same wording say the same."""
    return " ".join(hint.split())


class Borrowed(Frozen):
    """Traps of another exercise that hold in this one word for word but for names, so that a hint is written once.

    Args:
        source: the other exercise's slug, ``from`` in the file.
        names: name there → name here; each is exchanged as a whole word throughout a borrowed file before it is read.
        traps: their ids.
    """

    source: Annotated[Id, Field(alias="from")]
    names: Mapping[Text, Text] = {}
    traps: Annotated[tuple[Id, ...], Field(min_length=1)]


class Mutant(Frozen):
    """A fault without a name, for the proof alone: a check must fail it, and no trap may claim it.

    ``replace`` changes stages of the reference, ``edits`` passages of its text.
    """

    says: Text
    replace: Mapping[str, str] = {}
    edits: tuple[Edit, ...] = ()
