"""What the checking process says on its standard output: one JSON object a line. Ids come in as plain lines."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tutor.walls import Proof


class Ready(BaseModel):
    """It has built its sandbox and takes submissions."""

    model_config = ConfigDict(frozen=True)
    event: Literal["ready"] = "ready"
    device: str
    proof: Proof


class Refused(BaseModel):
    """It will not run anything and ends; ``problem`` is a sentence for the page."""

    model_config = ConfigDict(frozen=True)
    event: Literal["refused"] = "refused"
    problem: str
    proof: Proof = Proof()


class Done(BaseModel):
    """The verdict of this submission is stored."""

    model_config = ConfigDict(frozen=True)
    event: Literal["done"] = "done"
    id: int


Event: TypeAlias = Ready | Refused | Done

_ANY_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def write_event(event: Event) -> bytes:
    """One line, with its line end."""
    return event.model_dump_json().encode() + b"\n"


def read_event(line: bytes) -> Event | None:
    """The event in a line; None for anything else, which a reader passes over."""
    try:
        return _ANY_EVENT.validate_json(line)
    except ValidationError:
        return None
