"""Several right readings of one answer: which rows of a weight are which is for the author of a submission to choose."""

from __future__ import annotations

from itertools import permutations, product

import pytest
import torch

from checkers.base import Call, Ending, Observation, Step
from tutor.catalog import load_exercise
from tutor.coherence import check_parts
from tutor.content import Readings
from tutor.diagnose import Diagnoser
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.judge import assess
from tutor.model import Status
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.reader import Reader
from tutor.readings import Reading, readings
from tutor.settings import PROJECT

CUTS = {
    "3 h d_k": "fused.view(B, T, 3, self.h, self.d_k).permute(2, 0, 3, 1, 4)",
    "h 3 d_k": "fused.view(B, T, self.h, 3, self.d_k).permute(3, 0, 2, 1, 4)",
    "h d_k 3": "fused.view(B, T, self.h, self.d_k, 3).permute(4, 0, 2, 1, 3)",
}
PROGRAM = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, _ = x.shape
        fused = self.W_qkv(x)
        NAMES = CUT
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        weights = scores.softmax(-1)
        context = weights @ v
        return self.W_o(context.transpose(1, 2).flatten(2))
"""
ALL = list(product(CUTS, permutations("qkv")))


class _Bench:
    """Judges and explains a source in this process, as the checker does behind its walls."""

    def __init__(self, exercise):
        self.exercise, self.reference = exercise, Reference(exercise)
        self.diagnoser: Diagnoser = self.reference.diagnoser(exercise)
        self.reader = Reader.of(self.diagnoser)

    def read(self, source, seed=11):
        planned = plan(self.exercise, seed)
        return self.reader.read(planned, observe_here(planned, source))

    def assess(self, source, seed=11):
        planned, seen = self.read(source, seed)
        return assess(self.exercise, source, seen, self.reference.observe(planned))

    def traps(self, source):
        planned, seen = self.read(source)
        found = assess(self.exercise, source, seen, self.reference.observe(planned))
        diagnosis = self.diagnoser.explain(planned, source, seen, found).diagnosis
        return diagnosis.traps if diagnosis else ()


@pytest.fixture(scope="module")
def fused():
    return load_exercise(PROJECT / "exercises" / "fused-qkv-attention", PROJECT / "reference")


@pytest.fixture(scope="module")
def bench(fused):
    return _Bench(fused)


def _program(layout, names, *edits):
    source = PROGRAM.replace("NAMES", ", ".join(names)).replace("CUT", CUTS[layout])
    for old, new in edits:
        assert old in source
        source = source.replace(old, new)
    return source


def _failed(assessment):
    return [f"{m.id}/{c.id}" for m in assessment.milestones for c in m.checks if c.status is Status.FAILED]


@pytest.mark.parametrize(("layout", "names"), ALL)
def test_every_layout_is_right(bench, layout, names):
    """All 18 orders of rows pass every check, gradients included."""
    assert _failed(bench.assess(_program(layout, names))) == []


def test_each_right_program_has_the_numbers_of_one_reading_only(fused):
    """No two readings are the same layer, so none stands in for another."""
    reference, planned = Reference(fused), plan(fused, 3)
    outputs = [reference.observe(one.plan(fused, planned))["plain"].calls[0].items[0] for one in readings(fused)]
    assert len(outputs) == 18
    for number, one in enumerate(outputs):
        assert not any(torch.allclose(one, other, atol=1e-3) for other in outputs[:number])


@pytest.mark.parametrize(("layout", "names"), ALL[::5])
@pytest.mark.parametrize(
    ("edits", "fault"),
    [
        ([(" / self.d_k**0.5", "")], "missing-scale"),
        ([("softmax(-1)", "softmax(-2)")], "softmax-over-queries"),
        ([("context.transpose(1, 2).flatten(2)", "context.reshape(x.shape)")], "merge-without-transpose"),
        ([("fused = self.W_qkv(x)", "fused = torch.relu(self.W_qkv(x))")], "activation-added"),
    ],
)
def test_a_fault_is_recognised_in_every_layout(bench, layout, names, edits, fault):
    """Which fault it is does not depend on where its author keeps the rows."""
    assert bench.traps(_program(layout, names, *edits)) == (fault,)


@pytest.mark.parametrize(
    "edit",
    [
        ("        q, k, v =", "        if self.h == 2:\n            fused = fused.unflatten(-1, (3, -1)).flip(-2).flatten(-2)\n        q, k, v ="),
        ("        q, k, v =", "        if T == 9:\n            fused = fused.unflatten(-1, (3, -1)).roll(1, -2).flatten(-2)\n        q, k, v ="),
    ],
)  # fmt: skip
def test_all_cases_are_held_against_the_same_reading(bench, edit):
    """A program that reads its rows in one order here and in another there is wrong, though each order is right."""
    assert _failed(bench.assess(_program("3 h d_k", "qkv", edit)))


def test_what_never_ran_is_read_as_the_reference_is(bench):
    """Without anything observed nothing is reordered."""
    planned = plan(bench.exercise, 2)
    seen = observe_here(planned, "class MultiHeadAttention(")
    assert bench.reader.read(planned, seen) == (planned, seen)


def test_an_exercise_without_readings_is_left_alone(exercise):
    """Where there is one reading, neither attempt nor observation is touched."""
    bench, planned = _Bench(exercise), plan(exercise, 2)
    seen = observe_here(planned, exercise.reference)
    read = bench.reader.read(planned, seen)
    assert read[0] is planned
    assert read[1] is seen
    assert readings(exercise) == ()


DIMS = {"h": 2, "d_model": 4}


def test_rows_lead_from_the_reference_to_the_submission():
    """Head by head with the value first: the reference's first row is the submission's second part of the first head."""
    reading = Reading("W_qkv", ("3", "h", "d_k"), ("h", "3", "d_k"), "3", (1, 2, 0))
    assert reading.rows(DIMS).tolist() == [2, 3, 8, 9, 4, 5, 10, 11, 0, 1, 6, 7]


def test_the_first_reading_is_the_reference_itself(fused):
    """It reads every row where it is."""
    assert readings(fused)[0].rows(DIMS).tolist() == list(range(12))


def test_sizes_that_cannot_be_shared_out_have_no_rows():
    """The right answer refuses them, so there is nothing to read."""
    assert not len(Reading("W_qkv", ("3", "h", "d_k"), ("h", "3", "d_k"), "3", (0, 1, 2)).rows({"h": 4, "d_model": 14}))


def test_gradients_and_whole_rows_on_the_tape_are_put_in_order(fused):
    """What has no rows of the weight stays as it is."""
    reading = Reading("W_qkv", ("3", "h", "d_k"), ("h", "3", "d_k"), "3", (0, 1, 2))
    rows = reading.rows(fused.case("plain").dims)
    weight, wide, narrow = torch.randn(60, 20), torch.randn(2, 7, 60), torch.randn(2, 7, 20)
    call = Call("tensor", (narrow,), gradients={"W_qkv": weight, "W_o": narrow, "x": None})
    steps = (
        Step("linear", 3, value=wide),
        Step("view", 4, value=narrow),
        Step("item", 5),
        Step("sum", 6, value=wide.sum()),
    )
    seen = {
        "plain": Observation("plain", Ending.RETURNED, calls=(call,), tape=steps),
        "load": Observation("load", Ending.RETURNED),
    }
    read = reading.seen(fused, seen)
    assert torch.equal(read["plain"].calls[0].gradients["W_qkv"], weight[rows])
    assert read["plain"].calls[0].gradients["W_o"] is narrow
    assert torch.equal(read["plain"].tape[0].value, wide[..., rows])
    assert [step.value for step in read["plain"].tape[1:]] == [narrow, None, steps[3].value]
    assert read["load"] is seen["load"]


def test_a_gradient_of_another_shape_stays_as_it_is(fused):
    """It is wrong whatever its order; the check on gradients says so."""
    reading = readings(fused)[1]
    for odd in (torch.tensor(1.0), torch.randn(7, 20), None):
        call = Call("tensor", (), gradients={"W_qkv": odd})
        read = reading.seen(fused, {"plain": Observation("plain", Ending.RETURNED, calls=(call,))})
        assert read["plain"].calls[0] is call


@pytest.mark.parametrize(
    ("told", "key", "problem"),
    [
        ({"role": "W_QKV"}, "readings.role", "“W_QKV” is no role; allowed: W_qkv, W_o"),
        ({"layouts": ("3 h d_k", "h 3")}, "readings.layouts.1", "“h 3” is no order of the axes of the first: 3, h, d_k"),
        ({"layouts": ("3 h d_k", "3 h d_k")}, "readings.layouts", "appears more than once"),
        ({"layouts": ("3 h h",)}, "readings.layouts.0", "appears more than once"),
        ({"layouts": ("2 h d_k",), "any_order": "2"}, "readings.layouts.0", "makes 1024 rows in case count-h8, where W_qkv has 1536"),
        ({"layouts": ("3 h d_v",)}, "readings.layouts.0", "has no size in any case"),
        ({"any_order": "h"}, "readings.any_order", "“h” is no axis of 2 to 4 entries that is written as a number; allowed: 3"),
    ],
)  # fmt: skip
def test_readings_that_do_not_fit_are_complained_about(fused, told, key, problem):
    """The complaint names the key and what is allowed."""
    changed = fused.model_copy(update={"readings": fused.readings.model_copy(update=told)})
    with pytest.raises(ContentError) as complaint:
        check_parts(changed, "fused/exercise.toml")
    assert complaint.value.key == key
    assert problem in str(complaint.value)


def test_readings_need_a_case_that_tells_them_apart(fused):
    """Without a tape nobody could say which one a failing submission has."""
    cases = tuple(case.model_copy(update={"tape": False}) for case in fused.cases)
    with pytest.raises(ContentError, match="tape = true"):
        check_parts(fused.model_copy(update={"cases": cases}), "fused/exercise.toml")


def test_without_any_order_only_layouts_count(fused):
    """Three layouts and no free order make three readings."""
    told = Readings(role="W_qkv", layouts=fused.readings.layouts)
    assert len(readings(fused.model_copy(update={"readings": told}))) == 3
