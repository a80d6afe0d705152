"""What findings say of what the code did on the way: by the name of what was called, one or several, on which line."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Ending, Step
from tests.checkers.making import ABOUT, call, find, results, seen, steps

FUNCTION = dataclasses.replace(ABOUT, entry="attend", kind="function", roles={})
OUTPUT, MAPS = results()
T = ((3, 4), (3, 4))
MUL = ("mul", ("Q", 0), T)


@pytest.mark.parametrize(
    ("about", "mode", "code", "message"),
    [
        (ABOUT, "again", "differs-when-repeated", "Two calls in a row with the same inputs do not give the same: attn_w changed, though the module is in eval mode."),
        (FUNCTION, "again", "differs-when-repeated", "Two calls in a row with the same inputs do not give the same: attn_w changed."),
        (ABOUT, "train", "differs-in-training", "After train() the same inputs give something else: attn_w changed."),
    ],
)  # fmt: skip
def test_repeats(about, mode, code, message):
    """Kind ``repeats``: which results differ, one or several; a function has no modes."""
    where = "in the second call" if mode == "again" else "in training mode"
    found = find("repeats", seen(call(), call(OUTPUT, MAPS.roll(1, 0))), about=about, mode=mode)
    assert (found.code, found.message, found.actual) == (code, message, f"attn_w differs {where}")
    both = find("repeats", seen(call(), call(*results(1))), about=about, mode=mode)
    assert both.actual == f"output and attn_w differ {where}"
    fewer = find("repeats", seen(call(), call(OUTPUT)), about=about, mode=mode)
    assert fewer.actual == f"the number of results differs {where}"


INFINITE, NAN, ALIVE = torch.tensor(torch.inf), torch.tensor(torch.nan), torch.ones(1)


@pytest.mark.parametrize(
    ("gradients", "code", "message", "actual", "next_step"),
    [
        ({"W_O": ALIVE}, "matrix-without-gradient", "No gradient reaches W_Q,", "none for W_Q", "Follow W_Q through forward"),
        ({"W_Q": ALIVE, "W_O": ALIVE * 0}, "matrix-without-gradient", "No gradient reaches W_O,", "none for W_O", "Follow W_O through forward"),
        ({}, "gradient-cut", "No gradient reaches any of W_Q, W_O,", "none for W_Q, W_O", "Look for torch.no_grad"),
        ({"W_Q": INFINITE, "W_O": ALIVE}, "gradient-not-finite", "The gradient of W_Q contains NaN", "NaN or infinity", "Look for a root"),
        ({"W_Q": INFINITE, "W_O": NAN}, "gradient-not-finite", "The gradient of W_Q and W_O contains NaN", "NaN or infinity", "Look for a root"),
    ],
)  # fmt: skip
def test_gradients(gradients, code, message, actual, next_step):
    """Kind ``learns``: which matrices, or all of them."""
    found = find("learns", seen(call(gradients=gradients)))
    assert (found.code, found.actual) == (code, actual)
    assert found.message.startswith(message)
    assert found.next_step.startswith(next_step)


def test_two_of_three_matrices_without_gradient():
    """Kind ``learns``: neither one nor all."""
    three = dataclasses.replace(ABOUT, roles=dict.fromkeys(("W_Q", "W_K", "W_O"), "d_model d_model"))
    found = find("learns", seen(call(gradients={"W_O": ALIVE})), about=three)
    assert found.message.startswith("No gradient reaches W_Q and W_K,")
    assert found.expected == "a gradient for each of W_Q, W_K, W_O"


def test_what_training_could_not_improve():
    """Kind ``learns``: a matrix itself, or what lies before an input."""
    alive = {"W_Q": ALIVE, "W_O": ALIVE}
    inputs = find("learns", seen(call(gradients=alive | {"K": None})))
    assert inputs.message == "No gradient reaches K, so training could never improve the layers before it."
    matrix = find("learns", seen(call(gradients=alive | {"K": None, "W_O": None})))
    assert matrix.message == "No gradient reaches W_O and K, so training could never improve what comes that way."


@pytest.mark.parametrize(
    ("disturbed", "message", "actual"),
    [
        (("input:Q",), "After the call Q of the caller is not as before:", "Q changed"),
        (("input:Q", "input:K"), "After the call Q and K of the caller are not as before:", "Q, K changed"),
        (("weight:W_Q.weight",), "forward changed W_Q.weight.", "W_Q.weight changed"),
        (("weight:x:y",), "forward changed x:y.", "x:y changed"),
        (tuple(f"weight:{name}" for name in "abcde"), "forward changed a, b, c, d.", "a, b, c, d changed"),
    ],
)
def test_what_a_call_disturbed(disturbed, message, actual):
    """Kind ``leaves_alone``: one or several, the first few of many."""
    found = find("leaves_alone", seen(call(disturbed=disturbed)))
    assert found.message.startswith(message)
    assert found.actual == actual


@pytest.mark.parametrize(
    ("about", "place"), [(ABOUT, "an exception, best in __init__"), (FUNCTION, "an exception, best in the first lines")]
)
def test_refusals(about, place):
    """Kind ``refuses``: a function has no constructor to refuse in; the sizes are those that were asked about."""
    words = {"code": "uneven", "sizes": ["d_model", "h"], "why": "nothing fits", "next_step": "Raise."}
    found = find("refuses", seen(ending=Ending.RAISED) | seen(case="b"), about=about, **words)
    assert found.message == "With d_model = 6, h = 6 nothing fits, and nothing said so."
    assert found.expected == place


def _recorded(*records):
    made = zip("ab", records, strict=True)
    return {case: dataclasses.replace(seen(call(operations=record))["a"], case=case) for case, record in made}


@pytest.mark.parametrize(("about", "called"), [(ABOUT, "forward"), (FUNCTION, "attend")])
def test_loops(about, called):
    """Kind ``no_head_loop``: how many operations with how many heads; what is no product or softmax is not counted."""
    few, many = ("matmul", "softmax", "mean"), ("matmul",) * 4 + ("softmax",)
    found = find("no_head_loop", _recorded(few, many), about=about)
    assert (found.code, found.actual) == ("loop-over-heads", "2 and 5")
    assert found.message == f"{called} runs 2 products and softmaxes with h = 3 but 5 with h = 6: it goes head by head."
    assert find("no_head_loop", _recorded(few, (*few, *("mean",) * 9)), about=about) is None
    found = find("no_head_loop", _recorded(("mean",), ("mean",) * 2_000), about=about)
    assert (found.code, found.actual) == ("too-many-operations", "at least 2,000")
    assert found.message.startswith(f"{called} runs 2,000 torch operations or more;")
    assert find("no_head_loop", _recorded(("mean",), ("mean",) * 1_999), about=about) is None


@pytest.mark.parametrize(
    ("operations", "named"),
    [
        (("scaled_dot_product_attention", "_within"), "scaled_dot_product_attention"),
        (("_within",), "_within"),
        (("scaled_dot_product_attention", "MultiheadAttention", "mul"), "MultiheadAttention, scaled_dot_product_attention"),
    ],
)  # fmt: skip
def test_ready_made_attention(operations, named):
    """Kind ``own_work``: what was called; what the library calls within is named only where nothing else was seen."""
    about = dataclasses.replace(ABOUT, forbidden_calls=(*ABOUT.forbidden_calls, "_within"))
    found = find("own_work", seen(call(operations=operations)), about=about)
    assert (found.code, found.actual, found.line) == ("library-attention-used", named, None)
    assert found.message == f"forward hands the work to the library; it calls {named}."


UNKNOWN = "A tensor that is neither an input nor a parameter nor a buffer stays on the CPU"


@pytest.mark.parametrize(
    ("tape", "message", "line"),
    [
        (steps(("ones", (), ()), MUL), "ones on line 1 makes a tensor on the default device, and mul on line 2 combines", 1),
        (steps(("ones", (), (), "text"), MUL), "ones on line 1 makes a tensor on a device that is named in the code, and", 1),
        (steps(("mul", ("Q", "?"), T)), f"{UNKNOWN}, and mul on line 1 combines", 1),
        ((Step("ones", None), Step("mul", None, ("Q", 0), T)), "ones makes a tensor on the default device, and mul combines", None),
        ((Step("ones", None), Step("mul", 4, ("Q", 0), T)), "ones makes a tensor on the default device, and mul on line 4", 4),
    ],
)  # fmt: skip
def test_tensors_that_stay_behind(tape, message, line):
    """Kind ``follows_device``: what was made where, and what it meets; lines where they are known."""
    found = find("follows_device", seen(tape=tape))
    assert found.message.startswith(message)
    assert (found.code, found.line) == ("device-fixed", line)


@pytest.mark.parametrize(
    ("step", "move"),
    [(("cpu",), "cpu()"), (("cuda",), "cuda()"), (("to", "text"), "to('cpu')")],
)
def test_a_tensor_that_is_sent_to_a_device_by_name(step, move):
    """Kind ``follows_device``: where it is sent, and where it meets the others."""
    name, *device = step
    tape = steps((name, ("Q",), T[:1], *device), MUL)
    source = f"class MultiHeadAttention: Q = Q.{move}"
    found = find("follows_device", seen(tape=tape), source=source)
    assert found.message.startswith("A tensor is sent to a device by name on line 1, and mul on line 2 combines it")


def test_results_that_stay_behind():
    """Kind ``follows_device``: by the name of the result."""
    found = find("follows_device", seen(tape=(Step("ones", 7, value=MAPS),)))
    assert found.message.startswith("ones on line 7 makes a tensor on the default device, and it comes back as attn_w:")
    assert found.message.endswith("with inputs on a GPU, attn_w would not be there.")
    assert found.expected == "attn_w on the device of the inputs"


@pytest.mark.parametrize(("line", "at", "shown"), [(3, " on line 3", 3), (None, "", 4)])
def test_numbers_that_were_through_numpy(line, at, shown):
    """Kind ``follows_device``: both ends of the way."""
    tape = (Step("numpy", line, ("mask",), T[:1]), Step("add", 4, ("Q", "?"), T, MAPS))
    found = find("follows_device", seen(tape=tape))
    assert found.message.startswith(f"The numbers leave torch for numpy{at} and come back,")
    assert found.message.endswith("to meet the inputs on line 4.")
    assert found.line == shown
