"""Several right readings of one answer: orders in which the rows of a weight may lie.

A fused projection keeps queries, keys and values in one matrix. Which rows are which is for its author to choose, and whoever reads the
rows in another order has written the same layer with another numbering. So a submission is held against the reference with the
rows of its weight put in the order in which the reference reads them: all that knows the reference, and every fault that is a
change of it, then serves all readings alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import torch

from checkers._shapes import sizes
from checkers.base import Call, Observation, Seen, Step
from tutor.content import Exercise
from tutor.meanings.axes import with_head_width
from tutor.planning import Plan, PlannedCase


@dataclass(frozen=True)
class Reading:
    """One right order of the rows of a role's weight.

    Args:
        role: whose rows.
        axes: the axes that the rows are made of, as the reference reads them.
        layout: the same axes as this reading has them.
        along: the axis whose entries may change places.
        order: of them.
    """

    role: str
    axes: tuple[str, ...]
    layout: tuple[str, ...]
    along: str
    order: tuple[int, ...]

    def rows(self, dims: Mapping[str, int]) -> torch.Tensor:
        """For each row that the reference reads, the number of the row that holds it in this reading.

        None where the width cannot be shared out: there is nothing to read, since the right answer refuses such sizes.
        """
        try:
            shape = sizes(" ".join(self.layout), with_head_width(dims))
        except ValueError:
            return torch.arange(0)
        numbered = (
            torch.arange(math.prod(shape)).reshape(shape).permute([self.layout.index(axis) for axis in self.axes])
        )
        if self.along:
            numbered = numbered.index_select(self.axes.index(self.along), torch.tensor(self.order))
        return numbered.flatten()

    def plan(self, exercise: Exercise, planned: Plan) -> Plan:
        """The attempt with the rows of its weights in the reference's order."""
        tensors = list(planned.tensors)
        cases = tuple(self._case(case, self.rows(exercise.case(case["name"]).dims), tensors) for case in planned.cases)
        return replace(planned, cases=cases, tensors=tuple(tensors))

    def _case(self, case: PlannedCase, rows: torch.Tensor, tensors: list[torch.Tensor]) -> PlannedCase:
        if self.role not in case["weights"] or not len(rows):
            return case
        tensors.append(tensors[case["weights"][self.role]][rows])
        return {**case, "weights": {**case["weights"], self.role: len(tensors) - 1}}

    def seen(self, exercise: Exercise, seen: Seen) -> Seen:
        """What was observed, as if the rows lay in the reference's order: gradients, and what the tape shows of whole rows."""
        dims = {case.name: case.dims for case in exercise.cases}
        return {
            name: self._observation(one, self.rows(dims[name])) if name in dims else one for name, one in seen.items()
        }

    def _observation(self, observation: Observation, rows: torch.Tensor) -> Observation:
        calls = tuple(self._call(call, rows) for call in observation.calls)
        return replace(observation, calls=calls, tape=tuple(_step(step, rows) for step in observation.tape))

    def _call(self, call: Call, rows: torch.Tensor) -> Call:
        mine = call.gradients.get(self.role)
        if mine is None or not mine.dim() or len(mine) != len(rows):
            return call
        return replace(call, gradients={**call.gradients, self.role: mine[rows]})


def readings(exercise: Exercise) -> tuple[Reading, ...]:
    """All right readings, the reference's own first; none where there is but one."""
    told = exercise.readings
    if told is None:
        return ()
    layouts = [tuple(layout.split()) for layout in told.layouts]
    orders = permutations(range(int(told.any_order))) if told.any_order else [()]
    return tuple(
        Reading(told.role, layouts[0], layout, told.any_order, order) for order in orders for layout in layouts
    )


def _step(step: Step, rows: torch.Tensor) -> Step:
    """What is as wide as there are rows is what the weight made, before anything was cut from it."""
    value = step.value
    if value is None or not value.dim() or not len(rows) or value.shape[-1] != len(rows):
        return step
    return replace(step, value=value[..., rows])
