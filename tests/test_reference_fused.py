"""The fused reference against an independent loop in float64, torch's own attention, and the layer with three matrices."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from reference.fused_qkv_attention import MultiHeadAttention
from reference.multi_head_attention import MultiHeadAttention as ThreeMatrices

SIZES = [(2, 7, 20, 4), (5, 4, 14, 2), (1, 1, 5, 1), (3, 9, 12, 6)]


def _layer(d_model, h):
    torch.manual_seed(d_model + h)
    return MultiHeadAttention(d_model, h).double()


def _by_hand(layer, x, h):
    """One head, one query, one key at a time."""
    width = x.shape[-1]
    d_k = width // h
    rows = {name: layer.W_qkv.weight[number * width : (number + 1) * width] for number, name in enumerate("qkv")}
    output = torch.zeros_like(x)
    for sample in range(x.shape[0]):
        for token in range(x.shape[1]):
            joined = []
            for head in range(h):
                own = slice(head * d_k, (head + 1) * d_k)
                query = rows["q"][own] @ x[sample, token]
                scores = torch.stack([query @ (rows["k"][own] @ other) for other in x[sample]]) / math.sqrt(d_k)
                shares = scores.exp() / scores.exp().sum()
                joined.append(
                    sum(share * (rows["v"][own] @ other) for share, other in zip(shares, x[sample], strict=True))
                )
            output[sample, token] = layer.W_o.weight @ torch.cat(joined)
    return output


@pytest.mark.parametrize(("B", "T", "d_model", "h"), SIZES)
def test_it_equals_a_loop_over_samples_tokens_and_heads(B, T, d_model, h):
    """Every number is that of the formula, written out."""
    layer, x = _layer(d_model, h), torch.randn(B, T, d_model, dtype=torch.float64)
    with torch.no_grad():
        torch.testing.assert_close(layer(x), _by_hand(layer, x, h), atol=1e-12, rtol=0)


@pytest.mark.parametrize(("B", "T", "d_model", "h"), SIZES)
def test_it_equals_the_attention_of_torch(B, T, d_model, h):
    """With its own rows torch's multi-head attention gives the same."""
    layer, x = _layer(d_model, h), torch.randn(B, T, d_model, dtype=torch.float64)
    theirs, _ = functional.multi_head_attention_forward(
        *[x.transpose(0, 1)] * 3, d_model, h, layer.W_qkv.weight, None, None, None, False, 0.0, layer.W_o.weight, None
    )
    torch.testing.assert_close(layer(x), theirs.transpose(0, 1), atol=1e-12, rtol=0)


def test_it_equals_the_layer_with_three_matrices():
    """Its thirds as W_Q, W_K and W_V make the layer of the exercise before it."""
    fused, three = _layer(20, 4), ThreeMatrices(20, 4).double()
    x = torch.randn(2, 7, 20, dtype=torch.float64)
    with torch.no_grad():
        for role, rows in zip((three.W_Q, three.W_K, three.W_V), fused.W_qkv.weight.chunk(3), strict=True):
            role.weight.copy_(rows)
        three.W_O.weight.copy_(fused.W_o.weight)
    torch.testing.assert_close(fused(x), three(x, x, x)[0], atol=1e-12, rtol=0)


def test_it_has_four_times_the_width_squared_in_parameters():
    """However many heads there are."""
    assert {sum(p.numel() for p in MultiHeadAttention(512, h).parameters()) for h in (1, 2, 4, 8, 16)} == {1_048_576}


def test_it_refuses_what_the_heads_cannot_share():
    """A width that num_heads does not divide is an error that names both."""
    with pytest.raises(ValueError, match=r"14.*4"):
        MultiHeadAttention(14, 4)
