"""The reference of layer normalization against two oracles that were written in another way: a loop over tokens, and the library."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

from reference.layer_normalization import layer_norm

SHAPES = [(7,), (4, 6), (2, 5, 7), (2, 3, 4, 5), (1, 1, 3), (3, 4, 1)]


def _drawn(shape, scale=1.0):
    torch.manual_seed(len(shape) + shape[-1])
    x = torch.randn(*shape, dtype=torch.float64) * scale
    gamma, beta = (torch.randn(shape[-1], dtype=torch.float64) for _ in range(2))
    return [tensor.requires_grad_() for tensor in (x, gamma, beta)]


def _one_token_at_a_time(x, gamma, beta, eps):
    """Plain Python numbers: no mean and no root of torch."""
    done = []
    for token in x.reshape(-1, x.shape[-1]).tolist():
        mean = sum(token) / len(token)
        variance = sum((feature - mean) ** 2 for feature in token) / len(token)
        rows = zip(token, gamma.tolist(), beta.tolist(), strict=True)
        done.append(
            [stretch * (feature - mean) / math.sqrt(variance + eps) + shift for feature, stretch, shift in rows]
        )
    return torch.tensor(done, dtype=x.dtype).reshape(x.shape)


@pytest.mark.parametrize("scale", [1.0, 40.0, 0.003, 1e-6])
@pytest.mark.parametrize("shape", SHAPES)
def test_reference_equals_a_loop_over_tokens(shape, scale):
    """One token after the other, in plain Python, gives the same numbers, whatever the size of the features."""
    x, gamma, beta = (tensor.detach() for tensor in _drawn(shape, scale))
    for eps in (1e-5, 0.1):
        wanted = _one_token_at_a_time(x, gamma, beta, eps)
        torch.testing.assert_close(layer_norm(x, gamma, beta, eps=eps), wanted, atol=1e-11, rtol=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_reference_equals_the_librarys_layer_norm(shape):
    """The library gives the same numbers and the same gradients, and has the same eps."""
    mine, theirs = _drawn(shape), _drawn(shape)
    results = layer_norm(*mine), functional.layer_norm(theirs[0], shape[-1:], theirs[1], theirs[2])
    torch.testing.assert_close(*results, atol=1e-12, rtol=0)
    for result in results:
        result.square().sum().backward()
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-9, rtol=1e-9)


def test_reference_turns_equal_features_into_beta():
    """Where the variance is 0, nothing is left of the token but the shift."""
    _, gamma, beta = _drawn((2, 5))
    torch.testing.assert_close(
        layer_norm(torch.full((2, 5), 4.0).double(), gamma, beta), beta.expand(2, 5), atol=0, rtol=0
    )


def test_reference_leaves_what_it_is_given():
    """The caller's tensors are what they were."""
    given = _drawn((2, 5, 7))
    before = [tensor.detach().clone() for tensor in given]
    layer_norm(*given)
    assert all(torch.equal(now, was) for now, was in zip(given, before, strict=True))


def test_reference_gradients_are_right():
    """Gradients for x, gamma and beta agree with finite differences."""
    assert torch.autograd.gradcheck(layer_norm, _drawn((2, 3, 4)))
