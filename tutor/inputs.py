"""Recipes such as ``"randn B T_q d_model"`` become tensors, drawn from one seed.

A recipe is a word, then sizes (a dimension's name or a number), then an optional factor:

* ``randn B T d [* 40]``   independent standard normal values
* ``causal T_q T_k``       boolean, True on and below the diagonal: position t may attend to 0…t
* ``mask B 1 T_q T_k``     boolean, random; every row has at least one True and, where it is longer than one, one False
* ``renew Q from 3``       only in a repeated call: the first call's ``Q`` with fresh values from token 3 on
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from checkers._shapes import sizes
from tutor.content import Again, Case, Role
from tutor.errors import ContentError

RECIPES = ("randn", "causal", "mask", "renew")
Inputs = Mapping[str, torch.Tensor]


class Drawer:
    """Draws tensors from one seed; the same seed and the same order of calls give the same tensors.

    Args:
        seed: any non-negative integer below 2**63; saved with the verdict so that it can be replayed.
    """

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def weights(self, role: Role, dims: Mapping[str, int]) -> torch.Tensor:
        """A random matrix in the shape of the role, float32, scaled so that a unit input gives a unit output."""
        shape = sizes(role.shape, dims)
        return self._randn(shape) / math.sqrt(shape[-1])

    def calls(self, case: Case) -> tuple[Inputs, ...]:
        """The inputs of each call of a case: float32 values, boolean masks."""
        first = {name: self._draw(recipe, case.dims, {}) for name, recipe in case.inputs.items()}
        return (first, *(self._again(case, again, first) for again in case.again))

    def _again(self, case: Case, again: Again, first: Inputs) -> Inputs:
        recipes = {**case.inputs, **again.inputs} if again.dims else again.inputs
        drawn = {name: self._draw(recipe, {**case.dims, **again.dims}, first) for name, recipe in recipes.items()}
        return {**first, **drawn}

    def _draw(self, recipe: str, dims: Mapping[str, int], first: Inputs) -> torch.Tensor:
        word, *rest = recipe.split()
        if word == "renew":
            name, start = rest[0], int(rest[2])
            fresh = first[name].clone()
            fresh[..., start:, :] = self._randn(fresh[..., start:, :].shape)
            return fresh
        parts, factor = (rest[:-2], float(rest[-1])) if "*" in rest else (rest, 1.0)
        shape = sizes(" ".join(parts), dims)
        if word == "causal":
            return torch.ones(shape, dtype=torch.bool).tril()
        return self._mask(shape) if word == "mask" else self._randn(shape) * factor

    def _mask(self, shape: tuple[int, ...]) -> torch.Tensor:
        order = torch.rand(shape, generator=self._generator).argsort(dim=-1)
        keep = torch.rand(shape, generator=self._generator) < 0.6
        # The first position of a random order is always allowed, the last never: no row is all True or all False.
        return keep.masked_fill(order == shape[-1] - 1, value=False) | (order == 0)

    def _randn(self, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.randn(shape, generator=self._generator)


def check_recipe(recipe: str, case: Case, file: str, key: str) -> None:
    """Complain about a recipe that could not be drawn.

    Raises:
        ContentError: unknown word or dimension, or a malformed ``renew`` or factor.
    """
    word, *rest = recipe.split() or [""]
    if word not in RECIPES:
        raise ContentError(file, key, f"“{recipe}” starts with no known word; allowed: {', '.join(RECIPES)}.")
    if word == "renew":
        if len(rest) != 3 or rest[0] not in case.inputs or rest[1] != "from" or not rest[2].isdigit():
            raise ContentError(
                file, key, f"“{recipe}” should read “renew INPUT from TOKEN”, INPUT one of the case's inputs."
            )
        return
    if "*" in rest:
        if rest.count("*") != 1 or rest[-2] != "*" or not rest[-1].replace(".", "", 1).isdigit():
            raise ContentError(file, key, f"“{recipe}”: a factor is written “* 40” at the end.")
        rest = rest[:-2]
    if not rest:
        raise ContentError(file, key, f"“{recipe}” names no sizes; allowed: numbers and {', '.join(case.dims)}.")
    check_axes(" ".join(rest), case.dims, file, key)


def check_axes(axes: str, dims: Mapping[str, int], file: str, key: str) -> None:
    """Complain about axes that have no size.

    Raises:
        ContentError: a name that is no dimension of the case, or something that is no formula.
    """
    try:
        sizes(axes, dims)
    except ValueError as error:
        raise ContentError(file, key, f"“{axes}”: {error}; the dimensions are {', '.join(dims)}.") from error
