"""Comparing numbers of whatever type, and working out formulas."""

from __future__ import annotations

import pytest
import torch

from checkers._numbers import identical, near, wide
from checkers._parsing import parse
from checkers._shapes import evaluate
from checkers.base import Foreign

NAN, INF = torch.nan, torch.inf


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (1.0, 1.0, True),
        (1.0, 1.25, True),
        (1.25, 1.0, True),
        (-3.0, -4.0, True),
        (-4.0, -3.0, True),
        (0.0, 0.375, False),
        (0.5, 1.25, False),
        (INF, INF, True),
        (-INF, INF, False),
        (INF, 1.0, False),
        (1.0, INF, False),
        (NAN, NAN, False),
        (NAN, 1.0, False),
    ],
)
def test_a_tolerance_is_absolute_plus_relative_to_the_second(one, other, agree):
    """Infinity agrees with itself, and NaN with nothing."""
    assert bool(near(torch.tensor(one), torch.tensor(other), 0.25)) is agree


def test_every_type_is_compared_in_double_precision():
    """Whole numbers, truth values and complex numbers, too; an imaginary part is not lost."""
    assert wide(torch.tensor([True])).dtype is torch.float64
    assert wide(torch.tensor([1j])).dtype is torch.complex128
    assert near(torch.tensor([1 + 0j, 1 + 1j]), torch.tensor([1.0, 1.0]), 1e-3).tolist() == [True, False]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (torch.ones(2), torch.ones(2).double(), True),
        (torch.ones(2), torch.tensor([1.0, 2.0]), False),
        (torch.ones(2), torch.ones(1), False),
        (torch.ones(2), Foreign("a list"), False),
        (Foreign("a list"), torch.ones(2), False),
    ],
)
def test_the_same_numbers_in_the_same_shape(one, other, same):
    """A tensor that would broadcast is another one."""
    assert identical(one, other) is same


@pytest.mark.parametrize(
    ("formula", "value"), [("n", 7), ("3", 3), ("n + 2*h", 11), ("n - h", 5), ("n // h", 3), ("n**h", 49), ("h*(n + 1)", 16)]
)  # fmt: skip
def test_formulas(formula, value):
    """Whole numbers and named dimensions, with the usual precedence."""
    assert evaluate(formula, {"n": 7, "h": 2}) == value


@pytest.mark.parametrize(
    ("formula", "words"), [("m", "“m” is neither"), ("n / h", "“n / h” is neither"), ("n +", "“n \\+” is no formula")]
)
def test_what_is_no_formula_is_named(formula, words):
    """The part that cannot be worked out."""
    with pytest.raises(ValueError, match=words):
        evaluate(formula, {"n": 7, "h": 2})


@pytest.mark.parametrize("text", ["def", "\0", "(" * 500])
def test_a_text_that_python_cannot_read_has_no_tree(text):
    """Whatever is wrong with it."""
    assert parse(text) is None
