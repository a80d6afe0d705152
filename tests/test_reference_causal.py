"""The causal reference against oracles that were written in another way: one token and one head at a time, and the library's attention."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from reference.causal_attention import CausalMHA

# B, n, d, nheads, context_length: shorter than the longest, as long as can be, one of everything.
SIZES = [(2, 7, 15, 3, 11), (3, 9, 14, 2, 9), (1, 1, 6, 6, 4), (2, 5, 7, 1, 8)]
SAME = {"atol": 1e-12, "rtol": 0}


def _drawn(B, n, d, nheads, context_length):
    torch.manual_seed(B + n)
    return CausalMHA(d, nheads, context_length).double(), torch.randn(B, n, d, dtype=torch.float64)


def _token_by_token(layer, x):
    """Each token asks each head, which knows nothing but the tokens up to it."""
    rows = []
    for t in range(x.shape[1]):
        parts = []
        for head in range(layer.h):
            part = slice(head * layer.d_k, (head + 1) * layer.d_k)
            query = x[:, t] @ layer.q.weight[part].T
            keys, values = (x[:, : t + 1] @ one.weight[part].T for one in (layer.k, layer.v))
            scores = torch.einsum("bd,bkd->bk", query, keys) * layer.d_k**-0.5
            shares = scores.exp() / scores.exp().sum(-1, keepdim=True)
            parts.append(torch.einsum("bk,bkd->bd", shares, values))
        rows.append(torch.cat(parts, -1) @ layer.out.weight.T + layer.out.bias)
    return torch.stack(rows, 1)


@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_one_token_and_one_head_at_a_time(sizes):
    """A loop that never touches a later token gives the same output, in float64."""
    layer, x = _drawn(*sizes)
    torch.testing.assert_close(layer(x), _token_by_token(layer, x), **SAME)


@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_the_librarys_attention(sizes):
    """The library's multi-head attention with the same weights and a causal mask gives the same numbers."""
    layer, x = _drawn(*sizes)
    d, n = x.shape[-1], x.shape[1]
    library = torch.nn.MultiheadAttention(d, layer.h, bias=True, batch_first=True).double()
    with torch.no_grad():
        library.in_proj_weight.copy_(torch.cat([layer.q.weight, layer.k.weight, layer.v.weight]))
        library.in_proj_bias.zero_()
        library.out_proj.weight.copy_(layer.out.weight)
        library.out_proj.bias.copy_(layer.out.bias)
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    wanted, _ = library(x, x, x, attn_mask=hidden, need_weights=False)
    torch.testing.assert_close(layer(x), wanted, **SAME)


def test_reference_equals_the_fused_function():
    """What comes before out is the library's scaled dot-product attention with is_causal."""
    layer, x = _drawn(2, 7, 15, 3, 11)
    q, k, v = (layer._split(one(x)) for one in (layer.q, layer.k, layer.v))
    context = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(layer(x), layer.out(context.transpose(1, 2).flatten(2)), **SAME)


def test_no_later_token_is_seen():
    """Wherever the sequence is cut, new tokens behind the cut change nothing before it, and something behind it."""
    layer, x = _drawn(2, 9, 14, 2, 12)
    before = layer(x)
    for cut in range(1, 9):
        changed = x.clone()
        changed[:, cut:] = torch.randn_like(changed[:, cut:]) * 100
        after = layer(changed)
        torch.testing.assert_close(after[:, :cut], before[:, :cut], **SAME)
        assert not torch.allclose(after[:, cut:], before[:, cut:])


def test_every_token_that_may_be_seen_is_seen():
    """Each token depends on every one up to itself: a mask that hides too much passes every leakage test."""
    layer, x = _drawn(2, 6, 15, 3, 8)
    jacobian = torch.autograd.functional.jacobian(lambda one: layer(one[None])[0].sum(-1), x[0]).abs().amax(-1)
    assert torch.equal(jacobian > 1e-9, torch.ones(6, 6, dtype=torch.bool).tril())


@pytest.mark.parametrize("nheads", [1, 2, 4])
def test_the_count_does_not_depend_on_the_heads(nheads):
    """Width 8 makes 4·8² + 8 = 264 parameters, and the mask is none of them."""
    layer = CausalMHA(8, nheads, 16)
    assert sum(one.numel() for one in layer.parameters()) == 264
    assert {name: tuple(one.shape) for name, one in layer.named_buffers()} == {"mask": (16, 16)}


def test_an_uneven_share_is_refused():
    """A width that the heads cannot share evenly raises, with the sizes in the message."""
    with pytest.raises(ValueError, match="d = 14 cannot be shared evenly by nheads = 4"):
        CausalMHA(14, 4, 9)
