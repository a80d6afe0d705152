"""Where the numbers of each role lie in a module: putting weights in, and putting gradients together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .registry import Entry, is_bias, is_square

Part = tuple[slice | int, ...]
Block = tuple[slice, ...]
EVERYTHING: Block = (slice(None), slice(None))
NAMES = 30
BIAS = ".bias"


@dataclass(frozen=True, slots=True)
class Place:
    """One block of a role's matrix, and where it is stored.

    Args:
        name: the parameter.
        part: which part of the parameter, as one would index it; all of it if empty.
        transposed: whether it is stored with its inputs as rows, the other way round than ``nn.Linear`` does.
        block: which rows and columns of the role's matrix it holds.
        fits: whether the numbers have room there at all.
        shown: the name to show, where the contract knows it by another one.
    """

    name: str
    part: Part = ()
    transposed: bool = False
    block: Block = EVERYTHING
    fits: bool = True
    shown: str = ""

    def __str__(self) -> str:
        if self.shown:
            return self.shown
        index = f"[{', '.join(_written(piece) for piece in self.part)}]" if self.part else ""
        return f"{self.name}{index}{'.T' if self.transposed else ''}"

    def put(self, parameter: torch.Tensor, matrix: torch.Tensor) -> None:
        """Copy the block of a role's matrix into the parameter."""
        target = parameter[self.part] if self.part else parameter
        target.copy_(self._cut(matrix).reshape(target.shape))

    def fetch(self, tensor: torch.Tensor, matrix: torch.Tensor) -> None:
        """Copy what lies in a tensor of the parameter's shape to its block of a role's matrix."""
        block = self._cut(matrix)
        block.copy_((tensor[self.part] if self.part else tensor).reshape(block.shape))

    def _cut(self, matrix: torch.Tensor) -> torch.Tensor:
        # Most roles are stored whole; a role that is a vector can be nothing else.
        block = matrix if self.block is EVERYTHING else matrix[self.block]
        return block.t() if self.transposed else block


@dataclass(frozen=True, slots=True)
class Binding:
    """Which parameters of a module hold which role of the contract, and under ``ROLE.bias`` its bias where it has one.

    Args:
        parameters: what the module holds, as ``describe`` says it.
        shapes: role → shape of its matrix.
        places: role → where its numbers lie; empty where nothing fits.
        hidden: weights the module does not know, where a role found no place.
    """

    parameters: Sequence[Entry]
    shapes: Mapping[str, tuple[int, ...]]
    places: Mapping[str, tuple[Place, ...]]
    hidden: Sequence[str] = ()

    @property
    def bound(self) -> dict[str, str | None]:
        """Role → its parameter as one would write it: ``W_Q.weight``, ``qkv.weight[0:15]``, ``W_Q.T``, ``q.0.weight + q.1.weight``."""
        return {role: _listed(places) for role, places in self.places.items()}

    @property
    def unclaimed(self) -> list[str]:
        """The parameters that hold no role, under whichever name."""
        held = {place.name for places in self.places.values() for place in places}
        held |= {entry["same_as"] or entry["name"] for entry in self.parameters if entry["name"] in held}
        return [e["name"] for e in self.parameters if e["name"] not in held and e["same_as"] not in held]

    @property
    def biases(self) -> list[str]:
        """Those of them that are biases of the layers that hold the roles, or bare; a norm's are its own matter."""
        held = [place.name for places in self.places.values() for place in places]
        squares = {entry["name"] for entry in self.parameters if is_square(entry["shape"])}
        return [name for name in self.unclaimed if name not in squares and is_bias(name, held)]

    def header(self) -> dict[str, Any]:
        """What a report says of the binding; a parameter that the contract knows by another name has that one."""
        shown = {place.name: place.shown for places in self.places.values() for place in places if place.shown}
        return {
            "parameters": [
                {**e, "name": shown.get(e["name"], e["name"]), "same_as": shown.get(e["same_as"], e["same_as"])}
                for e in self.parameters
            ]
            if shown
            else self.parameters,
            "bound": self.bound,
            "unclaimed": self.unclaimed,
            "biases": self.biases,
            "hidden": self.hidden,
        }

    def load(self, parameters: Mapping[str, nn.Parameter], weights: Mapping[str, torch.Tensor]) -> None:
        """Copy each role's weights in; set biases nobody asked for to zero, so that they cost their own check only."""
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            # A parameter that repeats its own memory cannot be written to, nor can a lazy one; the numbers will tell.
            for name in self.biases:
                with suppress(RuntimeError, ValueError):
                    parameters[name].zero_()
            for role, matrix in weights.items():
                for place in self.places.get(role, ()):
                    if place.fits and place.name in parameters:
                        with suppress(RuntimeError, ValueError):
                            place.put(parameters[place.name], matrix)

    def wanted(self, parameters: Mapping[str, nn.Parameter]) -> dict[str, torch.Tensor]:
        """The parameters in which any role lies, by name: what gradients are asked for."""
        names = {place.name: None for places in self.places.values() for place in places}
        return {name: parameters[name] for name in names if name in parameters}

    def assemble(self, role: str, tensors: Mapping[str, torch.Tensor | None]) -> torch.Tensor | None:
        """A role's matrix put together from tensors shaped like its parameters, say gradients; None where there are none."""
        there = [(place, tensor) for place in self.places[role] if (tensor := tensors.get(place.name)) is not None]
        if not there:
            return None
        first, only = there[0]
        if not first.fits or (str(first) == first.name and only.shape == self.shapes[role]):
            return only
        matrix = only.new_zeros(self.shapes[role])
        for place, tensor in there:
            place.fetch(tensor.detach(), matrix)
        return matrix


def by_contract(roles: Mapping[str, torch.Tensor]) -> Binding:
    """The binding of a module that keeps the contract to the letter, as a reference does."""
    return Binding((), {}, {role: (Place(own_name(role)),) for role in roles})


def own_name(role: str) -> str:
    """The parameter that the contract means by a role, or by the bias of one."""
    return role if role.endswith(BIAS) else f"{role}.weight"


def _listed(places: Sequence[Place]) -> str | None:
    names = list(dict.fromkeys(place.name for place in places))[:NAMES]
    if len(places) == 1:
        return str(places[0])
    return " + ".join(names) or None


def _written(piece: slice | int) -> str:
    if isinstance(piece, int):
        return str(piece)
    return ":" if piece.start is None else f"{piece.start}:{piece.stop}"
