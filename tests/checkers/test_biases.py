"""Biases that the contract wants: missing, not wanted, somewhere else, frozen, without a gradient."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Parameter
from tests.checkers.making import ABOUT, call, find, seen

WANTED = dataclasses.replace(ABOUT, biases={"a": {"W_O": "d_model"}})
PARAMETERS = (Parameter("W_Q.weight", (6, 6)), Parameter("W_O.weight", (6, 6)), Parameter("W_O.bias", (6,)))
BOUND = {"W_Q": "W_Q.weight", "W_O": "W_O.weight", "W_O.bias": "W_O.bias"}


def _layers(**changes):
    return seen(**{"parameters": PARAMETERS, "bound": BOUND} | changes)


@pytest.mark.parametrize("kind", ["no_bias", "matrices", "names"])
def test_the_bias_that_is_wanted_is_no_fault(kind):
    """A layer that has it passes, in the cases in which it is wanted."""
    assert find(kind, _layers(), about=WANTED) is None


def test_a_missing_bias_has_a_finding_of_its_own():
    """It says which, in which shape; where the matrix is missing, too, that check speaks."""
    found = find("no_bias", _layers(bound={**BOUND, "W_O.bias": None}), about=WANTED)
    assert (found.code, found.expected) == ("bias-missing", "W_O.bias of shape (6,) = (d_model)")
    assert found.message.startswith("W_O has no bias, so every result lacks the constant")
    assert find("no_bias", _layers(bound={"W_Q": "W_Q.weight", "W_O": None, "W_O.bias": None}), about=WANTED) is None


def test_other_biases_stay_unwanted():
    """What is said names the one that is wanted."""
    found = find("no_bias", _layers(biases=("W_Q.bias",)), about=WANTED)
    assert (found.code, found.expected, found.actual) == ("unwanted-bias", "a bias of W_O only", "W_Q.bias")


def test_a_bias_outside_its_layer_breaks_the_names():
    """The weight is where it should be, and the bias is a bare parameter."""
    found = find("names", _layers(bound={**BOUND, "W_O.bias": "out_bias"}), about=WANTED)
    assert (found.code, found.expected, found.actual) == ("contract-layers-differ", "self.W_O.bias", "self.out_bias")
    assert find("names", _layers(bound={**BOUND, "W_O.bias": None}), about=WANTED) is None


def test_a_frozen_bias_is_frozen():
    """A bias learns as the matrices do."""
    parameters = (*PARAMETERS[:2], Parameter("W_O.bias", (6,), trainable=False))
    assert find("matrices", _layers(parameters=parameters), about=WANTED).actual == "W_O.bias is frozen"


def _gradients(bias):
    return {"W_Q": torch.ones(6, 6), "W_O": torch.ones(6, 6), "W_O.bias": bias}


def test_a_gradient_that_vanishes_reaches_a_bias_all_the_same():
    """A bias of the keys adds the same to every score of a row: its gradient arrives and is nothing. One that never arrives is missing."""
    assert find("learns", _layers(calls=(call(gradients=_gradients(torch.zeros(6))),)), about=WANTED) is None
    found = find("learns", _layers(calls=(call(gradients=_gradients(None)),)), about=WANTED)
    assert found.actual == "none for W_O.bias"
    assert found.message == "No gradient reaches W_O.bias, so training could never improve what comes that way."


def test_rounding_of_a_gradient_that_vanishes_is_no_difference():
    """It is held against the largest gradient there is; a real number in its place is one."""
    expected = _layers(calls=(call(gradients=_gradients(torch.full((6,), 1e-16))),))
    rounded, wrong = (_layers(calls=(call(gradients=_gradients(torch.full((6,), size))),)) for size in (1e-7, 1e-2))
    assert find("gradients_equal", rounded, expected, about=WANTED) is None
    assert find("gradients_equal", wrong, expected, about=WANTED).code == "gradient-differs"
