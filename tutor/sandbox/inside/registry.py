"""What a module holds: its parameters by name, and weights it carries about without knowing them."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import torch
from torch import nn

from .policy import HIDDEN, KEPT, PARAMETERS
from .tensors import shape_of

Entry = dict[str, Any]
Slot = tuple[str, nn.Parameter, nn.Module]
Way = tuple[int, ...]
MODULES, NAME_CHARS = 1_024, 120
# Where nn.Module itself keeps things.
OWN = frozenset(nn.Module().__dict__)


def registered(module: nn.Module) -> dict[str, nn.Parameter]:
    """Every parameter by its dotted name, from the registries themselves: methods can be overridden, and lie."""
    return {name: parameter for name, parameter, _ in slots(module)}


def slots(module: nn.Module) -> list[Slot]:
    """Every parameter with its dotted name and the module it belongs to, in the order of declaration."""
    found: dict[str, tuple[Way, Slot]] = {}
    # Outer ones first, so that a large part inside cannot crowd out what the contract names.
    for prefix, current, way in modules(module):
        if len(found) >= PARAMETERS:
            break
        for key, parameter in object.__getattribute__(current, "__dict__").get("_parameters", {}).items():
            if isinstance(parameter, nn.Parameter):
                name = f"{prefix}{key}"[:NAME_CHARS]
                found[name] = (way, (name, parameter, current))
    return [slot for _, slot in sorted(found.values(), key=operator.itemgetter(0))][:PARAMETERS]


def modules(module: nn.Module) -> Iterator[tuple[str, nn.Module, Way]]:
    """The module and all below it, each with the prefix of its parameters' names and its place in the order of declaration."""
    waiting: list[tuple[str, nn.Module, Way, frozenset[int]]] = [("", module, (), frozenset())]
    for _ in range(MODULES):
        if not waiting:
            return
        prefix, current, way, above = waiting.pop(0)
        yield prefix, current, way
        # One module under two names is met under both; a module inside itself is not followed.
        above |= {id(current)}
        children = object.__getattribute__(current, "__dict__").get("_modules", {}).items()
        waiting += [
            (f"{prefix}{name}.", child, (*way, number), above)
            for number, (name, child) in enumerate(children)
            if isinstance(child, nn.Module) and id(child) not in above
        ]


def describe(parameters: Mapping[str, nn.Parameter]) -> list[Entry]:
    """Name, shape and trainability of every parameter; a parameter met again under another name says which it equals."""
    first: dict[int, str] = {}
    entries: list[Entry] = []
    for name, parameter in parameters.items():
        same_as = first.setdefault(id(parameter), name)
        entries.append(
            {
                "name": name,
                "shape": list(shape_of(parameter)),
                "trainable": parameter.requires_grad,
                "same_as": None if same_as == name else same_as,
            }
        )
    return entries


def is_bias(name: str, weights: Collection[str]) -> bool:
    """Whether a parameter is a bias beside one of these weights, ``W_Q.bias``, or a bare one, ``in_proj_bias``, ``b_q``."""
    prefix, _, leaf = name.rpartition(".")
    if leaf == "bias":
        return not prefix or any(weight.startswith(f"{prefix}.") for weight in weights)
    leaf = leaf.lower()
    return leaf.endswith("bias") or leaf.startswith(("bias", "b_")) or leaf in {"bq", "bk", "bv", "bo"}


def is_square(shape: Sequence[int]) -> bool:
    """Whether a tensor is a square table, as a mask is under whichever name; a bias is a vector, or one per head."""
    return len(shape) > 1 and shape[-1] == shape[-2] > 1


def hidden(module: nn.Module, shapes: Collection[tuple[int, ...]]) -> list[str]:
    """Weights that hang on a module without being registered, as one would write them: ``layers[0].weight``, ``W_Q``.

    A plain list, tuple or dict hides its layers from the module; a tensor that is no ``nn.Parameter`` is hidden itself.

    Args:
        module: where to look.
        shapes: of matrices that are looked for; a plain tensor of another shape may be anything.
    """
    known = {id(parameter) for _, parameter, _ in slots(module)}
    found: list[str] = []
    for prefix, current, _ in modules(module):
        fields = object.__getattribute__(current, "__dict__")
        for name, value in fields.items():
            if type(name) is str and not name.startswith("_"):
                found += [
                    f"{prefix}{name}{rest}"[:NAME_CHARS]
                    for rest, tensor in _inside(value, 2)
                    if id(tensor) not in known and (rest.endswith(".weight") or shape_of(tensor) in shapes)
                ]
            if len(found) >= HIDDEN:
                return found[:HIDDEN]
    return found


def kept(module: nn.Module) -> list[Entry]:
    """The tensors a module keeps beside its parameters, buffers first: name, shape, and whether it is a buffer."""
    known = {id(parameter) for _, parameter, _ in slots(module)}
    buffers: list[tuple[str, torch.Tensor]] = []
    plain: list[tuple[str, torch.Tensor]] = []
    for prefix, current, _ in modules(module):
        fields = object.__getattribute__(current, "__dict__")
        buffers += _tensors_in(prefix, fields.get("_buffers", {}), 0)
        plain += _tensors_in(prefix, {name: value for name, value in fields.items() if name not in OWN}, 2)
    known |= {id(tensor) for _, tensor in buffers}
    found = [(name, tensor, True) for name, tensor in buffers]
    found += [(name, tensor, False) for name, tensor in plain if id(tensor) not in known]
    return [
        {"name": name[:NAME_CHARS], "shape": list(shape_of(tensor)), "buffer": buffer}
        for name, tensor, buffer in found[:KEPT]
    ]


def _tensors_in(prefix: str, fields: Mapping[Any, Any], depth: int) -> list[tuple[str, torch.Tensor]]:
    return [
        (f"{prefix}{name}{rest}", tensor)
        for name, value in islice(fields.items(), KEPT)
        if type(name) is str and not isinstance(value, nn.Module)
        for rest, tensor in _inside(value, depth)
    ]


def _inside(value: Any, depth: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor in a value, with what one would write behind the value's name to reach it."""
    if isinstance(value, torch.Tensor):
        yield "", value
    elif isinstance(value, nn.Module):
        yield from ((f".{name}", parameter) for name, parameter, _ in slots(value))
    elif type(value) in (list, tuple, dict) and depth:
        pairs = value.items() if type(value) is dict else enumerate(value)
        for key, item in islice(pairs, HIDDEN):
            label = repr(key) if type(key) in (str, int) else "…"
            yield from ((f"[{label}]{rest}", tensor) for rest, tensor in _inside(item, depth - 1))
