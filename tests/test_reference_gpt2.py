"""The reference of GPT-2's attention against a loop over samples, heads and tokens, and against the library."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from reference.gpt2_attention import CausalMHA

# B, T, d_in, d_out, context_length, nheads.
SIZES = [(2, 7, 10, 15, 9, 3), (3, 4, 18, 14, 6, 2), (2, 5, 12, 12, 5, 6), (1, 1, 3, 8, 4, 1), (1, 6, 5, 7, 6, 7)]


def _layer(d_in, d_out, context_length, nheads, **arguments):
    torch.manual_seed(d_in + nheads)
    return CausalMHA(d_in, d_out, context_length, nheads, **arguments).double()


def _linear(layer, numbers):
    """Row by row, in plain Python numbers."""
    bias = [0.0] * layer.out_features if layer.bias is None else layer.bias.tolist()
    return [
        sum(weight * number for weight, number in zip(row, numbers, strict=True)) + start
        for row, start in zip(layer.weight.tolist(), bias, strict=True)
    ]


def _token(layer, sample, place, nheads):
    """What one token finds: head after head, and key after key up to itself."""
    width = layer.out.in_features // nheads
    asked = _linear(layer.q, sample[place])
    keys, values = ([_linear(each, token) for token in sample[: place + 1]] for each in (layer.k, layer.v))
    found = []
    for start in range(0, nheads * width, width):
        part = slice(start, start + width)
        scores = [sum(a * b for a, b in zip(asked[part], key[part], strict=True)) / math.sqrt(width) for key in keys]
        shares = [math.exp(score - max(scores)) for score in scores]
        for feature in range(start, start + width):
            mixed = sum(share * value[feature] for share, value in zip(shares, values, strict=True))
            found.append(mixed / sum(shares))
    return _linear(layer.out, found)


@pytest.mark.parametrize("qkv_bias", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_a_loop_over_tokens(sizes, qkv_bias):
    """Sample by sample, token by token and head by head, in plain Python, the output is the same."""
    B, T, d_in, d_out, context_length, nheads = sizes
    layer = _layer(d_in, d_out, context_length, nheads, qkv_bias=qkv_bias).eval()
    x = torch.randn(B, T, d_in, dtype=torch.float64)
    wanted = [[_token(layer, sample, place, nheads) for place in range(T)] for sample in x.tolist()]
    torch.testing.assert_close(layer(x), torch.tensor(wanted, dtype=torch.float64), atol=1e-12, rtol=0)


@pytest.mark.parametrize("qkv_bias", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_reference_equals_the_librarys_attention(sizes, qkv_bias):
    """The library's causal attention between the same layers gives the same output and the same gradients."""
    B, T, d_in, d_out, context_length, nheads = sizes
    layer = _layer(d_in, d_out, context_length, nheads, qkv_bias=qkv_bias).eval()
    x = torch.randn(B, T, d_in, dtype=torch.float64, requires_grad=True)
    heads = (each(x).view(B, T, nheads, -1).transpose(1, 2) for each in (layer.q, layer.k, layer.v))
    found = functional.scaled_dot_product_attention(*heads, is_causal=True)
    theirs, mine = layer.out(found.transpose(1, 2).reshape(B, T, d_out)), layer(x)
    torch.testing.assert_close(mine, theirs, atol=1e-12, rtol=0)
    wanted = torch.autograd.grad(theirs.square().sum(), [x, *layer.parameters()])
    got = torch.autograd.grad(mine.square().sum(), [x, *layer.parameters()])
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


@pytest.mark.parametrize(("qkv_bias", "count"), [(False, 2_360_064), (True, 2_362_368)])
def test_reference_has_the_parameters_of_gpt2_small(qkv_bias, count):
    """768 wide with 12 heads, the layer learns as many numbers as the statement says."""
    layer = CausalMHA(768, 768, 1024, 12, qkv_bias=qkv_bias)
    assert sum(parameter.numel() for parameter in layer.parameters()) == count


def test_reference_drops_weights_as_the_library_does():
    """In training the weights are those without dropout under the very pattern that functional.dropout draws from this seed."""
    layer = _layer(10, 15, 9, 3, dropout=0.25)
    x = torch.randn(2, 7, 10, dtype=torch.float64)
    q, k, v = (each(x).view(2, 7, 3, 5).transpose(1, 2) for each in (layer.q, layer.k, layer.v))
    late = torch.ones(7, 7, dtype=torch.bool).triu(1)
    plain = (q @ k.mT / math.sqrt(5)).masked_fill(late, float("-inf")).softmax(-1)
    torch.manual_seed(3)
    weights = functional.dropout(plain, 0.25)
    torch.manual_seed(3)
    torch.testing.assert_close(layer(x), layer.out((weights @ v).transpose(1, 2).flatten(2)), atol=1e-12, rtol=0)


def test_reference_drops_nothing_in_eval_mode():
    """After eval() two calls agree to the last bit, and with the layer that never drops."""
    dropping, plain = _layer(10, 15, 9, 3, dropout=0.5).eval(), _layer(10, 15, 9, 3)
    plain.load_state_dict(dropping.state_dict())
    x = torch.randn(2, 7, 10, dtype=torch.float64)
    assert torch.equal(dropping(x), dropping(x))
    assert torch.equal(dropping(x), plain(x))


def test_reference_does_not_see_later_tokens():
    """Whatever stands behind a token, its output stays as it was to the last bit."""
    layer = _layer(10, 15, 9, 3).eval()
    x = torch.randn(2, 7, 10, dtype=torch.float64)
    other = x.clone()
    other[:, 4:] = 1e6
    assert torch.equal(layer(x)[:, :4], layer(other)[:, :4])


@pytest.mark.parametrize(("d_in", "d_out", "nheads"), [(12, 14, 4), (14, 10, 7)])
def test_reference_refuses_what_the_heads_cannot_share(d_in, d_out, nheads):
    """d_out decides, also where nheads divides d_in."""
    with pytest.raises(ValueError, match="shared evenly"):
        CausalMHA(d_in, d_out, 9, nheads)


def test_reference_keeps_its_mask_as_a_buffer():
    """The mask is saved with the weights and is none of them."""
    layer = CausalMHA(10, 15, 9, 3)
    assert {name: tuple(buffer.shape) for name, buffer in layer.named_buffers()} == {"mask": (9, 9)}
