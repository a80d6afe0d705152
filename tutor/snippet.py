"""The lines that show a small case in the scratch area: build, put the numbers in, call, print, with what is right beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch

from checkers._places import Piece, pieces
from checkers.base import Observation
from tutor.content import Entry
from tutor.planning import PlannedCase, Tensors
from tutor.sandbox.inside.places import own_name

WIDTH = 100
INDENT = "    "


@dataclass(frozen=True)
class Shown:
    """One call of a small case.

    Args:
        entry: what the exercise asks for.
        case: as it was planned.
        tensors: of the plan.
        observation: what the code did; it tells where the code keeps its weights.
        number: of the call, counted from 0.
    """

    entry: Entry
    case: PlannedCase
    tensors: Tensors
    observation: Observation
    number: int

    def given(self, number: int | None = None) -> dict[str, torch.Tensor]:
        """The inputs of a call by name, in the order of the signature."""
        call = self.case["calls"][self.number if number is None else number]
        indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
        return {name: self.tensors[index] for name, index in indices.items()}

    def weights(self) -> dict[str, torch.Tensor]:
        """What is put into the layer, by the contract's name of the parameter."""
        return {own_name(role): self.tensors[index] for role, index in self.case["weights"].items()}


def snippet(shown: Shown, wanted: Mapping[str, torch.Tensor], decimals: int) -> str:
    """Lines that run below the learner's file.

    Args:
        shown: the call to be seen.
        wanted: the right results by name.
        decimals: so many are printed.
    """
    built = shown.entry.kind == "class"
    lines = ["import torch", "", f"torch.set_printoptions(precision={decimals}, sci_mode=False)"]
    lines += _assigned(shown.given(0))
    if built:
        lines += [f"layer = {_construction(shown)}.eval()", "with torch.no_grad():"]
    inner = chain(_loaded(shown) if built else (), _calls(shown, list(wanted)))
    lines += [f"{INDENT * built}{line}" for statement in inner for line in statement.split("\n")]
    for name, right in wanted.items():
        lines += ["", f"print({name}.round(decimals={decimals}) + 0.0)", *_comment(right, decimals)]
    return "\n".join(lines) + "\n"


def _construction(shown: Shown) -> str:
    sizes = [str(size) for size in shown.case["construct"]]
    return f"{shown.entry.name}({', '.join([*sizes, *_named(shown.case['arguments'])])})"


def _named(values: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


def _assigned(tensors: Mapping[str, torch.Tensor]) -> Iterator[str]:
    for name, tensor in tensors.items():
        yield f"{name} = torch.tensor({_literal(tensor)})"


def _loaded(shown: Shown) -> Iterator[str]:
    """Every weight goes where the code keeps it, and a bias that nobody asked for is 0, as in a check."""
    for role, index in shown.case["weights"].items():
        yield f"layer.{_place(shown.observation, role)}.copy_(torch.tensor({_literal(shown.tensors[index])}))"
    for name in shown.observation.biases:
        yield f"layer.{_reached(name)}.zero_()"


def _place(observation: Observation, role: str) -> str:
    found = pieces(observation, role)
    # Cut into several, or not a matrix: then by the contract's name, and the error says what is missing.
    return _written(found[0]) if len(found) == 1 and len(found[0].parameter.shape) <= 2 else own_name(role)


def _written(piece: Piece) -> str:
    return f"{_reached(piece.parameter.name)}{piece.part}{'.T' if piece.turned else ''}"


def _reached(name: str) -> str:
    """``W_Q.weight`` as it is; what stands in a list has no name of its own."""
    return name if all(part.isidentifier() for part in name.split(".")) else f'get_parameter("{name}")'


def _calls(shown: Shown, results: Sequence[str]) -> Iterator[str]:
    before, mode = shown.given(0), False
    called = "layer" if shown.entry.kind == "class" else shown.entry.name
    for number, call in enumerate(shown.case["calls"][: shown.number + 1]):
        given = shown.given(number)
        yield from _assigned({name: one for name, one in given.items() if one is not before.get(name)})
        if call["train"] is not mode:
            yield "layer.train()" if call["train"] else "layer.eval()"
        before, mode = {**before, **given}, call["train"]
        arguments = [*call["names"], *(f"{name}={name}" for name in call["kwargs"])]
        kept = f"{', '.join(results)} = " if number == shown.number else ""
        yield f"{kept}{called}({', '.join(arguments)})"


def _literal(tensor: torch.Tensor) -> str:
    """A tensor as one writes it; every row on a line of its own where it is long."""
    text = _nested(tensor.tolist(), _value)
    return text if len(text) <= WIDTH else text.replace("], [", f"],\n{INDENT}[")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    return f"{value:.0f}." if value == int(value) else f"{value:g}"


def _nested(values: Any, write: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_nested(one, write) for one in values)}]"
    return str(write(values + 0.0) if isinstance(values, float) else write(values))


def _comment(right: torch.Tensor, decimals: int) -> Iterator[str]:
    numbers = right.double().round(decimals=decimals)
    width = max((len(f"{value + 0.0:.{decimals}f}") for value in numbers.flatten().tolist()), default=0)
    text = _nested(numbers.tolist(), lambda value: f"{value:{width}.{decimals}f}")
    for number, row in enumerate(text.replace("], [", "],\n[").split("\n")):
        depth = right.dim() - len(row) + len(row.lstrip("["))
        yield f"# {'right: ' if number == 0 else ' ' * (7 + depth)}{row}"
