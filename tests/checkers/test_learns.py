"""Kind ``learns``: what cuts gradients off, and where."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Parameter
from tests.checkers.making import ABOUT, call, failures, find, seen, steps, submission
from tutor.expected import Reference
from tutor.judge import assess
from tutor.observing import observe_here
from tutor.planning import plan

T = ((3, 4),)
ALIVE = {"W_Q": torch.ones(2), "W_O": torch.ones(2)}
BOUND = {"W_Q": "W_Q.weight", "W_O": "W_O.weight"}
WEIGHTS = tuple(Parameter(name, (6, 6)) for name in BOUND.values())
FIRST, LAST = ("linear", ("Q", "parameter:W_Q.weight"), T * 2), ("linear", (1, "parameter:W_O.weight"), T * 2)


def _found(*made, source="", **gradients):
    observed = seen(call(gradients=ALIVE | gradients), tape=steps(*made), bound=BOUND, parameters=WEIGHTS)
    return find("learns", observed, source=source)


def test_all_alive_is_content():
    """A detached copy that nothing builds on cuts nothing."""
    assert _found(FIRST, ("detach", (0,), T)) is None


@pytest.mark.parametrize(
    ("tape", "code", "line"),
    [
        ([FIRST, ("detach", (0,), T), LAST], "gradient-cut", 2),
        ([FIRST, ("data", ("parameter:W_Q.weight",), T), LAST], "gradient-cut", 2),
        ([FIRST, ("numpy", (0,), T)], "numpy-inside", 2),
        ([FIRST, ("detach", (0,), T), ("numpy", (1,), T)], "numpy-inside", 3),
        ([FIRST, ("tolist", (0,), T)], "gradient-cut", 2),
        ([FIRST, ("detach", (0,), T)], "matrix-without-gradient", None),
        ([FIRST, ("detach", ("K",), T), LAST], "matrix-without-gradient", None),
        ([], "matrix-without-gradient", None),
    ],
)
def test_the_step_that_cuts_is_found(tape, code, line):
    """It must lie on the way of what gets no gradient, and lead on."""
    found = _found(*tape, W_Q=None)
    assert (found.code, found.line) == (code, line)


def test_switched_off_gradients_are_named_by_the_text():
    """Steps between two switches that others build on; the line is that of no_grad itself."""
    source, line = submission(scores="with torch.no_grad(): scores = q @ k.mT / math.sqrt(self.d_k)")
    switch = ("_set_grad_enabled", (), ())
    found = _found(
        FIRST,
        switch,
        ("matmul", (0,), T),
        switch,
        ("linear", (2, "parameter:W_O.weight"), T * 2),
        source=source,
        W_Q=None,
    )
    assert (found.code, found.line) == ("gradient-cut", line)
    found = _found(FIRST, switch, ("clone", (0,), T), switch, LAST, source=source, W_Q=None)
    assert found.code == "matrix-without-gradient"


def test_switching_gradients_on_cuts_nothing(judged):
    """The dead matrix is V's, and gradients were never off, only said to be on."""
    source, _ = submission(
        scores="with torch.enable_grad(): scores = q @ k.mT / math.sqrt(self.d_k); v = q",
        above="SOURCE = 'torch.no_grad is not used here'",
    )
    assert failures(judged(source))["forward/learns"] == ("matrix-without-gradient", None)


def test_an_input_without_gradient_costs_what_lies_before():
    """All matrices learn, yet nothing reaches the query: the sentence says for whom that is bad."""
    found = _found(("detach", ("Q",), T), FIRST, LAST, Q=None, K=torch.ones(1))
    assert "could never improve the layers before it" in found.message
    assert found.actual == "none for Q"
    assert "improve what comes that way" in _found(FIRST, W_Q=None, Q=None).message


@pytest.mark.parametrize(
    "first",
    [
        "Q.mul_(2); Q.div_(2)",
        "V[:] = V.clone()",
        "print(Q.numpy().mean())",
        "import copy; before = copy.deepcopy(Q)",
        "Q.requires_grad_(False)",
    ],
)
def test_looking_for_gradients_forbids_nothing(judged, first):
    """What may be done to a tensor that collects no gradients may be done to what is handed in."""
    changes = {"first": first}
    found = failures(judged(submission(**changes)[0]))
    assert not {"forward/runs", "forward/learns", "causal/runs", "causal/learns"} & set(found)


def test_a_function_that_cannot_take_what_layers_give_learns_nothing(catalog):
    """Its inputs come out of layers, so numpy would refuse them; all else about it is judged, and it is told its line."""
    exercise = catalog["scaled-dot-product-attention"]
    planned, source = (
        plan(exercise, 4),
        exercise.reference.replace("    scores = ", "    print(Q.numpy().mean())\n    scores = "),
    )
    assessment = assess(exercise, source, observe_here(planned, source), Reference(exercise).observe(planned))
    line = source.splitlines().index("    print(Q.numpy().mean())") + 1
    assert failures(assessment) == {"general/learns": ("numpy-inside", line)}


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_gradients_must_be_finite(value):
    """NaN in a gradient spoils the weights at the first step."""
    found = _found(FIRST, W_Q=torch.tensor([0.0, value]))
    assert found.code == "gradient-not-finite"


def test_a_gradient_of_rounding_alone_is_none():
    """Equal scores leave zero to train on, up to rounding, which must not decide. Small numbers where the reference's are small are some."""
    wanted = seen(call(gradients=ALIVE))
    mine, small = (seen(call(gradients=ALIVE | {"W_Q": torch.full((2,), size)})) for size in (1e-7, 1e-4))
    assert find("learns", mine, wanted).actual == "none for W_Q"
    assert find("learns", small, wanted) is None
    assert find("learns", mine, mine) is None


def test_a_function_is_asked_for_its_inputs():
    """Without roles, what the case reports counts."""
    about = dataclasses.replace(ABOUT, roles={})
    observed = seen(
        call(gradients={"Q": None, "K": torch.ones(1)}), tape=steps(("detach", ("Q",), T), ("mul", (0,), T))
    )
    found = find("learns", observed, about=about)
    assert (found.code, found.line) == ("gradient-cut", 1)
    assert "Q" in found.actual
    assert find("learns", seen(call(gradients={"Q": torch.ones(1)})), about=about) is None


@pytest.mark.parametrize(
    ("passage", "check", "code"),
    [
        ({"softmax": "attn_w = scores.softmax(-1).detach()"}, "forward/learns", "gradient-cut"),
        ({"first": "Q, K, V = Q.detach(), K.detach(), V.detach()"}, "forward/learns", "gradient-cut"),
        ({"first": "V = V.data"}, "forward/learns", "gradient-cut"),
        ({"first": "with torch.no_grad(): K = K * 1"}, "forward/learns", "gradient-cut"),
        (
            {"masking": "V = V.detach(); v = self.split(self.W_V(V)); scores = scores.masked_fill(~mask, -1e9)"},
            "causal/learns",
            "gradient-cut",
        ),
        ({"first": "loud = Q.detach().abs().max()"}, None, None),
        (
            {"softmax": "attn_w = torch.from_numpy(scores.softmax(-1).detach().numpy())"},
            "forward/learns",
            "numpy-inside",
        ),
        ({"scores": "with torch.no_grad(): scores = q @ k.mT / math.sqrt(self.d_k)"}, "forward/learns", "gradient-cut"),
        ({"masking": 'scores = scores.detach().masked_fill(~mask, float("-inf"))'}, "causal/learns", "gradient-cut"),
        (
            {"after": "attn_w = attn_w.detach()", "softmax": "with torch.enable_grad(): attn_w = scores.softmax(-1)"},
            "forward/learns",
            "gradient-cut",
        ),
        ({"softmax": "with torch.set_grad_enabled(True): attn_w = scores.softmax(-1)"}, None, None),
        ({"masking": "scores.data.masked_fill_(~mask, float('-inf'))"}, None, None),
        ({"softmax": "attn_w = (scores - scores.amax(-1, keepdim=True).detach()).softmax(-1)"}, None, None),
    ],
)
def test_whole_submissions(judged, passage, check, code):
    """One cut, one failed check, with its line; what cuts nothing passes."""
    source, line = submission(**passage)
    assert failures(judged(source)) == ({} if check is None else {check: (code, line)})
