"""The reference of cross-attention against oracles that were written in another way: a loop over heads, and the library's attention."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from reference.cross_attention import CrossAttention

SIZES = [(2, 7, 4, 15, 3), (3, 4, 6, 14, 2), (1, 1, 1, 6, 6), (2, 5, 5, 7, 1), (4, 1, 9, 8, 4), (3, 6, 1, 12, 2)]


def _drawn(B, T_q, T_k, d_model, num_heads):
    torch.manual_seed(B + T_q)
    layer = CrossAttention(d_model, num_heads).double()
    x = torch.randn(B, T_q, d_model, dtype=torch.float64)
    memory = torch.randn(B, T_k, d_model, dtype=torch.float64)
    return layer, x, memory


def _one_by_one(layer, x, source):
    """Sample by sample, head by head and query by query."""
    output = torch.zeros_like(x)
    for sample in range(x.shape[0]):
        for query in range(x.shape[1]):
            heads = []
            for head in range(layer.h):
                rows = slice(head * layer.d_k, (head + 1) * layer.d_k)
                q = layer.W_Q.weight[rows] @ x[sample, query]
                k, v = (source[sample] @ matrix.weight[rows].T for matrix in (layer.W_K, layer.W_V))
                parts = (k @ q * layer.d_k**-0.5).exp()
                heads.append((parts / parts.sum()) @ v)
            output[sample, query] = layer.W_O.weight @ torch.cat(heads)
    return output


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("given", [True, False])
@torch.no_grad()
def test_reference_equals_a_loop_over_samples_heads_and_queries(sizes, given):
    """One query after the other, in float64, gives the same output, with memory and without."""
    layer, x, memory = _drawn(*sizes)
    got = layer(x, memory=memory) if given else layer(x)
    torch.testing.assert_close(got, _one_by_one(layer, x, memory if given else x), atol=1e-12, rtol=0)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("given", [True, False])
def test_reference_equals_the_librarys_attention(sizes, given):
    """The library's own multi-head attention with the same weights gives the same numbers."""
    layer, x, memory = _drawn(*sizes)
    source = memory if given else x
    library = torch.nn.MultiheadAttention(x.shape[-1], layer.h, bias=False, batch_first=True).double()
    with torch.no_grad():
        library.in_proj_weight.copy_(torch.cat([layer.W_Q.weight, layer.W_K.weight, layer.W_V.weight]))
        library.out_proj.weight.copy_(layer.W_O.weight)
    wanted, _ = library(x, source, source, need_weights=False)
    got = layer(x, memory) if given else layer(x)
    torch.testing.assert_close(got, wanted, atol=1e-12, rtol=0)


def test_reference_context_equals_scaled_dot_product_attention():
    """The part before the output matrix is the library's scaled dot-product attention per head."""
    layer, x, memory = _drawn(2, 7, 4, 15, 3)
    q, k, v = (layer._split(t) for t in (layer.W_Q(x), layer.W_K(memory), layer.W_V(memory)))
    context = functional.scaled_dot_product_attention(q, k, v)
    wanted = layer.W_O(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(layer(x, memory), wanted, atol=1e-12, rtol=0)


def test_reference_without_memory_is_memory_equal_to_x():
    """Self-attention is the case in which x answers itself."""
    layer, x, _ = _drawn(2, 7, 4, 15, 3)
    torch.testing.assert_close(layer(x), layer(x, memory=x), atol=0, rtol=0)


def test_reference_a_single_position_in_memory_answers_every_query_alike():
    """All the attention goes to it, so the output is W_O W_V of it, whatever x is."""
    layer, x, memory = _drawn(3, 6, 1, 12, 2)
    wanted = (memory @ layer.W_V.weight.T @ layer.W_O.weight.T).expand_as(x)
    torch.testing.assert_close(layer(x, memory=memory), wanted, atol=1e-12, rtol=0)


def test_reference_does_not_ask_where_in_memory_something_stands():
    """Another order of its positions changes nothing: nothing is hidden, and no place is known."""
    layer, x, memory = _drawn(2, 7, 4, 15, 3)
    torch.testing.assert_close(layer(x, memory=memory.flip(1)), layer(x, memory=memory), atol=1e-12, rtol=0)


def test_reference_refuses_heads_that_do_not_divide_the_width():
    """14 features cannot be shared by 4 heads."""
    with pytest.raises(ValueError, match="cannot be shared evenly"):
        CrossAttention(14, 4)
