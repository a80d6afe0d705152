"""Kinds of value that content is made of; each says what is wrong with one that is none."""

from __future__ import annotations

import re
from typing import Annotated

import regex
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text


# What is stored under an id has room for so much, and for a number behind it.
LONGEST_ID = 80


def _kebab(text: str) -> str:
    if len(text) > LONGEST_ID:
        raise PydanticCustomError("long", "is longer than {most} characters, which is the most", {"most": LONGEST_ID})
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", text):
        raise PydanticCustomError(
            "id", "is no id; allowed: small letters and digits with hyphens between, as in one-head"
        )
    return text


def _dotted(text: str) -> str:
    if not all(part.isidentifier() for part in text.split(".")):
        raise PydanticCustomError("name", "is no name in Python; allowed: one such as attend or A.forward")
    return text


def _code(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9_-]+", text):
        raise PydanticCustomError(
            "code", "is no code; allowed: one such as device-fixed, and a symptom of its own for every other"
        )
    return text


def _compiles(text: str) -> str:
    try:
        regex.compile(text)
    except regex.error as error:
        raise PydanticCustomError("pattern", "is no pattern: {why}", {"why": str(error)}) from error
    return text


Text = Annotated[str, AfterValidator(_filled)]
Id = Annotated[str, AfterValidator(_kebab)]
Name = Annotated[str, AfterValidator(_dotted)]
Code = Annotated[str, AfterValidator(_code)]
Pattern = Annotated[str, AfterValidator(_compiles)]
Size = Annotated[int, Field(ge=1)]


class Frozen(BaseModel):
    """Immutable, and a key nobody knows is an error rather than silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")
