"""The reference of single attention against two oracles that were written in another way: a loop over queries, and the library."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from reference.scaled_dot_product_attention import scaled_dot_product_attention

# The axes in front, then T_q, T_k, d_k and d_v.
SIZES = [((), 6, 5, 3, 4), ((2,), 7, 4, 5, 3), ((3, 2), 4, 6, 7, 5), ((2, 3, 4), 5, 6, 7, 8), ((1,), 1, 1, 1, 2)]


def _drawn(lead, T_q, T_k, d_k, d_v):
    torch.manual_seed(len(lead) + T_q)
    Q, K, V = (
        torch.randn(*lead, *shape, dtype=torch.float64, requires_grad=True)
        for shape in ((T_q, d_k), (T_k, d_k), (T_k, d_v))
    )
    mask = torch.rand(*lead, T_q, T_k) < 0.6
    mask[..., 0] = True
    return Q, K, V, mask


def _one_query_at_a_time(Q, K, V, mask):
    """Plain Python numbers: no product of matrices, no softmax of torch."""
    weights = torch.zeros(*Q.shape[:-1], K.shape[-2], dtype=Q.dtype)
    output = torch.zeros(*Q.shape[:-1], V.shape[-1], dtype=Q.dtype)
    for place in torch.cartesian_prod(*(torch.arange(size) for size in Q.shape[:-1])).reshape(-1, Q.dim() - 1).tolist():
        query, keys, values = Q[tuple(place)], K[tuple(place[:-1])], V[tuple(place[:-1])]
        raw = [float((query * key).sum()) / math.sqrt(len(query)) for key in keys]
        shares = [math.exp(score) if mask is None or mask[(*place, index)] else 0.0 for index, score in enumerate(raw)]
        for index, share in enumerate(shares):
            weights[(*place, index)] = share / sum(shares)
            output[tuple(place)] += share / sum(shares) * values[index]
    return output, weights


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_a_loop_over_queries(sizes, masked):
    """One query after the other, in plain Python, gives the same output and the same weights."""
    Q, K, V, mask = (tensor.detach() for tensor in _drawn(*sizes))
    chosen = mask if masked else None
    wanted = _one_query_at_a_time(Q, K, V, chosen)
    for mine, theirs in zip(scaled_dot_product_attention(Q, K, V, mask=chosen), wanted, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_the_librarys_attention(sizes, masked):
    """The library's attention gives the same output; on an identity in place of V it gives the weights."""
    Q, K, V, mask = _drawn(*sizes)
    chosen = mask if masked else None
    eye = torch.eye(K.shape[-2], dtype=K.dtype).expand(*K.shape[:-1], K.shape[-2])
    output, weights = scaled_dot_product_attention(Q, K, V, mask=chosen)
    for mine, values in ((output, V), (weights, eye)):
        theirs = functional.scaled_dot_product_attention(Q, K, values, attn_mask=chosen)
        torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)


@pytest.mark.parametrize("shape", [(7, 4), (1, 4), (2, 1, 7, 4), (1, 1, 1, 4), (1, 3, 7, 4)])
def test_reference_takes_every_mask_that_broadcasts(shape):
    """A mask with fewer axes, or with axes of size 1, is the same as that mask written out."""
    Q, K, V, _ = _drawn((2, 3), 7, 4, 5, 3)
    mask = torch.rand(shape) < 0.6
    mask[..., 0] = True
    short = scaled_dot_product_attention(Q, K, V, mask=mask)
    long = scaled_dot_product_attention(Q, K, V, mask=mask.expand(2, 3, 7, 4))
    for mine, theirs in zip(short, long, strict=True):
        torch.testing.assert_close(mine, theirs, atol=0, rtol=0)


def test_reference_gives_a_forbidden_key_exactly_nothing():
    """A weight under a False is 0, not merely small, whatever the size of the scores."""
    Q, K, V, mask = _drawn((2,), 7, 4, 5, 3)
    weights = scaled_dot_product_attention(60 * Q, K, V, mask=mask)[1]
    assert (weights[~mask] == 0).all()
    assert weights.isfinite().all()


def test_reference_leaves_what_it_is_given():
    """The caller's tensors and mask are what they were."""
    given = _drawn((2,), 7, 4, 5, 3)
    before = [tensor.detach().clone() for tensor in given]
    scaled_dot_product_attention(*given[:3], mask=given[3])
    assert all(torch.equal(now, was) for now, was in zip(given, before, strict=True))


def test_reference_gradients_are_right():
    """Gradients for Q, K and V agree with finite differences, with a mask and without."""
    Q, K, V, mask = _drawn((2,), 3, 4, 5, 2)
    for chosen in (None, mask):
        assert torch.autograd.gradcheck(
            lambda *given, chosen=chosen: scaled_dot_product_attention(*given, mask=chosen), (Q, K, V)
        )
