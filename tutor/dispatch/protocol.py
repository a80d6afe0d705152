"""How a page wakes whoever checks. The row in the store is the truth, a ring is only a doorbell."""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, ConfigDict

from tutor.walls import Proof


class CheckerState(BaseModel):
    """What the checker last said about itself, in words for a page.

    ``ready`` is False while it starts and when it refuses to run; ``problem`` then says why ("" while starting).
    """

    model_config = ConfigDict(frozen=True)

    ready: bool
    problem: str = ""
    device: str = ""
    proof: Proof = Proof()

    @property
    def isolation(self) -> tuple[str, ...]:
        """The names of the walls that are on."""
        return self.proof.isolation


class Dispatch(Protocol):
    """A doorbell. Ringing twice is harmless; a lost ring is found by the worker's own sweep."""

    def ring(self, submission_id: int) -> None:
        """Say that a submission waits. Returns at once and never raises."""

    def wait(self, submission_id: int, seconds: float) -> bool:
        """Wait until the submission is said to be finished, at most so long; True if it is. False says nothing."""

    def state(self) -> CheckerState: ...

    def close(self) -> None: ...
