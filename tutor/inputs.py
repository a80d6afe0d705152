"""Recipes such as ``"randn B T_q d_model"`` become tensors, drawn from one seed.

A recipe is a word, then sizes (a dimension's name or a number), then an optional factor:

* ``randn B T d [* 40]``   independent standard normal values
* ``whole B T d [* 0.01]``  small whole numbers, of which a person can work out the result; never all the same
* ``ones d``, ``zeros d``    the same number everywhere; ones may have a factor
* ``causal T_q T_k``       boolean, True on and below the diagonal: position t may attend to 0…t
* ``mask B 1 T_q T_k``     boolean, random; every row has at least one True and, where it is longer than one, one False
* ``renew Q from 3 [* 40]``  only in a repeated call: the first call's ``Q`` with fresh values from token 3 on
* ``none``                  only in a repeated call: an input that may be left out is not given in it
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import torch

from checkers._shapes import sizes
from tutor.content import Case, Role
from tutor.errors import ContentError

RECIPES = ("randn", "whole", "ones", "zeros", "causal", "mask", "renew", "none")
FACTOR = re.compile(r"\s*(randn|whole|ones)(\s+[^\s*]\S*)+\s+\*\s+[0-9]+(\.[0-9]+)?\s*")
RENEWED = re.compile(r"\s*renew\s+\S+\s+from\s+[0-9]+(?=(\s+\*\s+[0-9]+(\.[0-9]+)?)?\s*$)")
LARGEST = 16_777_216  # values in one tensor
# The largest whole number in an input, and in a weight or a bias.
WHOLE, WHOLE_WEIGHT = 2, 1
Inputs = Mapping[str, torch.Tensor]


class Drawer:
    """Draws tensors from one seed; the same seed and the same order of calls give the same tensors.

    Args:
        seed: any non-negative integer below 2**63; saved with the verdict so that it can be replayed.
        whole: weights and biases are small whole numbers, too.
    """

    def __init__(self, seed: int, *, whole: bool = False) -> None:
        self._whole_weights = whole
        self._generator = torch.Generator().manual_seed(seed)

    def weights(self, role: Role, dims: Mapping[str, int]) -> torch.Tensor:
        """A random matrix in the shape of the role, float32, scaled so that a unit input gives a unit output."""
        shape = sizes(role.shape, dims)
        if self._whole_weights:
            return self._whole(shape, WHOLE_WEIGHT)
        return self._randn(shape) / math.sqrt(shape[-1])

    def bias(self, axes: str, dims: Mapping[str, int]) -> torch.Tensor:
        """A random bias in this shape, float32, as large as what a unit input gives without it."""
        shape = sizes(axes, dims)
        return self._whole(shape, WHOLE_WEIGHT) if self._whole_weights else self._randn(shape)

    def calls(self, case: Case) -> tuple[Inputs, ...]:
        """The inputs of each call of a case: float32 values, boolean masks."""
        first = {name: self._draw(recipe, case.dims, {}) for name, recipe in case.inputs.items()}
        return (first, *(self._again(case, number, first) for number in range(1, len(case.again) + 1)))

    def _again(self, case: Case, number: int, first: Inputs) -> Inputs:
        dims, recipes = case.dims_of(number), case.recipes(number)
        absent = {name for name, recipe in recipes.items() if recipe.split() == ["none"]}
        drawn = {name: self._draw(recipe, dims, first) for name, recipe in recipes.items() if name not in absent}
        return {name: tensor for name, tensor in {**first, **drawn}.items() if name not in absent}

    def _draw(self, recipe: str, dims: Mapping[str, int], first: Inputs) -> torch.Tensor:
        word, *rest = recipe.split()
        if word == "renew":
            named, factor = _factor(rest)
            name, _, start = named.split()
            fresh = first[name].clone()
            tail = fresh[..., int(start) :, :]
            tail.copy_(self._randn(tuple(tail.shape)) * factor)
            return fresh
        axes, factor = _factor(rest)
        shape = sizes(axes, dims)
        if word == "causal":
            return torch.ones(shape, dtype=torch.bool).tril()
        if word in {"ones", "zeros"}:
            return torch.full(shape, factor if word == "ones" else 0.0)
        if word == "mask":
            return self._mask(shape)
        return (self._whole(shape, WHOLE) if word == "whole" else self._randn(shape)) * factor

    def _mask(self, shape: tuple[int, ...]) -> torch.Tensor:
        order = torch.rand(shape, generator=self._generator).argsort(dim=-1)
        keep = torch.rand(shape, generator=self._generator) < 0.6
        # The first position of a random order is always allowed, the last never: no row is all True or all False.
        return keep.masked_fill(order == shape[-1] - 1, value=False) | (order == 0)

    def _whole(self, shape: tuple[int, ...], largest: int) -> torch.Tensor:
        while True:
            drawn = torch.randint(-largest, largest + 1, shape, generator=self._generator).float()
            # What is the same everywhere shows next to nothing; a single number is then not 0.
            if bool((drawn != drawn.flatten()[0]).any() if drawn.numel() > 1 else drawn.any()):
                return drawn

    def _randn(self, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.randn(shape, generator=self._generator)


def check_recipe(recipe: str, case: Case, call: int, file: str, key: str) -> None:
    """Complain about a recipe that could not be drawn.

    Args:
        recipe: as the author wrote it.
        case: whose inputs it may renew.
        call: number of the call it is for; the first is 0.
        file: where it stands.
        key: where it stands in there.

    Raises:
        ContentError: unknown word or dimension, too few axes, or a malformed ``renew`` or factor.
    """
    word, *rest = recipe.split() or [""]
    if word not in RECIPES:
        raise ContentError(file, key, f"“{recipe}” starts with no known word; allowed: {', '.join(RECIPES)}.")
    if word == "renew":
        _check_renew(recipe, case, call, file, key)
        return
    if word == "none":
        if call == 0 or rest:
            raise ContentError(
                file, key, f"“{recipe}”: “none” stands alone, and in again; in the first call leave the input out."
            )
        return
    if "*" in rest and not FACTOR.fullmatch(recipe):
        raise ContentError(
            file, key, f"“{recipe}”: a factor is written “* 40” or “* 0.01” at the end of randn, whole or ones."
        )
    axes, _ = _factor(rest)
    dims = case.dims_of(call)
    if not axes:
        raise ContentError(file, key, f"“{recipe}” names no sizes; allowed: numbers and {', '.join(dims)}.")
    check_axes(axes, dims, file, key)
    if word == "causal" and len(sizes(axes, dims)) < 2:
        raise ContentError(file, key, f"“{recipe}” needs two sizes at least: queries and keys.")


def _check_renew(recipe: str, case: Case, call: int, file: str, key: str) -> None:
    if call == 0:
        raise ContentError(file, key, "“renew” is for again: the first call has nothing to renew.")
    rest = (RENEWED.match(recipe) or [""])[0].split()[1:]
    drawn = [name for name, first in case.inputs.items() if first.split()[:1] == ["randn"]]
    if len(rest) != 3 or rest[0] not in drawn or rest[1] != "from" or not re.fullmatch("[0-9]+", rest[2]):
        names = ", ".join(drawn) or "none"
        raise ContentError(
            file,
            key,
            f"“{recipe}” should read “renew INPUT from TOKEN”, with “* 40” behind it or not, INPUT one of: {names}.",
        )
    check_recipe(case.inputs[rest[0]], case, 0, file, f"{key} (renews {rest[0]})")
    shape = sizes(_factor(case.inputs[rest[0]].split()[1:])[0], case.dims)
    if len(shape) < 2 or int(rest[2]) >= shape[-2]:
        tokens = shape[-2] if len(shape) > 1 else 0
        raise ContentError(file, key, f"“{recipe}” renews nothing: {rest[0]} has {tokens} tokens, counted from 0.")


def axes_of(recipe: str) -> str:
    """The sizes in a recipe that names them, ``"B T_q d_model"``."""
    return _factor(recipe.split()[1:])[0]


def _factor(parts: Sequence[str]) -> tuple[str, float]:
    """The axes of a recipe, and what its values are multiplied by."""
    return (" ".join(parts[:-2]), float(parts[-1])) if "*" in parts else (" ".join(parts), 1.0)


def check_axes(axes: str, dims: Mapping[str, int], file: str, key: str, least: int = 1) -> None:
    """Complain about axes that have no size, or one below ``least``.

    Raises:
        ContentError: a name that is no dimension of the case, something that is no formula, or sizes no tensor can have.
    """
    try:
        shape = sizes(axes, dims)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ContentError(file, key, f"“{axes}”: {error}; the dimensions are {', '.join(dims)}.") from error
    if min(shape, default=least) < least or math.prod(shape) > LARGEST:
        raise ContentError(
            file, key, f"“{axes}”: every size must be {least} or more, and there may be {LARGEST:,} values in all."
        )
