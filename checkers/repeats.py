"""A repeated call gives the same: nothing random, nothing left over from the call before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from checkers._numbers import near
from checkers._source import read
from checkers._tape import DRAWN, RANDOM, first_line
from checkers.base import About, Finding, Foreign, Observation, Seen, Tensor

# The same operations on the same numbers; one thread or several may add in another order.
TOLERANCE = 1e-6
Mode = Literal["again", "train"]


def check(seen: Seen, expected: Seen, about: About, *, mode: Mode, call: int = 1) -> Finding | None:
    """Compares the first call with a later one that was given the same.

    Args:
        mode: "again" where the later call was made in eval mode like the first, "train" where it was made in training mode.
        call: number of the later call; the first is 0.
    """
    for observation in seen.values():
        pairs = zip(observation.calls[0].items, observation.calls[call].items, strict=False)
        differs = [name for name, (one, other) in zip(about.returns, pairs, strict=False) if _moved(one, other)]
        if len(observation.calls[0].items) != len(observation.calls[call].items):
            differs = differs or ["the number of results"]
        if differs:
            return _finding(mode, differs, about, _line(observation, about))
    return None


def _moved(one: Tensor | Foreign, other: Tensor | Foreign) -> bool:
    if isinstance(one, Foreign) or isinstance(other, Foreign):
        return type(one) is not type(other)
    if one.dtype != other.dtype or tuple(one.shape) != tuple(other.shape):
        return True
    return not bool((near(one, other, TOLERANCE) | (one.isnan() & other.isnan())).all())


def _finding(mode: Mode, differs: Sequence[str], about: About, line: int | None) -> Finding:
    what, differ = " and ".join(differs), "differs" if len(differs) == 1 else "differ"
    if mode == "train":
        return Finding(
            "differs-in-training",
            f"After train() the same inputs give something else: {what} changed.",
            expected="train() and eval() give the same, since nothing is to be dropped here",
            actual=f"{what} {differ} in training mode",
            next_step="Look for a dropout, or for anything that asks self.training.",
            line=line,
        )
    evaluating = ", though the module is in eval mode" if about.roles else ""
    return Finding(
        "differs-when-repeated",
        f"Two calls in a row with the same inputs do not give the same: {what} changed{evaluating}.",
        expected="the same result every time",
        actual=f"{what} {differ} in the second call",
        next_step="Look for something random, such as a dropout that eval() does not switch off, or for something kept from call to call.",
        line=line,
    )


def _line(observation: Observation, about: About) -> int | None:
    """Where something random is drawn: in the first call if it shows there, else where the running code names it."""
    line = first_line(observation.tape, lambda step: step.name in RANDOM)
    source = read(about.source, about.entry)
    return line or source.line_of(DRAWN) or source.line_of(RANDOM)
