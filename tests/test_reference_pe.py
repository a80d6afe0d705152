"""The reference of the positional encoding against a loop over positions and features, and against what is known about its rows."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from reference.positional_encoding import PositionalEncoding

SIZES = [(8, 16), (6, 10), (64, 40), (512, 30), (7, 9), (1, 5), (2, 1)]


def _one_number_at_a_time(d_model, max_len):
    """Plain Python numbers: position by position, feature by feature."""
    rows = []
    for position in range(max_len):
        angles = [position / 10000 ** (2 * (feature // 2) / d_model) for feature in range(d_model)]
        rows.append([math.cos(a) if feature % 2 else math.sin(a) for feature, a in enumerate(angles)])
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_a_loop_over_positions_and_features(sizes):
    """The table that is added is the one of the formula, to the last digit that float32 has."""
    d_model, max_len = sizes
    x = torch.zeros(2, max_len, d_model)
    wanted = _one_number_at_a_time(d_model, max_len).float().expand(2, -1, -1)
    torch.testing.assert_close(PositionalEncoding(d_model, max_len)(x), wanted, atol=1e-7, rtol=0)


@pytest.mark.parametrize("length", [1, 5, 9])
def test_reference_adds_the_first_rows_to_every_sample(length):
    """A shorter sequence gets the beginning of the table, as the library's embedding looks it up."""
    torch.manual_seed(length)
    module, x = PositionalEncoding(8, 9), torch.randn(3, length, 8)
    rows = functional.embedding(torch.arange(length), module.table)
    torch.testing.assert_close(module(x), torch.stack([sample + rows for sample in x]), atol=0, rtol=0)


def test_reference_turns_by_the_same_angle_at_every_place():
    """A step of k positions is one rotation of each pair, wherever it begins."""
    pairs = PositionalEncoding(16, 50).table.double().unflatten(-1, (8, 2))
    turns = torch.complex(pairs[..., 1], pairs[..., 0])  # cosine + i sine
    for step in (1, 7):
        torch.testing.assert_close(turns[step:], turns[:-step] * turns[step], atol=1e-6, rtol=0)


def test_reference_holds_a_buffer_and_learns_nothing():
    """The table is saved and moves with the module, and no optimiser is offered it."""
    module = PositionalEncoding(8, 16)
    assert [name for name, _ in module.named_buffers()] == ["table"] == list(module.state_dict())
    assert list(module.parameters()) == []
    assert module.double()(torch.zeros(1, 2, 8).double()).dtype is torch.float64


def test_reference_leaves_what_it_is_given():
    """x stays as it was, and its gradient comes through unchanged."""
    x = torch.randn(2, 5, 8, requires_grad=True)
    before = x.detach().clone()
    PositionalEncoding(8, 9)(x).sum().backward()
    assert torch.equal(x, before)
    assert torch.equal(x.grad, torch.ones_like(x))
