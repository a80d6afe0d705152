"""Trial runs: a learner's code is run for a look, in the queue and behind the walls of a check, but it is no attempt.

What is asked for is a ``Trial``, what came of it an ``Outcome``; both are kept with the row as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tutor.fields import Frozen

LINES_CHARS = 8_192
WORDS, WORD_CHARS, HEADS = 12, 24, 4
# Two weights that are further apart are not the same, and so much on a hidden word is a leak.
VISIBLE = 1e-3


class Purpose(StrEnum):
    """What a row of the queue is for: a check is an attempt, the others are trials."""

    CHECK = "check"
    SCRATCH = "scratch"
    EXAMPLE = "example"
    LENS = "lens"


# --- what is asked for ---------------------------------------------------------------------------------------------


class Scratch(Frozen):
    """Run the file, then a few lines of the learner's own, and tell what was printed."""

    kind: Literal[Purpose.SCRATCH] = Purpose.SCRATCH
    lines: str = Field(default="", max_length=LINES_CHARS)


class SmallExample(Frozen):
    """Find the smallest case in which the code gives other numbers than the reference."""

    kind: Literal[Purpose.EXAMPLE] = Purpose.EXAMPLE


class Lens(Frozen):
    """Show what each head attends to in a sentence, with weights made by hand; ``causal`` asks for a mask that hides later words."""

    kind: Literal[Purpose.LENS] = Purpose.LENS
    words: tuple[Annotated[str, Field(min_length=1, max_length=WORD_CHARS)], ...] = Field(
        min_length=2, max_length=WORDS
    )
    causal: bool = False


Trial: TypeAlias = Annotated[Scratch | SmallExample | Lens, Field(discriminator="kind")]


# --- what came of it -----------------------------------------------------------------------------------------------


class Stopped(Frozen):
    """Why the code did not come to its end.

    Args:
        message: what was seen, in a sentence or two.
        next_step: what to do about it.
        line: where, counted from 1 in the file, or in the lines of a scratch run if ``in_lines``.
        in_lines: it was in the learner's own lines below the file.
    """

    message: str
    next_step: str = ""
    line: int | None = None
    in_lines: bool = False


class Grid(Frozen):
    """Numbers of a tensor in row-major order; None is one that is not finite."""

    shape: tuple[int, ...]
    values: tuple[float | None, ...]


class _Outcome(Frozen):
    seconds: float = 0.0
    stopped: Stopped | None = None


class Looked(_Outcome):
    """What came of a ``Scratch``."""

    kind: Literal[Purpose.SCRATCH] = Purpose.SCRATCH
    printed: str = ""


class Given(Frozen):
    """One tensor of an example, under the name by which the code knows it; ``truths`` says that 1 stands for True, 0 for False."""

    name: str
    axes: tuple[str, ...]
    grid: Grid
    truths: bool = False


class Compared(Frozen):
    """One result of an example: the learner's numbers beside those that are right.

    Args:
        name: of the result.
        axes: names of its axes, such as ``("B", "T_q", "d_model")``.
        wanted: the right numbers.
        mine: the learner's; None where there are none, or far too many to show.
        instead: what came back then.
        apart: which of mine differ so much that it shows, by their place in row-major order.
        decimals: so many are shown; that one differs shows with them.
    """

    name: str
    axes: tuple[str, ...]
    wanted: Grid
    mine: Grid | None = None
    instead: str = ""
    apart: tuple[int, ...] = ()
    decimals: int = 2

    @property
    def differs(self) -> bool:
        return self.mine is None or self.mine.shape != self.wanted.shape or bool(self.apart)


class Example(_Outcome):
    """What came of a ``SmallExample``.

    Args:
        differs: the numbers do differ in it; False where none of the small cases shows a difference.
        looked_at: how many small cases were looked at.
        dims: the value of every named axis.
        arguments: what the constructor is given by name.
        call: which call on the same module it is, counted from 1.
        train: it is made in training mode.
        given: weights first, then inputs.
        compared: the results.
        snippet: lines for a scratch run that show the same.
    """

    kind: Literal[Purpose.EXAMPLE] = Purpose.EXAMPLE
    differs: bool = False
    looked_at: int = 0
    dims: Mapping[str, int] = {}
    arguments: Mapping[str, bool | int | float] = {}
    call: int = 1
    train: bool = False
    given: tuple[Given, ...] = ()
    compared: tuple[Compared, ...] = ()
    snippet: str = ""


class HeadMap(Frozen):
    """What one head attends to: rows are queries, columns keys. ``look`` says what its weights were made to look for."""

    look: str
    wanted: Grid
    mine: Grid | None = None


class Maps(_Outcome):
    """What came of a ``Lens``.

    Args:
        words: those that ask.
        asked: those that are asked, where they are others.
        causal: later words are hidden.
        heads: one map for each.
        mixed_otherwise: these are weights that the code returns, and its output is not what the right ones make of the values.
    """

    kind: Literal[Purpose.LENS] = Purpose.LENS
    words: tuple[str, ...]
    asked: tuple[str, ...] = ()
    causal: bool = False
    heads: tuple[HeadMap, ...] = ()
    mixed_otherwise: bool = False


class Lost(_Outcome):
    """We could not run it, which is our fault; ``reason`` is for the log."""

    kind: Literal["lost"] = "lost"
    reason: str


Outcome: TypeAlias = Annotated[Looked | Example | Maps | Lost, Field(discriminator="kind")]


TRIAL: TypeAdapter[Trial] = TypeAdapter(Trial)
OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


def purpose_of(trial: Trial | None) -> Purpose:
    """What a row is for: a check where no trial was asked for."""
    return Purpose.CHECK if trial is None else trial.kind
