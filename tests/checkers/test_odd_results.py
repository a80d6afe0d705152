"""Whatever comes back, no kind of check raises: what a submission does can never break its verdict."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers import load_kind
from checkers.base import Finding, Foreign
from tests.checkers.making import failures, submission, worded
from tutor.expected import Reference
from tutor.judge import assess, facts
from tutor.model import Status
from tutor.observing import observe_here
from tutor.planning import plan

SLUGS = ("multi-head-attention", "scaled-dot-product-attention")
ODD = {
    "scalar": lambda item: item.sum(),
    "vector": lambda item: item.flatten(),
    "foreign": lambda item: Foreign("a value of type str"),
    "missing": None,
    "no axis": lambda item: item[0],
    "one more axis": lambda item: item.unsqueeze(0),
    "fewer": lambda item: item[..., :1],
    "empty": lambda item: item.flatten()[:0],
    "nan": lambda item: item * torch.nan,
    "infinity": lambda item: item / 0.0,
    "whole": lambda item: item.long(),
    "bytes": lambda item: item.to(torch.uint8),
    "truth": lambda item: item.bool(),
    "complex": lambda item: item.to(torch.complex64),
    "complex scalar": lambda item: item.to(torch.complex64).sum(),
    "half": lambda item: item.half(),
    "brain": lambda item: item.bfloat16(),
    "double": lambda item: item.double(),
}
RESULTS = {"returns", "rows_sum_to_one", "equals_reference", "keeps_precision", "heads_differ", "no_leakage"}


@pytest.fixture(scope="module", params=SLUGS)
def known(request, catalog):
    """An exercise, what its reference did in float32 like a submission, and what it did in float64."""
    exercise = catalog[request.param]
    planned = plan(exercise, 4)
    return exercise, observe_here(planned, exercise.reference), Reference(exercise).observe(planned)


def _with(observation, change, *, only, calls):
    """The observation with one of its results changed in its first or in its later calls, or in all."""

    def changed(call):
        items = list(call.items)
        items[only : only + 1] = [change(items[only])] if change else []
        return dataclasses.replace(call, items=tuple(items))

    made = [changed(call) if number in calls else call for number, call in enumerate(observation.calls)]
    return dataclasses.replace(observation, calls=tuple(made))


def _checks(exercise):
    return [check for milestone in exercise.milestones for check in milestone.checks]


@pytest.mark.parametrize("calls", [(0,), range(1, 9), range(9)], ids=["first", "later", "all"])
@pytest.mark.parametrize("odd", ODD)
def test_no_kind_raises(known, odd, calls):
    """Each check of each exercise is content or has a finding with every part filled, whatever one result is."""
    exercise, seen, expected = known
    about = facts(exercise, exercise.reference)
    for check in _checks(exercise):
        kind = load_kind(check.kind)
        reference = {case: expected[case] for case in check.cases} if kind.uses_reference else {}
        for only in range(len(exercise.entry.returns)):
            mine = {case: _with(seen[case], ODD[odd], only=only, calls=calls) for case in check.cases}
            found = kind.check(mine, reference, about, **check.options)
            assert found is None or isinstance(worded(found), Finding)


@pytest.mark.parametrize("odd", ["scalar", "foreign", "missing", "empty", "nan", "complex"])
def test_a_result_that_is_odd_in_one_case_fails(known, odd):
    """In whichever case it comes back, some check that looks at results fails; none is broken and nothing passes by it."""
    exercise, seen, expected = known
    cases = {case for check in _checks(exercise) if check.kind in RESULTS for case in check.cases}
    for case in cases:
        changed = {**seen, case: _with(seen[case], ODD[odd], only=-1 if odd != "missing" else 1, calls=range(9))}
        assert assess(exercise, exercise.reference, changed, expected).status is Status.FAILED, case


def test_a_sum_in_place_of_large_weights_is_a_finding(catalog):
    """Where no check of shapes came first, the check that looks at the rows says what came back."""
    exercise = catalog["scaled-dot-product-attention"]
    planned = plan(exercise, 4)
    line = next(line for line in exercise.reference.splitlines() if line.strip().startswith("return"))
    source = exercise.reference.replace(line, f"    if Q.abs().max() > 100:\n        weights = weights.sum()\n{line}")
    assessment = assess(exercise, source, observe_here(planned, source), Reference(exercise).observe(planned))
    assert failures(assessment) == {"softmax/large": ("weights-shape", None)}


@pytest.mark.parametrize(("nothing", "words"), [("()", "an empty tuple"), ("[]", "an empty list")])
def test_an_empty_tuple_is_said_to_be_one(judged, nothing, words):
    """It holds nothing to look at, and is no failure of the observer's."""
    source, _ = submission(last=f"return {nothing}")
    assessment = judged(source)
    (shapes,) = (check for m in assessment.milestones for check in m.checks if f"{m.id}/{check.id}" == "forward/shapes")
    assert (shapes.code, shapes.actual) == ("wrong-container", words)
