"""A walk along the lines of a submission, as it is kept with its verdict: the shapes that they left, and where they leave the reference.

Shapes and names only; no number that was computed is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tutor.fields import Frozen


class LineMark(StrEnum):
    """How a line stands to the reference: all that it left is there, too; the first that leaves it; behind that one; where the code stopped."""

    EQUAL = "equal"
    DEPARTS = "departs"
    AFTER = "after"
    STOPPED = "stopped"
    NEUTRAL = "neutral"


class Left(Frozen):
    """One shape that a line left, or was given.

    Args:
        sizes: the shape.
        axes: a name for each of them, the size again where none is certain.
        times: how often, where the line ran several times or made several.
        stages: of the reference whose numbers these are.
        turned: these stages have their axes in another layout.
        unused: nothing that was returned builds on it.
    """

    sizes: tuple[int, ...]
    axes: tuple[str, ...]
    times: int = 1
    stages: tuple[str, ...] = ()
    turned: bool = False
    unused: bool = False


class WalkedLine(Frozen):
    """One line of the submission, counted from 1, and the last that it made.

    ``left`` of a line that stopped is what its operation was given. ``through`` are the stages that it made on its way.
    """

    line: int
    mark: LineMark
    left: tuple[Left, ...] = ()
    through: tuple[str, ...] = ()


class Departs(Frozen):
    """Where a submission leaves the reference: behind ``right``, made on line ``right_line``; ``wanted`` is what never comes, with its shape."""

    right: str | None
    right_line: int | None
    wanted: Left


class Walk(Frozen):
    """One call, line by line, in the order in which the lines were first carried out.

    Args:
        case: whose first call it is, or the one that raised.
        sizes: the named sizes of the call.
        given: the optional inputs that it was given.
        lines: those that made a tensor.
        agrees: its results are the reference's.
        departs: None where the submission does not leave the reference, or the walk does not tell.
        operation: that raised, where one did.
        unshown: how many more lines there are.
    """

    case: str
    sizes: Mapping[str, int]
    lines: tuple[WalkedLine, ...]
    agrees: bool
    departs: Departs | None = None
    operation: str = ""
    unshown: int = 0
    given: tuple[str, ...] = ()
