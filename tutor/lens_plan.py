"""What the attention lens has a layer do: take weights made by hand, and attend in one sentence. One case for each right order of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from checkers._shapes import sizes
from tutor.content import Case, Exercise, LensSetup
from tutor.handmade import LOOKS, projection, sentence
from tutor.meanings.axes import BATCH, HEADS, LENGTHS
from tutor.planning import Plan
from tutor.readings import Reading, readings
from tutor.sandbox.inside.places import BIAS
from tutor.trials import Lens


def through_lens(exercise: Exercise, setup: LensSetup, words: Sequence[str]) -> Exercise:
    """The exercise with the cases of the lens alone: two samples of so many words."""
    known = {name for case in exercise.cases for name in case.dims}
    lengths = {name: len(words) for name in LENGTHS if name in known}
    ahead = {BATCH: 2} if exercise.roles else {HEADS: setup.dims[HEADS]}
    count = len(readings(exercise)) or 1
    cases = (Case(name=f"lens-{number}", dims=ahead | lengths | dict(setup.dims)) for number in range(1, count + 1))
    return exercise.model_copy(update={"cases": tuple(cases)})


def lens_plan(exercise: Exercise, setup: LensSetup, trial: Lens) -> Plan:
    """The job for the cases of the lens.

    Args:
        exercise: as ``through_lens`` made it.
        setup: what it says about its lens.
        trial: what was asked for.
    """
    planner = _Planner(exercise, setup, trial)
    return Plan(
        entry={"kind": exercise.entry.kind, "name": exercise.entry.name},
        roles={role.name: role.aliases for role in exercise.roles},
        cases=tuple(planner.cases()),
        tensors=tuple(planner.tensors),
    )


class _Planner:
    """Makes tensors into one list; a case refers to them by index."""

    def __init__(self, exercise: Exercise, setup: LensSetup, trial: Lens) -> None:
        self._exercise, self._setup, self._trial = exercise, setup, trial
        self._words, self._dims = trial.words, exercise.cases[0].dims
        self._shapes = {role.name: sizes(role.shape, self._dims) for role in exercise.roles}
        biases = exercise.biases(exercise.cases[0]).items()
        self._biases = {f"{role}{BIAS}": sizes(axes, self._dims) for role, axes in biases}
        self.tensors: list[torch.Tensor] = []

    def cases(self) -> list[Mapping[str, Any]]:
        call, orders = self._call(), readings(self._exercise) or (None,)
        return [self._case(case, call, order) for case, order in zip(self._exercise.cases, orders, strict=True)]

    def _case(self, case: Case, call: Mapping[str, Any], order: Reading | None) -> Mapping[str, Any]:
        weights = {role: self._kept(self._weight(role, order)) for role in self._shapes}
        zeros = {role: self._kept(torch.zeros(shape)) for role, shape in self._biases.items()}
        off = dict.fromkeys(("construct_only", "record", "tape", "gradients", "fresh"), False)
        return off | {
            "name": case.name,
            "construct": [self._dims[name] for name in self._exercise.entry.constructor],
            "arguments": {},
            "shapes": {name: list(shape) for name, shape in (self._shapes | self._biases).items()},
            "weights": weights | zeros,
            "calls": [call],
            "dtype": "float32",
        }

    def _weight(self, role: str, order: Reading | None) -> torch.Tensor:
        kinds, (rows, width) = self._setup.weights[role].split(), self._shapes[role]
        d_k = rows // len(kinds) // len(LOOKS)
        weight = torch.cat([projection(kind, len(self._words), d_k, width) for kind in kinds])
        if order is None or order.role != role:
            return weight
        placed = torch.empty_like(weight)
        placed[order.rows(self._dims)] = weight
        return placed

    def _call(self) -> Mapping[str, Any]:
        entry, given = self._exercise.entry, self._setup.inputs
        if not self._trial.causal:
            given = {name: kind for name, kind in given.items() if kind != "causal"}
        made = {kind: self._kept(self._input(kind)) for kind in dict.fromkeys(given.values())}
        return {
            "args": [made[given[name]] for name in entry.positional],
            "names": list(entry.positional),
            "kwargs": {name: made[given[name]] for name in entry.keyword if name in given},
            "train": False,
        }

    def _input(self, kind: str) -> torch.Tensor:
        tokens = len(self._words)
        if kind == "causal":
            return torch.ones(tokens, tokens, dtype=torch.bool).tril()
        if not self._exercise.roles:
            return self._heads(kind)
        # The second sample is the first from its end: who mixes samples up gives other numbers for both.
        width = next(width for role, (_, width) in self._shapes.items() if "queries" in self._setup.weights[role])
        both = [sentence(self._words, width), sentence(self._words[::-1], width)]
        return torch.stack(both if kind == "sentence" else both[::-1])

    def _heads(self, kind: str) -> torch.Tensor:
        """What a layer would hand to a function: (4, T, d_k)."""
        tokens, d_k = len(self._words), self._dims["d_k"]
        made = sentence(self._words, 2 * d_k) @ projection(kind, tokens, d_k, 2 * d_k).T
        return made.reshape(tokens, len(LOOKS), d_k).transpose(0, 1).contiguous()

    def _kept(self, tensor: torch.Tensor) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1
