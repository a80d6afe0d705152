"""Where the numbers of a role were found, as an observation writes it.

``W_Q.weight`` is a whole parameter, ``qkv.weight[0:15]`` a part of one, ``q.0.weight + q.1.weight`` several, one per head; ``.T`` at the
end says that the inputs come first, the other way round than in ``nn.Linear``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from checkers.base import Observation, Parameter

AND = " + "


@dataclass(frozen=True, slots=True)
class Piece:
    """A parameter, or a part of one, that holds a role or a part of it."""

    parameter: Parameter
    part: str = ""
    turned: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """The same for two pieces that are the same numbers, under whichever name."""
        return self.parameter.same_as or self.parameter.name, self.part

    @property
    def start(self) -> int:
        """The first row, column or number of the part; of several roles in one parameter, the first has the smallest."""
        return int(next(iter(re.findall(r"\d+", self.part)), 0))

    def __str__(self) -> str:
        return f"{self.parameter.name} {tuple(self.parameter.shape)}"


def pieces(observation: Observation, role: str) -> tuple[Piece, ...]:
    """Every piece of a role; none where it has no place, or one that is not among the parameters."""
    text = observation.bound.get(role)
    if text is None:
        return ()
    known = {parameter.name: parameter for parameter in observation.parameters}
    if text in known:
        return (Piece(known[text]),)
    found = [_piece(part, known) for part in text.split(AND)]
    return tuple(piece for piece in found if piece is not None)


def numel(some: tuple[Piece, ...]) -> int:
    """How many numbers whole pieces have in all."""
    return sum(piece.parameter.numel for piece in some)


def listed(some: tuple[Piece, ...], most: int = 3) -> str:
    """Pieces with their shapes, as text; the first few of many."""
    rest = f" and {len(some) - most} more" if len(some) > most else ""
    return ", ".join(str(piece) for piece in some[:most]) + rest


def together(names: Sequence[str]) -> str:
    """``W_Q, W_K and W_V``."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _piece(text: str, known: dict[str, Parameter]) -> Piece | None:
    if text in known:
        return Piece(known[text])
    straight = text.removesuffix(".T")
    name, bracket, rest = straight, "", ""
    if straight not in known and straight.endswith("]"):
        name, bracket, rest = straight.rpartition("[")
    parameter = known.get(name)
    return None if parameter is None else Piece(parameter, bracket + rest, straight != text)
