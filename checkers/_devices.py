"""Which tensors of a call move with its inputs, and which stay where they were made; worked out from a tape.

Everything computed from inputs, weights and buffers is on their device. What is made from nothing is on the default device, unless a
device object was passed, and so is a tensor that the module keeps as a plain attribute. Where the two meet, a GPU would stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from checkers._moves import Moves
from checkers._tape import ancestors
from checkers.base import Step

TENSOR_LIMIT = 8  # so many results of one step are known by the tape
VALUE_NUMBERS = 8_192
# What takes its device from the first tensor, whatever the second one is good for.
LIKE_FIRST = frozenset({"copy_", "__setitem__", "expand_as", "view_as", "reshape_as", "is_same_size", "result_type"})
# What gives back each tensor as it was.
SIDE_BY_SIDE = frozenset({"broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag"})
NO_TENSOR = frozenset(
    {"item", "tolist", "numpy", "__array__", "equal", "allclose", "__repr__", "__format__", "__bool__"}
)
NUMPY = frozenset({"numpy", "__array__"})
# What cuts a tensor into as many pieces as it is told.
CUTS = frozenset({"chunk", "split", "unbind", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "dsplit"})


class Side(StrEnum):
    """Where a tensor is: with the inputs, where it was made, or nobody can tell."""

    DATA = "data"
    FIXED = "fixed"
    FREE = "free"


@dataclass(frozen=True)
class Clash:
    """A step at which tensors of both sides meet, and the fixed one: the number of an earlier step, or "?"."""

    step: int
    fixed: int | str


class Devices:
    """The side of every step's result.

    Args:
        tape: of one call.
        moves: what the text says about moves to a device by name.
    """

    def __init__(self, tape: Sequence[Step], moves: Moves) -> None:
        self._tape, self._moves = tape, moves
        self.sides: list[Side] = []
        self.clash: Clash | None = None
        for number, step in enumerate(tape):
            if self.clash is None:
                self.clash = self._meet(number, step)
            self.sides.append(self._result(step))

    @cached_property
    def _stranger(self) -> Side:
        return Side.FREE if _loses_sight(self._tape) or self._moves.untracked else Side.FIXED

    def side(self, source: int | str) -> Side:
        if isinstance(source, int):
            return self.sides[source]
        return self._stranger if source == "?" else Side.DATA

    def origin(self, source: int | str) -> int | str:
        """The step that made a fixed tensor in the first place, or "?"."""
        while isinstance(source, int):
            before = [one for one in self._tape[source].takes if self.side(one) is Side.FIXED]
            if not before:
                return source
            source = before[0]
        return source

    def through_numpy(self, clash: Clash) -> int | None:
        """The step by which numbers left torch before they met the inputs again, for a fixed tensor that nothing on the tape made."""
        if self.origin(clash.fixed) != "?":
            return None
        return next((number for number in range(clash.step) if self._tape[number].name in NUMPY), None)

    def _meet(self, number: int, step: Step) -> Clash | None:
        if step.name in LIKE_FIRST | SIDE_BY_SIDE or self._sends(step) or step.name in ("to", "type_as"):
            return None
        given = [(source, shape, self.side(source)) for source, shape in zip(step.takes, step.shapes, strict=False)]
        # A tensor without axes may meet any other, as long as it is the one that stayed behind.
        fixed = next((source for source, shape, side in given if side is Side.FIXED and shape), None)
        if fixed is None:
            return None
        if step.name == "__getitem__":
            # Reading at places that are kept elsewhere works; reading from elsewhere does not.
            met = step.takes[0] == fixed and any(side is Side.DATA and shape for _, shape, side in given[1:])
        else:
            met = any(side is Side.DATA for _, _, side in given)
        return Clash(number, fixed) if met else None

    def _sends(self, step: Step) -> bool:
        return step.name in ("cpu", "cuda") or (step.device == "text" and bool(step.takes))

    def _result(self, step: Step) -> Side:
        sides = [self.side(source) for source in step.takes]
        if self._sends(step):
            return Side.FIXED if self._moves.replaces(step) else sides[0] if sides else Side.FREE
        if step.device:
            return Side.DATA if step.device == "object" else Side.FIXED
        if step.name in SIDE_BY_SIDE:
            return Side.FREE
        if step.name in ("to", "type_as") and sides:
            return sides[-1]
        if step.name in LIKE_FIRST and sides:
            return sides[0]
        return next((side for side in (Side.DATA, Side.FREE) if side in sides), Side.FIXED)


def _loses_sight(tape: Sequence[Step]) -> bool:
    """Whether tensors computed from the inputs may appear on this tape as strangers."""
    return any(_many(step) or _wrapped(step) or _learned_in_numpy(tape, number) for number, step in enumerate(tape))


def _many(step: Step) -> bool:
    """More results than the tape knows: chunk, unbind and the like, into many pieces."""
    if step.name not in CUTS or step.value is None or not step.shapes:
        return False
    return bool(math.prod(step.shapes[0]) > TENSOR_LIMIT * step.value.numel())


def _wrapped(step: Step) -> bool:
    """A stranger that gives no numbers when it is computed with: one of a function transform."""
    small = all(math.prod(shape) <= VALUE_NUMBERS for shape in step.shapes)
    return "?" in step.takes and step.value is None and small and step.name not in NO_TENSOR


def _learned_in_numpy(tape: Sequence[Step], number: int) -> bool:
    """Numbers that depend on weights and leave torch: the gradient is cut there, which is said elsewhere."""
    if tape[number].name not in NUMPY:
        return False
    return any(str(source).startswith("parameter:") for source in ancestors(tape, number))
