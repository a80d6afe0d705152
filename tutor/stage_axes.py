"""Names for the axes of shapes: as the reference writes them behind a stage where numbers are those of one, else by size alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from checkers._shapes import DOTS, sizes, spelled
from tutor.meanings.axes import LENGTHS, Axes, with_head_width
from tutor.stages import Stages

# The comment behind a line of a reference: # (B, h, T_q, d_k), and perhaps more.
_COMMENT = re.compile(r"#\s*\(([^()]*)\)")
Shape = tuple[int, ...]


class StageAxes:
    """Names axes in one call.

    Args:
        stages: of the reference.
        dims: the named sizes of the call.
        values: stage → its value in the reference.
    """

    def __init__(self, stages: Stages, dims: Mapping[str, int], values: Mapping[str, Any]) -> None:
        self._stages, self._dims, self._values = stages, with_head_width(dims), values
        self._axes = Axes(dims)
        self._lines = stages.exercise.reference.splitlines()

    @property
    def sizes(self) -> dict[str, int]:
        """Every name that may come up, with its size."""
        (first, *_) = [name for name in LENGTHS if name in self._dims] or [""]
        shared = {name: self._dims[first] for name in self._axes.lengths if name not in self._dims}
        return {**self._dims, **shared}

    def named(self, shape: Shape, stage: str = "") -> tuple[str, ...]:
        """One name per axis, the size again where none is certain.

        Args:
            shape: of some tensor.
            stage: whose numbers it holds, in whichever layout; "" if none.
        """
        wanted = tuple(self._values[stage].shape) if stage else ()
        names = self._declared(stage, wanted) if stage else ()
        if names and shape == wanted:
            return names
        if names and sorted(shape) == sorted(wanted) and len(set(wanted)) == len(wanted):
            by_size = dict(zip(wanted, names, strict=True))
            return tuple(by_size[size] for size in shape)
        return self._axes.names(shape)

    def _declared(self, stage: str, shape: Shape) -> tuple[str, ...]:
        """As the contract or the reference's comment says; empty where that is not the shape in this call."""
        returns = dict(zip(self._stages.results, self._stages.exercise.entry.returns.values(), strict=True))
        axes = returns.get(stage) or self._comment(stage)
        try:
            fits = sizes(axes, self._dims) == shape
        except ValueError:
            return ()
        return _shown(spelled(axes, self._dims).split()) if fits else ()

    def _comment(self, stage: str) -> str:
        node = self._stages.nodes[stage]
        found = _COMMENT.search(self._lines[(node.end_lineno or node.lineno) - 1])
        parts = (part.replace(" ", "") for part in found[1].split(",")) if found else ()
        return " ".join(DOTS if part == "…" else part for part in parts)


def _shown(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.replace("*", "·") for part in parts)
