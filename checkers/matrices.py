"""There is one matrix of its own for every role of the contract, in the right shape, and it learns."""

from __future__ import annotations

import math

from checkers._places import Piece, listed, numel, pieces, together
from checkers._shapes import given, named, plain, sizes
from checkers.base import About, Finding, Observation, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Content when every role has all its numbers to itself. Names, and one matrix cut up or fused, are another check's."""
    for case, observation in seen.items():
        missing = _missing(observation, about, case)
        if missing is not None:
            return missing
        for role, axes in about.roles.items():
            mine = pieces(observation, role)
            finding = _shape(mine, role, axes, about, case) or _frozen(mine) or _shared(observation, role, about)
            if finding is not None:
                return finding
        for role in about.biases.get(case, ()):
            finding = _frozen(pieces(observation, f"{role}.bias"))
            if finding is not None:
                return finding
    return None


def _missing(observation: Observation, about: About, case: str) -> Finding | None:
    missing = [role for role in about.roles if not pieces(observation, role)]
    if not missing:
        return None
    roles, wanted = ", ".join(missing), named(about.roles[missing[0]], about.dims[case])
    if any("[" in name for name in observation.hidden):
        return _in_a_list(observation, roles, wanted)
    there = listed(tuple(Piece(parameter) for parameter in observation.parameters), 8) or "none at all"
    what = f" in the module. Its registered weights are: {there}."
    if observation.hidden:
        words = "is a plain tensor" if len(observation.hidden) == 1 else "are plain tensors"
        what = f": {', '.join(observation.hidden[:4])} {words}, which the module neither trains nor saves."
    return Finding(
        "matrix-missing",
        f"No matrix for {roles} was found{what}",
        expected=f"for each an nn.Linear with a weight of shape {wanted}",
        actual=f"{len(about.roles) - len(missing)} of {len(about.roles)} matrices",
        next_step=f"Create self.{missing[0]} = nn.Linear(…) in __init__, so that the module keeps it from call to call.",
    )


def _in_a_list(observation: Observation, roles: str, wanted: str) -> Finding:
    there = [name for name in observation.hidden if "[" in name]
    return Finding(
        "layers-in-plain-list",
        f"No matrix for {roles} is registered: an ordinary list or dict hides {', '.join(there[:4])} from the module, "
        "so nothing there is trained or saved.",
        expected=f"for each an nn.Linear with a weight of shape {wanted} that parameters() lists",
        actual=f"{len(observation.parameters)} registered parameter{'' if len(observation.parameters) == 1 else 's'}",
        next_step="Make each layer an attribute of its own; nn.ModuleList and nn.ModuleDict are lists the module does know.",
    )


def _shape(mine: tuple[Piece, ...], role: str, axes: str, about: About, case: str) -> Finding | None:
    dims = about.dims[case]
    wanted = sizes(axes, dims)
    if any(piece.part for piece in mine) or _fits(mine, wanted):
        return None
    only = mine[0].parameter if len(mine) == 1 else None
    what = f"{role} is spread over {len(mine)} weights and"
    if only is not None:
        what = only.name if only.name == f"{role}.weight" else f"{only.name}, which stands for {role},"
    step = "Each matrix maps the full width to the full width; the heads share it out later."
    if len(set(axes.split())) > 1:
        step = "nn.Linear takes the width that comes in first and the width that goes out second."
    if only is not None and only.shape == (0,):
        step = "Give nn.Linear both of its sizes; until then nobody can count, save or load this weight."
    return Finding(
        "matrix-shape",
        f"{what} has the wrong shape for {given(dims)}.",
        expected=named(axes, dims),
        actual=plain(only.shape) if only else listed(mine),
        next_step=step,
    )


def _fits(mine: tuple[Piece, ...], wanted: tuple[int, ...]) -> bool:
    if len(mine) == 1 and len(mine[0].parameter.shape) == len(wanted):
        shape = mine[0].parameter.shape
        return (shape[::-1] if mine[0].turned else shape) == wanted
    return numel(mine) == math.prod(wanted)


def _frozen(mine: tuple[Piece, ...]) -> Finding | None:
    frozen = [piece.parameter.name for piece in mine if not piece.parameter.trainable]
    if not frozen:
        return None
    return Finding(
        "frozen-weights",
        f"{frozen[0]} has requires_grad = False, so training would never change it.",
        expected="every matrix learns",
        actual=f"{', '.join(frozen[:4])} {'is' if len(frozen) == 1 else 'are'} frozen",
        next_step="Leave requires_grad as nn.Linear sets it.",
    )


def _shared(observation: Observation, role: str, about: About) -> Finding | None:
    """Two roles with one weight. One weight under a second name, say in a ModuleList too, is no matter."""
    mine = {piece.key for piece in pieces(observation, role)}
    others = [
        other
        for other in about.roles
        if other != role and not mine.isdisjoint(piece.key for piece in pieces(observation, other))
    ]
    if not others:
        return None
    return Finding(
        "one-layer-many-names",
        f"{together([role, *others])} are one and the same weight, so they can never differ.",
        expected=f"{len(about.roles)} separate matrices",
        actual=" is ".join((role, *others)),
        next_step="Call nn.Linear once for every matrix.",
    )
