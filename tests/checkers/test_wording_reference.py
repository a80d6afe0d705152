"""What findings say of results that differ from the reference: how far, where, and in which call."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Foreign, Step
from tests.checkers.making import ABOUT, call, find, results, seen

FUNCTION = dataclasses.replace(ABOUT, entry="attend", kind="function", roles={})
OUTPUT, MAPS = results()
WHERE = "(h = 3; positions count from 0)."


def _double(*items):
    return call(*(item.double() for item in items))


RIGHT = _double(OUTPUT, MAPS)


def test_a_difference_is_said_with_its_place_and_both_numbers():
    """The largest one, by sample, head, query and key; no sign on nothing."""
    output, maps = OUTPUT.clone(), MAPS.clone()
    output[1, 2, 4] += 2.5
    output[0, 0, 0] += 1
    found = find("equals_reference", seen(call(output, maps)), seen(RIGHT))
    place = "sample 1, query 2, feature 4"
    assert found.message == f"output differs from the reference by up to 2.5, most at {place} {WHERE}"
    assert (found.expected, found.actual) == (f"{float(OUTPUT[1, 2, 4]):.5g}", f"{float(output[1, 2, 4]):.5g}")
    maps[1, 2, 0, 3] = -0.0
    found = find("equals_reference", seen(call(OUTPUT, maps)), seen(RIGHT))
    assert f"most at sample 1, head 2, query 0, key 3 {WHERE}" in found.message
    assert found.actual == "0"


@pytest.mark.parametrize(
    ("axes", "place"),
    [
        ("T d_model", "token 1, feature 0."),
        ("n d_k", "token 1, feature 0."),
        ("B d_v", "sample 1, feature 0."),
        ("T_q T_k", "query 1, key 0."),
        ("... x", "sample 1, x 0."),
    ],
)
def test_places_are_said_in_words(axes, place):
    """An axis without a word keeps its name; positions need no explanation where there are no heads."""
    dims = dict.fromkeys(("B", *axes.replace("...", "B").split()), 2)
    about = dataclasses.replace(ABOUT, returns={"output": axes}, dims={"a": dims})
    wanted = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    mine = wanted + torch.tensor([[0.0, 0.0], [1.0, 0.0]])
    found = find("equals_reference", seen(call(mine, container="tensor")), seen(_double(wanted)), about=about)
    assert found.message == f"output differs from the reference by up to 1, most at {place}"


@pytest.mark.parametrize(
    ("items", "message", "expected", "actual"),
    [
        ((OUTPUT,), "1 result came back in this situation.", "output and attn_w", "1 result"),
        ((OUTPUT, MAPS, MAPS), "3 results came back in this situation.", "output and attn_w", "3 results"),
        ((OUTPUT, Foreign("a list")), f"attn_w is a list, not a tensor {WHERE}", "(2, 3, 3, 4) = (B, h, T_q, T_k)", "a list"),
        ((OUTPUT, MAPS * torch.nan), f"attn_w contains NaN or infinity {WHERE}", "finite numbers", "NaN or infinity"),
        ((OUTPUT, MAPS[0]), f"attn_w has another shape {WHERE}", "(2, 3, 3, 4) = (B, h, T_q, T_k)", "(3, 3, 4)"),
        ((OUTPUT, MAPS + 0j), "attn_w comes back as complex64, although inputs and weights are float32.", "float32", "complex64"),
        ((OUTPUT, MAPS.double()[0]), "attn_w comes back as float64, although inputs and weights are float32.", "float32", "float64"),
        ((OUTPUT, MAPS.double() * torch.nan), f"attn_w contains NaN or infinity {WHERE}", "finite numbers", "NaN or infinity"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(items, message, expected, actual):
    """How many, whether finite, their type and their shape come before any comparison, in that order."""
    found = find("equals_reference", seen(call(*items)), seen(RIGHT))
    assert (found.message, found.expected, found.actual) == (message, expected, actual)
    assert (found.next_step == "Return the same things from every path through forward.") is (len(items) != 2)


@pytest.mark.parametrize(
    ("about", "message"),
    [(ABOUT, "In call 2 on the same module: output differs"), (FUNCTION, "In call 2: output differs")],
)
def test_a_later_call(about, message):
    """A function is no module; sizes are named only where they changed."""
    found = find("equals_reference", seen(call(), call(OUTPUT + 1, MAPS)), seen(RIGHT, RIGHT), about=about)
    assert found.message.startswith(message)


def test_where_to_look_when_there_is_one_result():
    """Nothing else that could be right tells where not to look."""
    about = dataclasses.replace(ABOUT, returns={"output": "B T_q d_model"})
    mine, wanted = call(OUTPUT + 1, container="tensor"), seen(_double(OUTPUT))
    assert (
        find("equals_reference", seen(mine), wanted, about=about, weights_differ="Look here.").next_step == "Look here."
    )


def test_a_later_call_with_fewer_results():
    """Their number is what is said of them, and nothing is called stale."""
    found = find("equals_reference", seen(call(), call(OUTPUT)), seen(RIGHT, RIGHT))
    assert found.code == "differs-from-reference"
    assert found.message == "In call 2 on the same module: 1 result came back in this situation."


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("items", "explained"),
    [
        ((OUTPUT + 1e-3, MAPS), True),
        ((OUTPUT + 1e-3, MAPS + 1e-3), True),
        ((OUTPUT + 1e-3, MAPS + 1), False),
        ((OUTPUT + 1e-3, Foreign("a list")), False),
        ((OUTPUT + 1e-3, MAPS[:1]), False),
        ((OUTPUT + 1e-3,), False),
    ],
)
def test_half_precision_explains_small_differences_of_all_results_only(dtype, items, explained):
    """One that is off by more, of another shape or no tensor is another fault."""
    tape = (Step("exp", 2), Step("half", 4, value=torch.zeros(1, dtype=dtype)))
    found = find("equals_reference", seen(call(*items), tape=tape), seen(RIGHT))
    assert (found.code, found.line) == (("precision-lost", 4) if explained else ("differs-from-reference", None))
