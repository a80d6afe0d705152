"""What comes after a pass: how close the numbers are to the reference's and to those of the library, and a question about one's own code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from checkers.base import Call, Ending, Seen
from tutor.content import Case, Exercise
from tutor.errors import ContentError
from tutor.model import AfterPass
from tutor.near import distance
from tutor.own_question import Run, own_question
from tutor.planning import Plan, PlannedCase
from tutor.quiz import Question

Library = Callable[..., Any]


class Afterwards:
    """Looks at submissions that passed.

    Args:
        exercise: what was asked. Its ``library`` is a file with a function of that name, which takes the named sizes, the weights by role and the inputs
            by name, and gives the first result as the library makes it.

    Raises:
        ContentError: that file does not load.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._library = _loaded(exercise)

    def look(self, planned: Plan, source: str, seen: Seen, expected: Seen, seed: int) -> AfterPass:
        """What to tell about a submission that passed.

        Args:
            planned: the attempt.
            source: the submission.
            seen: what it did.
            expected: what the reference did.
            seed: of the attempt; it chooses the question.
        """
        pairs = [
            (mine, right)
            for case in planned.cases
            if not (case["construct_only"] or case["fresh"]) and _returned(seen, case)
            for call, mine, right in zip(
                case["calls"], seen[case["name"]].calls, expected[case["name"]].calls, strict=True
            )
            if not call["train"]
        ]
        return AfterPass(
            calls=len(pairs),
            from_reference=max((_apart(mine, right) for mine, right in pairs), default=0.0),
            from_library=self._from_library(planned, seen),
            question=self._question(source, seen, seed),
        )

    def from_reference(self, planned: Plan, expected: Seen) -> float | None:
        """How far the library is from the reference itself; None where the exercise has no library."""
        return self._from_library(planned, expected)

    def _from_library(self, planned: Plan, seen: Seen) -> float | None:
        """The largest difference in the first call of the first case."""
        case = next((one for one in planned.cases if not (one["construct_only"] or one["fresh"])), None)
        if self._library is None or case is None or case["name"] not in seen:
            return None
        tensors = [t.double() if t.is_floating_point() else t for t in planned.tensors]
        weights = {role: tensors[index] for role, index in case["weights"].items()}
        with torch.no_grad():
            made = self._library(self._exercise.case(case["name"]).dims, weights, **_inputs(case, tensors))
        return distance(_tensors(seen[case["name"]].calls[0])[0].double(), made)

    def _question(self, source: str, seen: Seen, seed: int) -> Question | None:
        taped = (case for case in self._exercise.cases if case.tape and case.name in seen and seen[case.name].tape)
        case: Case | None = next(taped, None)
        return None if case is None else own_question(source, Run(seen[case.name].tape, case.dims), seed)


def _loaded(exercise: Exercise) -> Library | None:
    if not exercise.library:
        return None
    scope: dict[str, Any] = {"__name__": "library"}
    file = f"{exercise.slug}/library.py"
    try:
        # Ours: content of this project, never a submission's text.
        exec(compile(exercise.library, file, "exec"), scope)  # noqa: S102
    except Exception as error:
        raise ContentError(file, "", f"cannot be loaded: {type(error).__name__}: {error}") from error
    found: Library | None = scope.get("library")
    if found is None:
        raise ContentError(file, "", "must define a function library(dims, weights, …).")
    return found


def _inputs(case: PlannedCase, tensors: list[torch.Tensor]) -> Mapping[str, torch.Tensor]:
    call = case["calls"][0]
    indices = dict(zip(call["names"], call["args"], strict=True)) | call["kwargs"]
    return {name: tensors[index] for name, index in indices.items()}


def _returned(seen: Seen, case: PlannedCase) -> bool:
    return case["name"] in seen and seen[case["name"]].ending is Ending.RETURNED


def _apart(mine: Call, right: Call) -> float:
    """The largest difference of all results, relative where numbers are large; a row that may attend to nothing is NaN and not compared."""
    pairs = zip(_tensors(mine), _tensors(right), strict=True)
    return max((apart for one, other in pairs if math.isfinite(apart := distance(one.double(), other))), default=0.0)


def _tensors(call: Call) -> list[torch.Tensor]:
    return [item for item in call.items if isinstance(item, torch.Tensor)]
