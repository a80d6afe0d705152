"""The tape: what the worker notes, and where it leaves the stages of the reference."""

from __future__ import annotations

import pytest
import torch

from checkers.base import Step
from tutor.expected import Reference
from tutor.lookup import Lookup
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.proof import changed
from tutor.sandbox.inside.tape import STEPS, Tape
from tutor.situations import situations
from tutor.tape import Alignment
from tutor.traps import Variant

EINSUM = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, Q, K, V, mask=None):
        cut = lambda x: x.unflatten(-1, (self.h, -1))
        q, k, v = cut(self.W_Q(Q)), cut(self.W_K(K)), cut(self.W_V(V))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / (q.shape[-1] ** 0.5)
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(float("-inf")))
        weights = scores.softmax(-1)
        context = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
        return self.W_O(context), weights
"""


@pytest.fixture(scope="module")
def aligned(exercise):
    """Source → its first tape beside the reference, and where it departs."""
    diagnoser, planned = Reference(exercise).diagnoser(exercise), plan(exercise, 3)
    stages = diagnoser.dictionary.stages

    def align(source):
        seen = observe_here(planned, source)
        known = situations(exercise, planned, seen, stages.results, diagnoser.build)
        first = next(one for one in known if one.tape and one.case in ("plain", "lengths"))
        alignment = Alignment(first, diagnoser.dictionary.values((), first))
        return alignment, alignment.departure(stages, stages.reference)

    return align


def test_every_stage_of_another_style_is_found_on_its_line(aligned):
    """Axes in another order are the same numbers; nothing departs."""
    alignment, departure = aligned(EINSUM)
    assert {stage: alignment.line(stage) for stage in ("q", "q_heads", "scores", "scaled", "attn_w", "context", "output")} == {
        "q": 15, "q_heads": 14, "scores": 16, "scaled": 17, "attn_w": 20, "context": 21, "output": 22,
    }  # fmt: skip
    assert departure is None


def test_a_departure_is_placed_behind_the_last_right_stage(aligned):
    """An unknown scale: the scores are right, the line of the division is not."""
    _, departure = aligned(EINSUM.replace("** 0.5)", "** 0.7)"))
    assert (departure.right, departure.right_line, departure.missing, departure.line) == ("scores", 16, "scaled", 17)


def test_a_direct_view_is_no_split(aligned):
    """The same numbers in memory are not the same numbers in a head."""
    source = EINSUM.replace("x.unflatten(-1, (self.h, -1))", "x.view(len(x), self.h, x.size(1), -1).transpose(1, 2)")
    _, departure = aligned(source)
    assert departure.missing == "q_heads"
    assert departure.right == "q"


def test_a_fault_beside_the_weights_is_placed_there(exercise, aligned):
    """The values are turned round before they are mixed: the weights are right, the line with the values is not."""
    source = changed(exercise.reference, Variant(replace={"v_heads": "{}.flip(-1)"}), exercise)
    _, departure = aligned(source)
    assert departure.missing == "context"
    assert ".flip" in source.splitlines()[departure.line - 1]


def test_a_call_that_raises_leaves_its_tape(exercise):
    """The operation under way, its shapes, and everything before it."""
    source = EINSUM.replace("weights, v).flatten(2)", "weights, v).flatten(2) @ weights")
    observation = observe_here(plan(exercise, 3), source)["plain"]
    assert observation.fault.operation in ("matmul", "__matmul__")
    assert observation.fault.shapes == ((2, 7, 15), (2, 3, 7, 7))
    assert observation.tape[-1].line == 21
    assert observation.tape[-1].value is None


def _taped(work, **known):
    tape = Tape(known)
    with tape:
        work()
    return tape.steps


def test_a_step_knows_what_it_was_given():
    """Inputs by name, earlier steps by number, strangers as such."""
    x, stranger = torch.ones(2, 2), torch.ones(2, 2)
    steps = _taped(lambda: (x @ x) + stranger, Q=x)
    assert [step["takes"] for step in steps] == [["Q", "Q"], [0, "?"]]


def test_a_device_by_name_is_told_from_a_device_object():
    """Naming one is a fault, following the input's is not."""
    x = torch.ones(2)
    steps = _taped(
        lambda: (torch.zeros(2), torch.zeros(2, device="cpu"), torch.zeros(2, device=x.device), x.to("cpu")), Q=x
    )
    assert [step["device"] for step in steps] == ["", "text", "object", "text"]


def test_a_changed_tensor_is_the_step_that_changed_it():
    """What is written into a tensor in place is a result of its own."""
    x = torch.zeros(2, 2)

    def work():
        y = x * 1
        y[0] = 5.0
        return y + 1

    assert [(step["name"], step["takes"]) for step in _taped(work, Q=x)] == [
        ("mul", ["Q"]), ("__setitem__", [0]), ("add", [1]),
    ]  # fmt: skip


def test_a_tape_is_bounded():
    """However long a loop runs, only so much is kept."""
    x = torch.zeros(2)
    assert len(_taped(lambda: [x + 1 for _ in range(STEPS * 2)], Q=x)) == STEPS


def test_a_value_is_found_merged_and_turned():
    """(B, h, T, d) as (B·h, T, d) or (B, T, h, d) is the same; with the memory read another way it is not."""
    value = torch.randn(2, 3, 4, 5)
    forms = [value.flatten(0, 1), value.transpose(1, 2).contiguous(), value.reshape(2, 4, 3, 5), value + 0.1]
    lookup = Lookup([Step("x", 1, value=form) for form in forms])
    assert lookup.steps(value) == (0, 1)
