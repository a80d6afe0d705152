"""Where the biases lie that the contract wants: in the layers that hold the weights, or bare under names of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .aliases import Aliases
from .places import BIAS, Place
from .registry import Entry

Shape = tuple[int, ...]
Places = tuple[Place, ...]
ALL = slice(None)
BIAS_WORDS = re.compile(r"^b(ias)?_+|_*bias$|_+b$|^b(?=[a-z]{1,3}$)", re.IGNORECASE)


def biases(
    entries: Sequence[Entry], places: Mapping[str, Places], wanted: Mapping[str, Shape], aliases: Aliases
) -> dict[str, Places]:
    """``ROLE.bias`` → its places, for every bias that is wanted; none where nothing fits.

    Args:
        entries: what the module holds.
        places: where each role's weight was found.
        wanted: ``ROLE.bias`` → its shape.
        aliases: what other names speak of a role.
    """
    vectors = {entry["name"]: tuple(entry["shape"]) for entry in entries if len(entry["shape"]) == 1}
    found = {name: _beside(places[name.removesuffix(BIAS)], shape, vectors) for name, shape in wanted.items()}
    taken = {place.name for mine in (*places.values(), *found.values()) for place in mine}
    bare = {name: shape for name, shape in vectors.items() if _alone(name)}
    for pick in (_spoken, _only):
        for name in (name for name, mine in found.items() if not mine):
            free = [one for one, shape in bare.items() if one not in taken and shape == wanted[name]]
            found[name] = pick(name.removesuffix(BIAS), free, aliases)
            taken |= {place.name for place in found[name]}
    return found


def _beside(weights: Places, shape: Shape, vectors: Mapping[str, Shape]) -> Places:
    """In the layers that hold the weight: a whole bias, the part that belongs to some rows, or one piece per head."""
    found: list[Place] = []
    for weight in weights:
        name, leaf = f"{weight.name.removesuffix('weight')}bias", weight.name.rpartition(".")[2]
        if leaf != "weight" or name not in vectors:
            return ()
        found.append(Place(name, _rows(weight), block=weight.block[:1], shown=_beside_name(weight.shown)))
    # Layers whose results are added up have a bias for the whole width each: one of them is enough.
    if all(place.block == (ALL,) for place in found):
        found = found[:1]
    return tuple(found) if sum(_size(place, vectors) for place in found) == shape[0] else ()


def _rows(weight: Place) -> tuple[slice | int, ...]:
    """Which outputs of its layer a weight is: those of its part that do not stand for all."""
    part = weight.part[1:2] if weight.transposed and len(weight.part) > 1 else weight.part[:1]
    return () if part == (ALL,) else part


def _beside_name(shown: str) -> str:
    return f"{shown.removesuffix('.weight')}{BIAS}" if shown else ""


def _size(place: Place, vectors: Mapping[str, Shape]) -> int:
    (whole,) = vectors[place.name]
    rows = place.part[0] if place.part else ALL
    return len(range(whole)[rows]) if isinstance(rows, slice) else 0


def _alone(name: str) -> bool:
    """Whether a vector is no part of a layer: what a norm holds is its own matter."""
    layer, _, leaf = name.rpartition(".")
    return leaf != "weight" and not (layer and leaf == "bias")


def _spoken(role: str, free: Sequence[str], aliases: Aliases) -> Places:
    """The vector that speaks of the role most clearly."""
    ranks = {name: rank for name in free if (rank := aliases.rank(role, BIAS_WORDS.sub("", name))) is not None}
    return (Place(min(ranks, key=lambda name: ranks[name])),) if ranks else ()


def _only(role: str, free: Sequence[str], aliases: Aliases) -> Places:
    """The only vector that is left, whatever it is called."""
    return (Place(free[0]),) if len(free) == 1 else ()
