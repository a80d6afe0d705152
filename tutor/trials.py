"""Trial runs: a learner's code is run for a look, in the queue and behind the walls of a check, but it is no attempt.

What is asked for is a ``Trial``, what came of it an ``Outcome``; both are kept with the row as JSON.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tutor.fields import Frozen

LINES_CHARS = 8_192
WORDS, WORD_CHARS = 12, 24


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
    """Show what each head attends to in a sentence, with weights made by hand."""

    kind: Literal[Purpose.LENS] = Purpose.LENS
    words: tuple[Annotated[str, Field(min_length=1, max_length=WORD_CHARS)], ...] = Field(
        min_length=2, max_length=WORDS
    )


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
    """One tensor of an example, under the name by which the code knows it."""

    name: str
    grid: Grid


class Compared(Frozen):
    """One result of an example: the learner's numbers beside those that are right; ``mine`` is None where there are none.

    ``axes`` names the axes, such as ``("B", "T_q", "d_model")``.
    """

    name: str
    axes: tuple[str, ...]
    wanted: Grid
    mine: Grid | None = None


class Example(_Outcome):
    """What came of a ``SmallExample``.

    Args:
        differs: the numbers do differ in it; False where none of the small cases shows a difference.
        given: weights first, then inputs.
        compared: the results.
        snippet: lines for a scratch run that show the same.
    """

    kind: Literal[Purpose.EXAMPLE] = Purpose.EXAMPLE
    differs: bool = False
    given: tuple[Given, ...] = ()
    compared: tuple[Compared, ...] = ()
    snippet: str = ""


class HeadMap(Frozen):
    """What one head attends to: rows are queries, columns keys. ``look`` says what its weights were made to look for."""

    look: str
    wanted: Grid
    mine: Grid | None = None


class Maps(_Outcome):
    """What came of a ``Lens``; ``causal`` says that later words are hidden."""

    kind: Literal[Purpose.LENS] = Purpose.LENS
    words: tuple[str, ...]
    causal: bool = False
    heads: tuple[HeadMap, ...] = ()


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
