"""What findings say of results: one or several, class or function, with names, sizes and numbers as they were seen."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Foreign
from tests.checkers.making import ABOUT, call, find, results, seen

ONE = dataclasses.replace(ABOUT, returns={"output": "B T_q d_model"})
FUNCTION = dataclasses.replace(ABOUT, entry="attend", kind="function", roles={})
OUTPUT, MAPS = results()


@pytest.mark.parametrize(
    ("about", "observed", "code", "message", "actual"),
    [
        (ABOUT, call(container="none"), "nothing-returned", "forward ended without returning anything.", "None"),
        (FUNCTION, call(container="none"), "nothing-returned", "attend ended without returning anything.", "None"),
        (ABOUT, call(OUTPUT, container="tensor"), "weights-not-returned", "forward returned a single tensor of shape (2, 3, 6).", "one tensor"),
        (ABOUT, call(OUTPUT, MAPS, MAPS), "wrong-container", "forward returned a tuple of 3.", "(2, 3, 6), (2, 3, 3, 4), (2, 3, 3, 4)"),
        (ABOUT, call(OUTPUT, container="list"), "wrong-container", "forward returned a list of 1.", "(2, 3, 6)"),
        (ABOUT, call(*[MAPS[0, 0]] * 5), "wrong-container", "forward returned a tuple of 5.", "(3, 4), (3, 4), (3, 4), (3, 4)"),
        (ABOUT, call(Foreign("a dict"), container="other"), "wrong-container", "forward returned a dict.", "a dict"),
        (ONE, call(OUTPUT, MAPS), "tuple-instead-of-tensor", "forward returned a tuple of 2.", "(2, 3, 6), (2, 3, 3, 4)"),
        (ONE, call(OUTPUT), "tuple-instead-of-tensor", "forward returned a tuple of 1.", "(2, 3, 6)"),
        (ONE, call(OUTPUT, container="list"), "wrong-container", "forward returned a list of 1.", "(2, 3, 6)"),
        (ABOUT, call(MAPS, OUTPUT), "return-order-swapped", "The results come back in the wrong order: first (2, 3, 3, 4), then (2, 3, 6).", "attn_w, then output"),
        (ABOUT, call(OUTPUT, Foreign("a list")), "not-a-tensor", "attn_w is a list, not a tensor.", "a list"),
        (ABOUT, call(OUTPUT.mT, MAPS), "output-shape", "output has shape (2, 6, 3): the right axes in another order.", "(2, 6, 3)"),
        (ABOUT, call(OUTPUT, MAPS[0]), "attn_w-shape", "attn_w has shape (3, 3, 4): the axis B is missing, perhaps averaged or summed away.", "(3, 3, 4)"),
        (ABOUT, call(OUTPUT, MAPS[..., 0]), "attn_w-shape", "attn_w has shape (2, 3, 3): the axis T_k is missing, perhaps averaged or summed away.", "(2, 3, 3)"),
        (ABOUT, call(OUTPUT, MAPS[..., :1]), "attn_w-shape", "attn_w has shape (2, 3, 3, 1).", "(2, 3, 3, 1)"),
        (ABOUT, call(OUTPUT, MAPS.double()), "wrong-dtype", "attn_w comes back as float64, although inputs and weights are float32.", "float64"),
    ],
)  # fmt: skip
def test_what_came_back_instead(about, observed, code, message, actual):
    """Kind ``returns``: a container, its number, an order, a shape or a type, as it was seen."""
    found = find("returns", seen(observed), about=about)
    assert (found.code, found.message, found.actual) == (code, message, actual)


@pytest.mark.parametrize(
    ("about", "observed", "next_step"),
    [
        (ABOUT, call(container="none"), "End forward with a return statement."),
        (FUNCTION, call(container="none"), "End attend with a return statement."),
        (ABOUT, call(OUTPUT, container="tensor"), "Return output and attn_w together, as a pair."),
        (ABOUT, call(OUTPUT), "Return exactly output, attn_w."),
        (ONE, call(OUTPUT), "Return exactly output."),
        (ABOUT, call(OUTPUT, Foreign("a list")), "Return the tensor attn_w itself."),
    ],
)
def test_what_to_return(about, observed, next_step):
    """Kind ``returns``: by the names that the exercise gives its results and its function."""
    assert find("returns", seen(observed), about=about).next_step == next_step


def test_axes_in_front_are_named_where_one_is_missing():
    """Kind ``returns``: dots stand for the axes that the case has."""
    dims = {"a": {"B": 2, "h": 3, "T_q": 3, "T_k": 4}}
    about = dataclasses.replace(ABOUT, returns={"weights": "... T_q T_k"}, dims=dims)
    found = find("returns", seen(call(MAPS[0], container="tensor")), about=about)
    assert found.message == "weights has shape (3, 3, 4): the axis B is missing, perhaps averaged or summed away."


def test_one_result_alone_is_content():
    """An exercise with one result asks for a tensor that is not wrapped up."""
    assert find("returns", seen(call(OUTPUT, container="tensor")), about=ONE) is None


def test_what_is_wanted_is_said_in_axes():
    """All results of an exercise, each with its shape and the names of its axes."""
    wanted = "output (2, 3, 6) = (B, T_q, d_model) and attn_w (2, 3, 3, 4) = (B, h, T_q, T_k)"
    assert find("returns", seen(call(container="none"))).expected == wanted
    assert find("returns", seen(call(OUTPUT))).expected == wanted
    assert find("returns", seen(call(MAPS, OUTPUT))).expected == "output, then attn_w"
    assert find("returns", seen(call(OUTPUT, MAPS[0]))).expected == "(2, 3, 3, 4) = (B, h, T_q, T_k)"


LOW = MAPS * torch.tensor([1.5, 0.1, 1.0]).view(3, 1)
HIGH = MAPS * torch.tensor([1.5, 0.9, 1.0]).view(3, 1)


@pytest.mark.parametrize(
    ("weights", "message", "next_step"),
    [
        (MAPS * 1.2, "The rows of the attention weights do not sum to 1; one row sums to 1.2.", "Return exactly"),
        (LOW, "The rows of the attention weights do not sum to 1; one row sums to 0.1.", "Return exactly"),
        (HIGH, "The rows of the attention weights do not sum to 1; one row sums to 1.5.", "Return exactly"),
        (MAPS.softmax(-2), "The rows of the attention weights do not sum to 1; the columns do, as after a softmax over the queries, or with queries and keys exchanged behind it.", "One row belongs to one query"),
        (torch.tensor([-0.5, 1.5, 0.0, 0.0]).expand(2, 3, 3, 4), "Some attention weights are negative, down to -0.5.", "What you return as weights"),
        (MAPS / 0, "The attention weights contain NaN or infinity.", "Look for a division"),
    ],
)  # fmt: skip
def test_rows(weights, message, next_step):
    """Kind ``rows_sum_to_one``: the sum that is furthest from 1, or the lowest weight."""
    found = find("rows_sum_to_one", seen(call(OUTPUT, weights)), result="attn_w")
    assert found.message == message
    assert found.next_step.startswith(next_step)


def test_rows_with_any_axes_in_front():
    """Kind ``rows_sum_to_one``: keys come last and queries before them; a weight of nothing is not negative."""
    assert find("rows_sum_to_one", seen(call(OUTPUT, torch.eye(4)[:3].expand(2, 3, 3, 4))), result="attn_w") is None
    flat = dataclasses.replace(ABOUT, returns={"output": "B T_q d_model", "attn_w": "B T_q T_k"})
    columns = seen(call(OUTPUT, MAPS[:, 0].softmax(-2)))
    assert find("rows_sum_to_one", columns, about=flat, result="attn_w").code == "softmax-over-queries"


@pytest.mark.parametrize(
    ("fresh", "code", "message", "next_step"),
    [
        (False, "heads-share-one-map", "Heads 1 and 2 have exactly the same attention map", "Follow the axis h"),
        (
            True,
            "heads-start-alike",
            "In a new module heads 1 and 2 have the same attention map",
            "Look at how __init__",
        ),
    ],
)
def test_heads(fresh, code, message, next_step):
    """Kind ``heads_differ``: which two are alike."""
    maps = MAPS.clone()
    maps[:, 2] = maps[:, 1]
    found = find("heads_differ", seen(call(OUTPUT, maps)), result="attn_w", fresh=fresh)
    assert (found.code, found.actual) == (code, "attn_w of heads 1 and 2 is the same")
    assert found.message.startswith(message)
    assert found.next_step.startswith(next_step)


@pytest.mark.parametrize(
    ("fresh", "message", "next_step"),
    [
        (False, "attn_w contains NaN or infinity.", "Look for a division by zero"),
        (True, "In a new module attn_w contains NaN or infinity.", "Look at how __init__ sets the weights"),
    ],
)
def test_heads_that_are_no_numbers(fresh, message, next_step):
    """Kind ``heads_differ``: a new module may hold memory that nothing was written to."""
    found = find("heads_differ", seen(call(OUTPUT, MAPS * torch.nan)), result="attn_w", fresh=fresh)
    assert (found.code, found.message) == ("weights-not-finite", message)
    assert found.next_step.startswith(next_step)


LEAKAGE = {"result": "output", "axis": 1, "before": 2}


def _moved(*positions):
    second = OUTPUT.clone()
    second[:, list(positions)] += 1
    return seen(call(OUTPUT, MAPS), call(second, MAPS))


def test_leakage():
    """Kind ``no_leakage``: which positions changed, one or several."""
    found = find("no_leakage", _moved(1), **LEAKAGE)
    assert (found.code, found.actual) == ("leaks-from-later-tokens", "position 1 changed")
    assert found.message == "Changing the tokens from 2 on changed output at position 1, which may not see them."
    assert found.expected == "positions 0 to 1 stay exactly as they were"
    several = find("no_leakage", _moved(0, 1), **LEAKAGE)
    assert several.actual == "positions 0, 1 changed"
    assert "changed output at position 0," in several.message
    assert find("no_leakage", seen(call(), call(), _moved(0)["a"].calls[1]), **LEAKAGE) is None


@pytest.mark.parametrize("bad", [0, 1])
def test_leakage_needs_numbers(bad):
    """Kind ``no_leakage``: whichever of the two calls gives none."""
    made = [call(), call()]
    made[bad] = call(OUTPUT * torch.nan, MAPS)
    found = find("no_leakage", seen(*made), **LEAKAGE)
    assert (found.code, found.message) == ("not-finite", "With a mask, output contains NaN or infinity.")
    assert found.next_step.endswith("did you read True as “forbidden”?")


def test_results_that_cannot_be_looked_at():
    """Kinds that look at one result say what it is instead, and that every path must return it."""
    options = {"result": "attn_w"}
    found = find("rows_sum_to_one", seen(call(OUTPUT, MAPS[0])), **options)
    assert (found.code, found.actual) == ("attn_w-shape", "(3, 3, 4)")
    assert found.message == "In this situation attn_w comes back as (3, 3, 4)."
    assert found.next_step == "Return output and attn_w in the same shapes from every path through forward."
    assert find("rows_sum_to_one", seen(call(OUTPUT)), **options).actual == "nothing"
    found = find("rows_sum_to_one", seen(call(OUTPUT, MAPS + 0j)), **options)
    assert (found.code, found.actual) == ("wrong-dtype", "complex64")
    assert found.message == "attn_w comes back as complex64, complex numbers."
    assert found.expected == "real numbers, (2, 3, 3, 4) = (B, h, T_q, T_k)"


def test_precision():
    """Kind ``keeps_precision``: the type, or how far off."""
    double = OUTPUT.double(), MAPS.double()
    found = find("keeps_precision", seen(call(double[0], MAPS)), seen(call(*double)))
    assert found.message == "With inputs and weights in float64, attn_w comes back as float32."
    assert (found.expected, found.actual) == ("float64 all the way", "float32")
    found = find("keeps_precision", seen(call(double[0] + 0.25, double[1])), seen(call(*double)))
    assert found.message == "In float64, output is still off by up to 0.25, far more than float64 rounds."
    assert (found.code, found.expected, found.actual) == ("precision-lost", "within 2e-06 of the reference", "0.25")
