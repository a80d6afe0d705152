"""The matrices are the layers of the contract, under its names, so that others can load and read them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from checkers._places import Piece, listed, pieces, together
from checkers._shapes import named, sizes
from checkers.base import About, Finding, Observation, Seen

CODE = "contract-layers-differ"
ALL_THE_SAME = "everything else is judged all the same"
Wrong = Mapping[str, tuple[Piece, ...]]


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Content when each role's weight is ``ROLE.weight``, whole and stored as ``nn.Linear`` stores it."""
    for case, observation in seen.items():
        wrong = {
            role: mine
            for role in about.roles
            if (mine := pieces(observation, role)) and not _kept(mine, role, about, case)
        }
        if not all(_renamed(mine) for mine in wrong.values()):
            return _cut_differently(wrong, about, case)
        if wrong:
            return _other_names(wrong)
        bare = [role for role in about.biases.get(case, ()) if not _own_bias(observation, role)]
        if bare:
            return _bare_biases(bare, observation)
    return None


def _own_bias(observation: Observation, role: str) -> bool:
    """Whether a bias is that of its layer; a missing one is another check's matter."""
    return observation.bound.get(f"{role}.bias") in {f"{role}.bias", None}


def _bare_biases(roles: Sequence[str], observation: Observation) -> Finding:
    return Finding(
        CODE,
        f"The bias of {together(roles)} does not lie in the layer itself, so others could not load these weights.",
        expected=", ".join(f"self.{role}.bias" for role in roles),
        actual=", ".join(f"self.{observation.bound[f'{role}.bias']}" for role in roles),
        next_step=f"Let nn.Linear keep the bias; {ALL_THE_SAME}.",
    )


def _kept(mine: Sequence[Piece], role: str, about: About, case: str) -> bool:
    """Whether a role is where the contract wants it; a weight of another shape that fits is no weight of nn.Linear."""
    only = mine[0]
    whole = len(mine) == 1 and not only.part and not only.turned
    shape = sizes(about.roles[role], about.dims[case])
    # Too many or too few numbers are the matter of the check on matrices.
    fits = only.parameter.shape == shape or only.parameter.numel != math.prod(shape)
    return whole and only.parameter.name == f"{role}.weight" and fits


def _renamed(mine: Sequence[Piece]) -> bool:
    """Whether a layer of the right kind is there and only its name is another."""
    return len(mine) == 1 and _of_a_layer(mine[0]) and not mine[0].part and not mine[0].turned


def _of_a_layer(piece: Piece) -> bool:
    return piece.parameter.name.endswith(".weight") and len(piece.parameter.shape) < 3


def _other_names(wrong: Wrong) -> Finding:
    return Finding(
        CODE,
        "The right number of matrices is there, but not under the names the exercise gives them.",
        expected=", ".join(f"self.{role}" for role in wrong),
        actual=", ".join(f"self.{mine[0].parameter.name.removesuffix('.weight')}" for mine in wrong.values()),
        next_step=f"Rename them; {ALL_THE_SAME}.",
    )


def _cut_differently(found: Wrong, about: About, case: str) -> Finding:
    wrong = {role: mine for role, mine in found.items() if not _renamed(mine)}
    renamed = [
        f"{mine[0].parameter.name.removesuffix('.weight')} {role}" for role, mine in found.items() if _renamed(mine)
    ]
    also = f", and call {together(renamed)}" if renamed else ""
    roles, first = list(wrong), next(iter(wrong))
    wanted = f"an nn.Linear with a weight of shape {named(about.roles[first], about.dims[case])}"
    return Finding(
        CODE,
        _what(wrong),
        expected=f"self.{first}, {wanted}"
        if len(roles) == 1
        else f"{together([f'self.{r}' for r in roles])}, each {wanted}",
        actual=listed(tuple({piece.parameter.name: piece for mine in wrong.values() for piece in mine}.values())),
        next_step=f"Create an nn.Linear for {together(roles)}{' each' if len(roles) > 1 else ''} in __init__{also}; {ALL_THE_SAME}.",
    )


def _what(wrong: Wrong) -> str:
    for says in (_fused, _in_pieces, _bare):
        text = says(wrong)
        if text:
            return text
    does, first = "does" if len(wrong) == 1 else "do", next(iter(wrong.values()))
    return f"{together(list(wrong))} {does} not keep the weight the way nn.Linear does: {listed(first)}."


def _fused(wrong: Wrong) -> str:
    holders: dict[str, dict[str, Piece]] = {}
    for role, mine in wrong.items():
        for piece in mine:
            holders.setdefault(piece.parameter.name, {})[role] = piece
    shares = max(holders.values(), key=len)
    if len(shares) < 2:
        return ""
    roles = sorted(shares, key=lambda role: shares[role].start)
    piece = shares[roles[0]]
    axis = "columns" if piece.part.startswith("[:,") else "rows" if ":" in piece.part else "parts"
    return f"{together(roles)} share one weight, {piece}. Its {axis} were read as {together(roles)}, in this order."


def _in_pieces(wrong: Wrong) -> str:
    roles = [
        role
        for role, mine in wrong.items()
        if len(mine) > 1 or (len(mine[0].parameter.shape) == 3 and not mine[0].part)
    ]
    if not roles:
        return ""
    mine = wrong[roles[0]]
    alike = len({re.sub(r"\d+", "*", piece.parameter.name) for piece in mine}) == 1
    cut = "into one piece per head" if alike else f"into {len(mine)} weights, {listed(mine, len(mine))},"
    return f"{together(roles)} {'is' if len(roles) == 1 else 'are'} cut {cut} instead of being one layer."


def _bare(wrong: Wrong) -> str:
    roles = [role for role, mine in wrong.items() if not mine[0].parameter.name.endswith(".weight")]
    if not roles:
        return ""
    words = "is a bare nn.Parameter" if len(roles) == 1 else "are bare nn.Parameters"
    return f"{together(roles)} {words}, where the exercise asks for nn.Linear; others could not load these weights."
