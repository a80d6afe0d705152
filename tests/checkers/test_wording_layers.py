"""What findings say of matrices: which are missing, shared or cut up, what is there instead, and how many numbers."""

from __future__ import annotations

import dataclasses

import pytest

from checkers.base import Parameter
from tests.checkers.making import ABOUT, find, seen

PARAMETERS = (Parameter("W_Q.weight", (6, 6)), Parameter("W_O.weight", (6, 6)))
BOUND = {"W_Q": "W_Q.weight", "W_O": "W_O.weight"}
SIZES = "B = 2, T_q = 3, T_k = 4, d_model = 6, h = 3"
SQUARE = "(6, 6) = (d_model, d_model)"
LINEAR = f"an nn.Linear with a weight of shape {SQUARE}"


def _layers(*parameters, **changes):
    return seen(parameters=parameters or PARAMETERS, **{"bound": BOUND} | changes)


@pytest.mark.parametrize(
    ("count", "message", "expected"),
    [
        ("2*d_model**2 + 1", "72 parameters; 1 too few.", "73 = 2·d_model² + 1"),
        ("2*d_model**2 - 1", "72 parameters; 1 too many.", "71 = 2·d_model² - 1"),
        ("2*d_model**2 - 5*h**2 * 1000", "72 parameters; 45,000 too many.", "-44,928 = 2·d_model² - 5·h² · 1000"),
    ],
)
def test_the_number_of_parameters(count, message, expected):
    """How many too many or too few, with the formula as people write it, and the first few of what is beside."""
    found = find("parameter_count", _layers(), count=count)
    assert found.message == f"With {SIZES} the module has {message}"
    assert (found.expected, found.actual) == (expected, "72")
    assert found.next_step.startswith("Print each name and shape")
    beside = find("parameter_count", _layers(unclaimed=tuple("abcdefg")), count=count)
    assert beside.next_step == "Beside the matrices there are: a, b, c, d, e, f. Which of them should be there?"


def test_biases():
    """One has, several have; the first few of many are named."""
    one = find("no_bias", seen(biases=("W_Q.bias",)))
    assert one.message == "1 of the matrices has a bias, which adds parameters."
    many = find("no_bias", seen(biases=tuple("abcdefghi")))
    assert many.message == "9 of the matrices have a bias, which adds parameters."
    assert many.actual == "a, b, c, d, e, f, g, h"


ONLY_Q = {"bound": {"W_Q": "W_Q.weight"}, "parameters": PARAMETERS[:1]}
NOTHING = {"bound": {}, "parameters": ()}
UNSEEN = "from the module, so nothing there is trained or saved."
UNSAVED = "which the module neither trains nor saves."


@pytest.mark.parametrize(
    ("changes", "code", "message", "actual"),
    [
        (ONLY_Q, "matrix-missing", "W_O was found in the module. Its registered weights are: W_Q.weight (6, 6).", "1 of 2 matrices"),
        (NOTHING, "matrix-missing", "W_Q, W_O was found in the module. Its registered weights are: none at all.", "0 of 2 matrices"),
        (ONLY_Q | {"hidden": ("W_O",)}, "matrix-missing", f"W_O was found: W_O is a plain tensor, {UNSAVED}", "1 of 2 matrices"),
        (ONLY_Q | {"hidden": tuple("abcde")}, "matrix-missing", f"W_O was found: a, b, c, d are plain tensors, {UNSAVED}", "1 of 2 matrices"),
        (ONLY_Q | {"hidden": ("a[0]", "W_O")}, "layers-in-plain-list", f"W_O is registered: an ordinary list or dict hides a[0] {UNSEEN}", "1 registered parameter"),
        (NOTHING | {"hidden": tuple(f"q[{n}]" for n in range(5))}, "layers-in-plain-list", f"W_Q, W_O is registered: an ordinary list or dict hides q[0], q[1], q[2], q[3] {UNSEEN}", "0 registered parameters"),
    ],
)  # fmt: skip
def test_missing_matrices(changes, code, message, actual):
    """Which are missing, what is there instead, and what is wanted."""
    found = find("matrices", seen(**changes))
    assert (found.code, found.message, found.actual) == (code, f"No matrix for {message}", actual)
    assert found.expected.startswith(f"for each {LINEAR}")


def test_the_first_few_of_many_weights_are_listed():
    """Eight with their shapes, and how many more there are."""
    found = find("matrices", seen(parameters=tuple(Parameter(name, (2,)) for name in "abcdefghij")))
    assert found.message.endswith("weights are: " + ", ".join(f"{name} (2,)" for name in "abcdefgh") + " and 2 more.")
    assert found.next_step.startswith("Create self.W_Q = nn.Linear(…) in __init__")


FULL = "Each matrix maps the full width"


@pytest.mark.parametrize(
    ("parameters", "bound", "message", "actual", "next_step"),
    [
        ([("W_O.weight", (6, 3))], "W_O.weight", "W_O.weight has", "(6, 3)", FULL),
        ([("out.weight", (6, 3))], "out.weight", "out.weight, which stands for W_O, has", "(6, 3)", FULL),
        ([("a", (6, 3)), ("b", (6, 2))], "a + b", "W_O is spread over 2 weights and has", "a (6, 3), b (6, 2)", FULL),
        ([("W_O.weight", (0,))], "W_O.weight", "W_O.weight has", "(0,)", "Give nn.Linear both of its sizes"),
    ],
)
def test_matrices_in_other_shapes(parameters, bound, message, actual, next_step):
    """By their own name, or by what they stand for."""
    made = (PARAMETERS[0], *(Parameter(*one) for one in parameters))
    found = find("matrices", _layers(*made, bound=BOUND | {"W_O": bound}))
    assert (found.code, found.message) == ("matrix-shape", f"{message} the wrong shape for {SIZES}.")
    assert (found.expected, found.actual) == (SQUARE, actual)
    assert found.next_step.startswith(next_step)


@pytest.mark.parametrize(
    ("text", "shape", "fits"),
    [("W", (6, 3), True), ("W", (3, 6), False), ("W.T", (3, 6), True), ("W.T", (6, 3), False)],
)
def test_a_matrix_that_is_not_square_is_compared_the_right_way_round(text, shape, fits):
    """One that is stored turned has the inputs first."""
    tall = dataclasses.replace(ABOUT, roles={"W_Q": "d_model h"})
    found = find("matrices", seen(parameters=(Parameter("W", shape),), bound={"W_Q": text}), about=tall)
    assert (found is None) is fits


def test_frozen_matrices():
    """One is, several are; the first few of many are named."""
    one = find("matrices", _layers(PARAMETERS[0], Parameter("W_O.weight", (6, 6), trainable=False)))
    assert (one.code, one.actual) == ("frozen-weights", "W_O.weight is frozen")
    assert one.message.startswith("W_O.weight has requires_grad = False")
    parts = tuple(Parameter(name, (6, 1), trainable=name == "a") for name in "abcdef")
    many = find("matrices", _layers(*parts, PARAMETERS[1], bound=BOUND | {"W_Q": " + ".join("abcdef")}))
    assert many.actual == "b, c, d, e are frozen"
    assert many.message.startswith("b has requires_grad = False")


def test_one_matrix_for_several_roles():
    """All of them are named, and how many there should be."""
    found = find("matrices", _layers(bound={"W_Q": "W_O.weight", "W_O": "W_O.weight"}))
    assert (found.code, found.expected, found.actual) == ("one-layer-many-names", "2 separate matrices", "W_Q is W_O")
    assert found.message.startswith("W_Q and W_O are one and the same weight")


BARE = "W_O is a bare nn.Parameter, where the exercise asks for nn.Linear; others could not load these weights."


@pytest.mark.parametrize(
    ("parameters", "bound", "message", "actual"),
    [
        ([("o", (6, 6))], {"W_O": "o"}, BARE, "o (6, 6)"),
        ([("W_O.weight", (6, 6))], {"W_Q": "W_Q.weight.T"}, "W_Q does not keep the weight the way nn.Linear does: W_Q.weight (6, 6).", "W_Q.weight (6, 6)"),
        ([("W_O.weight", (6, 6))], {"W_Q": "W_Q.weight.T", "W_O": "W_O.weight.T"}, "W_Q and W_O do not keep the weight the way nn.Linear does: W_Q.weight (6, 6).", "W_Q.weight (6, 6), W_O.weight (6, 6)"),
        ([("qo.weight", (12, 6))], {"W_Q": "qo.weight[6:12]", "W_O": "qo.weight[0:6]"}, "W_O and W_Q share one weight, qo.weight (12, 6). Its rows were read as W_O and W_Q, in this order.", "qo.weight (12, 6)"),
        ([("a.weight", (3, 6)), ("b.weight", (3, 6))], {"W_O": "a.weight + b.weight"}, "W_O is cut into 2 weights, a.weight (3, 6), b.weight (3, 6), instead of being one layer.", "a.weight (3, 6), b.weight (3, 6)"),
    ],
)  # fmt: skip
def test_layers_in_other_forms(parameters, bound, message, actual):
    """What was found, and one layer or several that are wanted."""
    made = (PARAMETERS[0], *(Parameter(*one) for one in parameters))
    found = find("names", _layers(*made, bound=BOUND | bound))
    assert (found.code, found.message, found.actual) == ("contract-layers-differ", message, actual)
    role = next(iter(bound))
    wanted = f"self.{role}, {LINEAR}" if len(bound) == 1 else f"self.W_Q and self.W_O, each {LINEAR}"
    create = role if len(bound) == 1 else "W_Q and W_O each"
    assert found.expected == wanted
    assert found.next_step == f"Create an nn.Linear for {create} in __init__; everything else is judged all the same."


def test_layers_under_other_names():
    """What they are called and should be called, also beside one in another form."""
    made = (Parameter("query.weight", (6, 6)), Parameter("out.weight", (6, 6)), Parameter("o", (6, 6)))
    found = find("names", _layers(*made, bound={"W_Q": "query.weight", "W_O": "out.weight"}))
    assert found.message.startswith("The right number of matrices is there, but not under the names")
    assert (found.expected, found.actual) == ("self.W_Q, self.W_O", "self.query, self.out")
    assert found.next_step == "Rename them; everything else is judged all the same."
    both = find("names", _layers(*made, bound={"W_Q": "query.weight", "W_O": "o"}))
    assert (both.message, both.expected) == (BARE, f"self.W_O, {LINEAR}")
    assert both.next_step.startswith("Create an nn.Linear for W_O in __init__, and call query W_Q; everything")
