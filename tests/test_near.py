"""When numbers count as the same."""

from __future__ import annotations

import math

import pytest
import torch

from tutor.near import rounding, same


def _row(*numbers):
    return torch.tensor([numbers, (0.1,) * len(numbers)])


@pytest.mark.parametrize(
    ("mine", "wanted", "is_same"),
    [
        (_row(0.5, 0.25), _row(0.5, 0.25) + 1e-5, True),
        (_row(0.5, 0.25), _row(0.5, 0.25) + 1e-3, False),
        (_row(4000.0, 1.0), _row(4000.0, 2.0), True),
        (_row(-1e9, 0.0), _row(-1e9, 0.0), True),
        (_row(-1e9, 0.0) + torch.tensor([[0.0], [0.8]]), _row(-1e9, 0.0), False),
        (_row(math.inf, 1.0), _row(math.inf, 1.0), True),
        (_row(math.inf, 1.0), _row(-math.inf, 1.0), False),
        (_row(math.inf, 1.0), _row(7.0, 1.0), False),
        (_row(math.nan, 1.0), _row(math.nan, 1.0), True),
        (_row(math.nan, 1.0), _row(7.0, 1.0), False),
        (_row(7.0, 1.0), _row(math.nan, 1.0), False),
        (torch.tensor(1.0), torch.tensor(1.0), True),
        (torch.tensor(1.0), torch.tensor(1.1), False),
        (torch.zeros(2, 0), torch.zeros(2, 0), True),
        (torch.tensor([1 + 1j]), torch.tensor([1 + 1j]), True),
        (torch.tensor([1 + 1j]), torch.tensor([1 + 0j]), False),
    ],
)
def test_the_margin_is_that_of_a_row(mine, wanted, is_same):
    """Relative to the largest number along the last axis; what is not finite is only the same as itself."""
    assert same(mine, wanted) is is_same


def test_rounding_is_that_of_the_row():
    """Each row by the worst of its own entries; what overflows in float32 says nothing."""
    exact = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)
    single = torch.tensor([[1.0, 2.5], [3.0, 4.0], [5.0, math.inf]])
    assert rounding(single, exact).tolist() == [[5.0], [0.0], [0.0]]
