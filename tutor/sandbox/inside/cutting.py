"""Whether the numbers of a role lie in certain parameters, and where in them: told by their shapes alone.

A role's matrix has the shape ``(outputs, inputs)`` of ``nn.Linear.weight``. Heads share out its outputs, or its inputs in the matrix
behind the attention. A bare parameter may hold either axis first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .places import Place
from .usage import stored_like_linear

Shape = tuple[int, ...]
Places = tuple[Place, ...]
ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Stored:
    """A parameter that may hold a role, or several, or a part of one.

    Args:
        name: its dotted name.
        shape: its shape.
        fixed: whether a layer of torch holds it, so that its outputs come first for certain.
        source: the submission's text, asked about a square matrix that is not fixed.
    """

    name: str
    shape: Shape
    fixed: bool
    source: str = ""

    @property
    def turned(self) -> bool:
        """Whether its inputs come first; a question for those parameters only whose shape leaves it open."""
        return not (self.fixed or stored_like_linear(self.source, self.name))


def whole(stored: Stored, shape: Shape, *, output: bool) -> Places:
    """The places if the parameter holds the whole role and nothing else.

    Args:
        stored: the parameter.
        shape: of the role's matrix.
        output: whether heads share out the inputs of this role.
    """
    name, straight, turned = stored.name, stored.shape == shape, stored.shape == shape[::-1] and not stored.fixed
    if straight or turned:
        return (Place(name, transposed=turned and (not straight or stored.turned) and len(shape) == 2),)
    if len(shape) == 2 and stored.shape[:2] == shape and math.prod(stored.shape[2:]) == 1:
        return (Place(name, part=(ALL, ALL, *(0 for _ in stored.shape[2:]))),)  # a convolution of width 1
    if len(shape) == 2 and len(stored.shape) == 3 and not stored.fixed:
        return _stacked(stored, shape, output=output)
    return ()


def _stacked(stored: Stored, shape: Shape, *, output: bool) -> Places:
    """A parameter with an axis for the heads."""
    (first, second, third), (cut, full) = stored.shape, shape[::-1] if output else shape
    if first == 1 and (second, third) == shape == shape[::-1]:
        return (Place(stored.name, transposed=stored.turned),)
    if first * second == cut and third == full:
        return (Place(stored.name, transposed=output),)
    if first == full and second * third == cut:
        return (Place(stored.name, transposed=not output),)
    if first * third == cut and second == full:
        blocks = _blocks(first, third, axis=int(output))
        return tuple(Place(stored.name, (head,), not output, block) for head, block in enumerate(blocks))
    return ()


def per_head(members: Sequence[Stored], shape: Shape, *, output: bool) -> Places:
    """The places if each of several parameters of one shape holds the share of one head."""
    alike = {stored.shape for stored in members}
    if len(alike) > 1 or len(shape) != 2:
        return ()
    found = alike.pop()
    for axis in (1, 0) if output else (0, 1):
        share, rest = divmod(shape[axis], len(members))
        piece = (share, shape[1]) if axis == 0 else (shape[0], share)
        turned = found == piece[::-1] and not all(stored.fixed for stored in members)
        if rest == 0 and (found == piece or turned):
            blocks = _blocks(len(members), share, axis=axis)
            pairs = zip(members, blocks, strict=True)
            return tuple(Place(stored.name, (), found != piece, block) for stored, block in pairs)
    return ()


def fused(stored: Stored, roles: Sequence[str], shapes: Mapping[str, Shape]) -> dict[str, Places]:
    """The places of several roles if the parameter holds exactly these, one behind the other."""
    if any(len(shapes[role]) != 2 for role in roles) or len({shapes[role][1] for role in roles}) > 1:
        return {}
    heights, width = [shapes[role][0] for role in roles], shapes[roles[0]][1]
    ends = [sum(heights[: number + 1]) for number in range(len(roles))]
    slices = [slice(end - height, end) for end, height in zip(ends, heights, strict=True)]
    if stored.shape == (ends[-1], width):
        return {role: (Place(stored.name, (rows,)),) for role, rows in zip(roles, slices, strict=True)}
    if stored.shape == (width, ends[-1]) and not stored.fixed:
        return {role: (Place(stored.name, (ALL, part), True),) for role, part in zip(roles, slices, strict=True)}
    if stored.shape == (len(roles), heights[0], width) and len(set(heights)) == 1 and not stored.fixed:
        turned = stored.turned and heights[0] == width
        return {role: (Place(stored.name, (number,), turned),) for number, role in enumerate(roles)}
    return {}


def _blocks(count: int, size: int, *, axis: int) -> Iterator[tuple[slice, slice]]:
    for number in range(count):
        piece = slice(number * size, (number + 1) * size)
        yield (piece, ALL) if axis == 0 else (ALL, piece)
