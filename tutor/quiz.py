"""Learning questions as an author writes them in ``quiz.toml``, frozen and typed, a class for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tutor.answers import Of
from tutor.fields import Frozen, Id, Text
from tutor.quiz_rules import all_differ, check_answers, complain, exactly_one, have_reasons


class Foreseen(Frozen):
    """A wrong answer that was foreseen; ``says`` is what it would mean."""

    answer: Text
    says: Text


class Asked(Frozen):
    """What every question has.

    Args:
        id: for ever, because answers are stored under it.
        ask: the question.
        why: why the right answer is right; shown with it.
        about: the check whose truth the question foretells, "milestone/check".
    """

    id: Id
    ask: Text
    why: Text
    about: str = ""


class Number(Asked):
    """A whole number. ``think`` is what to think about after a wrong answer."""

    kind: Literal["number"]
    answer: Text
    foreseen: tuple[Foreseen, ...] = ()
    think: Text

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        check_answers(self.kind, self.answer, [wrong.answer for wrong in self.foreseen])
        return self


class Shape(Asked):
    """A shape, in numbers or in named axes."""

    kind: Literal["shape"]
    answer: Text
    foreseen: tuple[Foreseen, ...] = ()
    think: Text

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        check_answers(self.kind, self.answer, [wrong.answer for wrong in self.foreseen])
        return self


class Truth(Asked):
    """True or false."""

    kind: Literal["truth"]
    answer: bool
    think: Text


class Predict(Asked):
    """Predict first: one commitment, then the truth is shown beside it. ``of`` says what is foretold; a truth is "true" or "false"."""

    kind: Literal["predict"]
    of: Of
    answer: Text
    foreseen: tuple[Foreseen, ...] = ()

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        check_answers(self.of, self.answer, [wrong.answer for wrong in self.foreseen])
        return self


class Option(Frozen):
    """One answer to choose; ``says`` is what rules it out, and is left out of the right one."""

    text: Text
    right: bool = False
    says: str = ""


class Choice(Asked):
    """One of several answers is right, and something rules out each of the others."""

    kind: Literal["choice"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _one_is_right(self) -> Self:
        exactly_one("options", "right", [option.right for option in self.options])
        have_reasons("options", [bool(option.says.strip()) or option.right for option in self.options])
        all_differ("options", [option.text for option in self.options])
        return self


class Part(Frozen):
    """One step of a claim; ``says`` is why it holds, and is left out where the error lies."""

    text: Text
    error: bool = False
    says: str = ""


class Claim(Asked):
    """A claim that sounds plausible and is wrong; the step in which it goes wrong is to be found."""

    kind: Literal["claim"]
    parts: Annotated[tuple[Part, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _one_is_wrong(self) -> Self:
        exactly_one("parts", "error", [part.error for part in self.parts])
        have_reasons("parts", [bool(part.says.strip()) or part.error for part in self.parts])
        all_differ("parts", [part.text for part in self.parts])
        return self


class Order(Asked):
    """Steps to put in order; they are written in the right one."""

    kind: Literal["order"]
    steps: Annotated[tuple[Text, ...], Field(min_length=3)]
    think: Text

    @model_validator(mode="after")
    def _all_differ(self) -> Self:
        all_differ("steps", self.steps)
        return self


class Item(Frozen):
    """One thing to sort; ``says`` is why it belongs where it belongs."""

    text: Text
    bucket: Text
    says: Text


class Buckets(Asked):
    """Things to sort into buckets."""

    kind: Literal["buckets"]
    buckets: Annotated[tuple[Text, ...], Field(min_length=2)]
    items: Annotated[tuple[Item, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _all_belong(self) -> Self:
        all_differ("buckets", self.buckets)
        all_differ("items", [item.text for item in self.items])
        for number, item in enumerate(self.items):
            if item.bucket not in self.buckets:
                allowed = ", ".join(self.buckets)
                complain(f"items.{number}.bucket", f"“{item.bucket}” is no bucket; allowed: {allowed}.")
        return self


class Row(Frozen):
    """One row of a table: what is given, and what belongs into the last column."""

    given: Annotated[tuple[Text, ...], Field(min_length=1)]
    answer: Text
    foreseen: tuple[Foreseen, ...] = ()


class Table(Asked):
    """A table whose last column is to be filled with numbers or shapes."""

    kind: Literal["table"]
    of: Literal["number", "shape"]
    head: Annotated[tuple[Text, ...], Field(min_length=2)]
    rows: Annotated[tuple[Row, ...], Field(min_length=2)]
    think: Text

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        for number, row in enumerate(self.rows):
            if len(row.given) != len(self.head) - 1:
                room = len(self.head) - 1
                complain(f"rows.{number}.given", f"has {len(row.given)} cells; the head leaves room for {room}.")
            check_answers(self.of, row.answer, [wrong.answer for wrong in row.foreseen], f"rows.{number}.")
        all_differ("rows", [" ".join(row.given) for row in self.rows])
        return self


class Open(Asked):
    """An answer in one's own words; ``model`` is one to compare it with, and the learner marks it."""

    kind: Literal["open"]
    why: str = ""
    model: Text


Question: TypeAlias = Annotated[
    Number | Shape | Truth | Predict | Choice | Claim | Order | Buckets | Table | Open, Field(discriminator="kind")
]
KINDS: Mapping[str, type[Asked]] = MappingProxyType(
    {
        "number": Number, "shape": Shape, "truth": Truth, "predict": Predict, "choice": Choice, "claim": Claim,
        "order": Order, "buckets": Buckets, "table": Table, "open": Open,
    }
)  # fmt: skip
