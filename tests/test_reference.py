"""The reference against two oracles that were written in another way: a loop over heads, and the library's attention."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from reference.multi_head_attention import MultiHeadAttention

SIZES = [(2, 7, 4, 15, 3), (3, 4, 6, 14, 2), (1, 1, 1, 6, 6), (2, 5, 5, 7, 1)]


def _drawn(B, T_q, T_k, d_model, h):
    torch.manual_seed(B + T_q)
    layer = MultiHeadAttention(d_model, h).double()
    Q = torch.randn(B, T_q, d_model, dtype=torch.float64)
    K, V = torch.randn(2, B, T_k, d_model, dtype=torch.float64)
    mask = torch.rand(B, 1, T_q, T_k) < 0.6
    mask[..., 0] = True
    return layer, Q, K, V, mask


def _one_by_one(layer, Q, K, V, mask):
    outputs = []
    maps = []
    d_k = layer.d_k
    for head in range(layer.h):
        part = slice(head * d_k, (head + 1) * d_k)
        q, k, v = (x @ w.weight.T[:, part] for x, w in ((Q, layer.W_Q), (K, layer.W_K), (V, layer.W_V)))
        scores = torch.einsum("bqd,bkd->bqk", q, k) * d_k**-0.5
        if mask is not None:
            scores = scores + torch.where(mask[:, 0], 0.0, -torch.inf)
        weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
        maps.append(weights)
        outputs.append(weights @ v)
    return torch.cat(outputs, -1) @ layer.W_O.weight.T, torch.stack(maps, 1)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_a_loop_over_heads(sizes, masked):
    """One head after the other, in float64, gives the same output and the same weights."""
    layer, Q, K, V, mask = _drawn(*sizes)
    wanted = _one_by_one(layer, Q, K, V, mask if masked else None)
    got = layer(Q, K, V, mask=mask if masked else None)
    for mine, theirs in zip(got, wanted, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_the_librarys_attention(sizes, masked):
    """The library's own multi-head attention with the same weights gives the same numbers."""
    layer, Q, K, V, mask = _drawn(*sizes)
    library = torch.nn.MultiheadAttention(layer.W_O.weight.shape[0], layer.h, bias=False, batch_first=True).double()
    with torch.no_grad():
        library.in_proj_weight.copy_(torch.cat([layer.W_Q.weight, layer.W_K.weight, layer.W_V.weight]))
        library.out_proj.weight.copy_(layer.W_O.weight)
    blocked = ~mask.expand(-1, layer.h, -1, -1).flatten(0, 1) if masked else None
    wanted, maps = library(Q, K, V, attn_mask=blocked, average_attn_weights=False)
    output, weights = layer(Q, K, V, mask=mask if masked else None)
    torch.testing.assert_close(output, wanted, atol=1e-12, rtol=0)
    torch.testing.assert_close(weights, maps, atol=1e-12, rtol=0)


def test_reference_context_equals_scaled_dot_product_attention():
    """The part before the output matrix is the library's scaled dot-product attention per head."""
    layer, Q, K, V, mask = _drawn(2, 7, 4, 15, 3)
    q, k, v = (layer._split(w(x)) for x, w in ((Q, layer.W_Q), (K, layer.W_K), (V, layer.W_V)))
    context = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    wanted = layer.W_O(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(layer(Q, K, V, mask=mask)[0], wanted, atol=1e-12, rtol=0)


def test_reference_refuses_heads_that_do_not_divide_the_width():
    """14 features cannot be shared by 4 heads."""
    with pytest.raises(ValueError, match="cannot be shared evenly"):
        MultiHeadAttention(14, 4)
