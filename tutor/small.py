"""The smallest example: tiny cases in which the learner's numbers stand beside the right ones, the simplest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from checkers import load_kind
from checkers._numbers import near
from checkers._shapes import plain, spelled
from checkers.base import About, Call, Ending, Foreign, Observation, Seen
from checkers.equals_reference import TOLERANCE
from tutor.content import LOAD, Case, Exercise
from tutor.diagnose import Diagnoser
from tutor.expected import Reference
from tutor.grids import grid_of
from tutor.inputs import axes_of
from tutor.judge import facts
from tutor.legible import as_read, legible
from tutor.planning import Plan, PlannedCase, joined, plan
from tutor.reader import Reader
from tutor.sandbox.inside.places import BIAS
from tutor.scratch import why_stopped
from tutor.snippet import Shown, snippet
from tutor.trials import Compared, Example, Given, Stopped

# Runs of one trial: each example is drawn once, or several times, so that no fault hides behind one draw.
MOST_CASES, MOST_DRAWS = 12, 3
# A tensor with more numbers than this is not shown.
MOST_NUMBERS = 128
MOST_DECIMALS = 6
NO_PLACE = frozenset({"matrix-missing", "matrix-shape", "layers-in-plain-list"})


class SmallCases:
    """The small cases of one exercise.

    Args:
        exercise: with its examples.
        reference: gives the right numbers.
        diagnoser: knows what finds out in which order a submission reads its rows.
    """

    def __init__(self, exercise: Exercise, reference: Reference, diagnoser: Diagnoser) -> None:
        self._reference = reference
        draws = min(MOST_DRAWS, MOST_CASES // max(len(exercise.examples), 1)) or 1
        self._cases = tuple(
            case.model_copy(update={"name": f"example-{number}-{draw}"})
            for number, case in enumerate(exercise.examples)
            for draw in range(draws)
        )
        # Which rows are which is found out as in a check: a few whole numbers alone may fit several orders.
        self._told = tuple(case for case in exercise.cases if case.tape) if exercise.readings else ()
        self._exercise = exercise.model_copy(update={"cases": (*self._cases, *self._told)})
        self._reader = Reader(self._exercise, diagnoser.dictionary, diagnoser.build)

    def plan(self, seed: int) -> Plan:
        """Draw every case with whole numbers of its own."""
        plans = [plan(self._only(case), seed + number, whole=True) for number, case in enumerate(self._cases)]
        return joined([*plans, plan(self._only(*self._told), seed)])

    def example(self, planned: Plan, source: str, seen: Seen) -> Example:
        """The first case in which the code stops or gives other numbers; the very first one where there is none.

        Args:
            planned: what ``plan`` drew.
            source: the learner's file.
            seen: what it did.
        """
        about, seen = facts(self._exercise, legible(source, seen)), as_read(source, seen)
        if seen[LOAD].ending is not Ending.RETURNED:
            return Example(stopped=why_stopped(seen[LOAD], about))
        read, _ = self._reader.read(planned, seen)
        expected = self._reference.observe(read)
        looks = [_Look(self._exercise, case, planned, about) for case in self._cases]
        with torch.no_grad():
            for number, look in enumerate(looks, start=1):
                fault = look.fault(seen[look.case.name], expected[look.case.name])
                if fault is not None:
                    return fault.model_copy(update={"looked_at": number})
            firsts = (look.first(seen[look.case.name], expected[look.case.name]) for look in looks)
            return next(firsts, Example()).model_copy(update={"looked_at": len(looks)})

    def _only(self, *cases: Case) -> Exercise:
        return self._exercise.model_copy(update={"cases": cases})


@dataclass(frozen=True)
class _Look:
    """A look at one case."""

    exercise: Exercise
    case: Case
    planned: Plan
    about: About

    def fault(self, mine: Observation, right: Observation) -> Example | None:
        """The first call that differs, or in which the code stops; None where there is none."""
        if mine.calls and (no_place := self._no_place(mine)) is not None:
            return self._example(mine, right, 0, stopped=no_place)
        for number, (call, other) in enumerate(zip(mine.calls, right.calls, strict=False)):
            compared = self._compared(call, other, number)
            if any(one.differs for one in compared):
                return self._example(mine, right, number, compared)
        if mine.ending is not Ending.RETURNED:
            number = min(len(mine.calls), len(right.calls) - 1)
            return self._example(mine, right, number, stopped=why_stopped(mine, self.about))
        return None

    def first(self, mine: Observation, right: Observation) -> Example:
        """The first call, in which nothing is wrong."""
        return self._example(mine, right, 0, self._compared(mine.calls[0], right.calls[0], 0))

    def _example(
        self,
        mine: Observation,
        right: Observation,
        number: int,
        compared: Sequence[Compared] = (),
        stopped: Stopped | None = None,
    ) -> Example:
        shown = Shown(self.exercise.entry, self._planned, self.planned.tensors, mine, number)
        wanted: dict[str, Any] = dict(zip(self.exercise.entry.returns, right.calls[number].items, strict=True))
        decimals = max((one.decimals for one in compared), default=2)
        return Example(
            stopped=stopped,
            differs=any(one.differs for one in compared),
            dims=self.case.dims_of(number),
            arguments=self.case.arguments,
            call=number + 1,
            train=self._planned["calls"][number]["train"],
            given=tuple(self._given(shown)),
            compared=tuple(compared),
            snippet=snippet(shown, wanted, decimals),
        )

    @property
    def _planned(self) -> PlannedCase:
        return next(case for case in self.planned.cases if case["name"] == self.case.name)

    def _no_place(self, mine: Observation) -> Stopped | None:
        """Why the weights could not be put in: the numbers would say nothing then."""
        finding = load_kind("matrices").check({mine.case: mine}, {}, self.about) if self.exercise.roles else None
        if finding is None or finding.code not in NO_PLACE:
            return None
        return Stopped(message=finding.message, next_step=finding.next_step, line=finding.line)

    def _given(self, shown: Shown) -> Iterator[Given]:
        dims = self.case.dims_of(shown.number)
        axes = {f"{role.name}.weight": role.shape for role in self.exercise.roles}
        axes |= {f"{role}{BIAS}": bias for role, bias in self.exercise.biases(self.case).items()}
        inputs = shown.given()
        axes |= {name: spelled(axes_of(self._recipe(name, shown.number)), dims) for name in inputs}
        for name, tensor in (shown.weights() | inputs).items():
            truths = tensor.dtype is torch.bool
            yield Given(name=name, axes=tuple(axes[name].split()), grid=grid_of(tensor, MOST_DECIMALS), truths=truths)

    def _recipe(self, name: str, number: int) -> str:
        """The newest recipe that says what shape an input has."""
        told = [self.case.recipes(call).get(name, "none") for call in range(number, -1, -1)]
        return next(recipe for recipe in told if recipe.split()[0] not in {"none", "renew"})

    def _compared(self, mine: Call, right: Call, number: int) -> tuple[Compared, ...]:
        dims = self.case.dims_of(number)
        items = [*mine.items, *[Foreign("nothing")] * len(right.items)]
        return tuple(
            _beside(name, tuple(spelled(axes, dims).split()), item, wanted)
            for (name, axes), item, wanted in zip(self.exercise.entry.returns.items(), items, right.items, strict=False)
        )


def _beside(name: str, axes: tuple[str, ...], item: Any, wanted: Any) -> Compared:
    right = grid_of(wanted, MOST_DECIMALS)
    if isinstance(item, Foreign):
        return Compared(name=name, axes=axes, wanted=right, instead=item.what)
    if item.is_complex():
        return Compared(name=name, axes=axes, wanted=right, instead="complex numbers")
    if item.numel() > MOST_NUMBERS:
        return Compared(name=name, axes=axes, wanted=right, instead=f"a tensor of shape {plain(tuple(item.shape))}")
    mine = item.double()
    if mine.shape != wanted.shape:
        return Compared(name=name, axes=axes, wanted=right, mine=grid_of(mine, MOST_DECIMALS))
    # As in a check; what is right where nothing may be attended to is for nobody to say.
    apart = (~near(mine, wanted, TOLERANCE) & wanted.isfinite()).flatten()
    decimals = _decimals(mine.flatten()[apart], wanted.flatten()[apart])
    visible = _reads_apart(mine.flatten(), wanted.flatten(), decimals) & apart
    return Compared(
        name=name,
        axes=axes,
        wanted=right,
        mine=grid_of(mine, MOST_DECIMALS),
        apart=tuple(visible.nonzero().flatten().tolist()),
        decimals=decimals,
    )


def _decimals(mine: torch.Tensor, wanted: torch.Tensor) -> int:
    """How many show that numbers differ; where some of them read differently, the smaller differences may stay unseen."""
    fewest = range(2, MOST_DECIMALS)
    return next((one for one in fewest if not len(mine) or bool(_reads_apart(mine, wanted, one).any())), MOST_DECIMALS)


def _reads_apart(mine: torch.Tensor, wanted: torch.Tensor, decimals: int) -> torch.Tensor:
    return mine.round(decimals=decimals) != wanted.round(decimals=decimals)
