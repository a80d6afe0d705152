"""Which parameter of a module plays which role of the contract: by the contract's name first, then by other known names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

Entry = dict[str, Any]
PARAMETERS = 256


def describe(module: nn.Module) -> list[Entry]:
    """Name, shape and trainability of every parameter; a parameter met again under another name says which it equals."""
    first: dict[int, str] = {}
    entries: list[Entry] = []
    for name, parameter in nn.Module.named_parameters(module, remove_duplicate=False):
        same_as = first.setdefault(id(parameter), name)
        entries.append(
            {
                "name": name[:120],
                "shape": list(parameter.shape),
                "trainable": parameter.requires_grad,
                "same_as": None if same_as == name else same_as,
            }
        )
        if len(entries) == PARAMETERS:
            break
    return entries


def bind(parameters: Sequence[Entry], roles: Sequence[Entry]) -> tuple[dict[str, str | None], list[str]]:
    """Role → name of the parameter that takes its weights (None: nothing fits), and the parameters nobody claims."""
    by_name = {entry["name"]: entry["name"] for entry in parameters}
    lowered = {entry["name"].lower(): entry["name"] for entry in reversed(parameters)}
    bound: dict[str, str | None] = {}
    for role in roles:
        names = [f"{alias}.weight".lower() for alias in (role["name"], *role["aliases"])]
        exact = by_name.get(f"{role['name']}.weight")
        taken = {name for name in bound.values() if name is not None}
        others = (lowered[name] for name in names if name in lowered and lowered[name] not in taken)
        bound[role["name"]] = exact or next(others, None)
    claimed = set(bound.values())
    return bound, [entry["name"] for entry in parameters if entry["name"] not in claimed]


def load_weights(
    module: nn.Module,
    roles: Sequence[Entry],
    bound: Mapping[str, str | None],
    unclaimed: Sequence[str],
    tensors: Sequence[torch.Tensor],
) -> None:
    """Copy each role's weights in; set biases nobody asked for to zero, so that they cost their own check only."""
    parameters = dict(nn.Module.named_parameters(module, remove_duplicate=False))
    with torch.no_grad():
        for name in unclaimed:
            if name.endswith("bias"):
                parameters[name].zero_()
        for role in roles:
            target = bound[role["name"]]
            weights = tensors[role["tensor"]]
            if target is not None and parameters[target].shape == weights.shape:
                parameters[target].copy_(weights)
