"""Which parameter of a module plays which role of the contract: by the contract's name first, then by other known names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

Entry = dict[str, Any]
PARAMETERS, MODULES = 256, 1_024


def registered(module: nn.Module) -> dict[str, nn.Parameter]:
    """Every parameter by its dotted name, from the registries themselves: methods can be overridden, and lie."""
    found: dict[str, nn.Parameter] = {}
    waiting: list[tuple[str, nn.Module, frozenset[int]]] = [("", module, frozenset())]
    for _ in range(MODULES):
        if not waiting or len(found) >= PARAMETERS:
            break
        prefix, current, above = waiting.pop(0)
        fields = object.__getattribute__(current, "__dict__")
        for name, parameter in fields.get("_parameters", {}).items():
            if parameter is not None:
                found[f"{prefix}{name}"[:120]] = parameter
        # One module under two names is met under both; a module inside itself is not followed.
        above |= {id(current)}
        children = fields.get("_modules", {}).items()
        waiting += [
            (f"{prefix}{name}.", child, above)
            for name, child in children
            if child is not None and id(child) not in above
        ]
    return found


def describe(parameters: Mapping[str, nn.Parameter]) -> list[Entry]:
    """Name, shape and trainability of every parameter; a parameter met again under another name says which it equals."""
    first: dict[int, str] = {}
    entries: list[Entry] = []
    for name, parameter in parameters.items():
        same_as = first.setdefault(id(parameter), name)
        entries.append(
            {
                "name": name,
                "shape": list(parameter.shape),
                "trainable": parameter.requires_grad,
                "same_as": None if same_as == name else same_as,
            }
        )
    return entries


def bind(parameters: Sequence[Entry], roles: Mapping[str, Sequence[str]]) -> tuple[dict[str, str | None], list[str]]:
    """Role → name of the parameter that takes its weights (None: nothing fits), and the parameters nobody claims.

    Args:
        parameters: what ``describe`` gave.
        roles: the contract's name of each matrix → other names seen in the wild, the likeliest first.
    """
    lowered = {entry["name"].lower(): entry["name"] for entry in reversed(parameters)}
    exact = {entry["name"] for entry in parameters}
    bound: dict[str, str | None] = {role: f"{role}.weight" for role in roles if f"{role}.weight" in exact}
    for role, aliases in roles.items():
        if role not in bound:
            taken = set(bound.values())
            found = (lowered.get(f"{alias}.weight".lower()) for alias in (role, *aliases))
            bound[role] = next((name for name in found if name is not None and name not in taken), None)
    _only_one_left(parameters, bound)
    claimed = set(bound.values())
    return bound, [entry["name"] for entry in parameters if entry["name"] not in claimed]


def _only_one_left(parameters: Sequence[Entry], bound: dict[str, str | None]) -> None:
    """Where one role and one matrix are left over, they belong together, whatever the matrix is called."""
    roles = [role for role, name in bound.items() if name is None]
    claimed = set(bound.values())
    matrices = [
        entry["name"]
        for entry in parameters
        if entry["name"] not in claimed and len(entry["shape"]) == 2 and entry["name"].endswith(".weight")
    ]
    if len(roles) == 1 and len(matrices) == 1 and len(bound) > 1:
        bound[roles[0]] = matrices[0]


def load_weights(
    parameters: Mapping[str, nn.Parameter],
    weights: Mapping[str, torch.Tensor],
    bound: Mapping[str, str | None],
    unclaimed: Sequence[str],
) -> None:
    """Copy each role's weights in; set biases nobody asked for to zero, so that they cost their own check only."""
    with torch.no_grad():
        for name in unclaimed:
            if name.endswith("bias"):
                parameters[name].zero_()
        for role, matrix in weights.items():
            target = bound[role]
            if target is not None and parameters[target].shape == matrix.shape:
                parameters[target].copy_(matrix)
