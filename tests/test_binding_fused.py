"""One role as high as several matrices together: where they stay apart, each holds its part."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tutor.sandbox.inside.binding import bind
from tutor.sandbox.inside.registry import registered

D = 6
SHAPES = {"W_qkv": (3 * D, D), "W_o": (D, D)}
ROLES = {"W_qkv": ("qkv", "c_attn"), "W_o": ("o_proj", "out")}


def _module(**outputs):
    module = nn.Module()
    for name, height in outputs.items():
        setattr(module, name, nn.Linear(D, height, bias=False))
    return module


@pytest.mark.parametrize("names", [("W_q", "W_k", "W_v"), ("key", "query", "value"), ("a", "b", "c")])
def test_three_layers_hold_the_fused_role_one_under_the_other(names):
    """In the order in which they are declared: any order of thirds is right."""
    module = _module(**dict.fromkeys(names, D), W_o=D)
    binding, weights = bind(module, ROLES, SHAPES), {role: torch.randn(shape) for role, shape in SHAPES.items()}
    binding.load(registered(module), weights)
    assert binding.bound == {"W_qkv": " + ".join(f"{name}.weight" for name in names), "W_o": "W_o.weight"}
    for name, rows in zip(names, weights["W_qkv"].chunk(3), strict=True):
        assert torch.equal(module.get_parameter(f"{name}.weight"), rows)
    assert torch.equal(binding.assemble("W_qkv", registered(module)), weights["W_qkv"])


@pytest.mark.parametrize(
    ("outputs", "bound"),
    [
        ({"W_qkv": D, "W_o": D}, "W_qkv.weight"),
        ({"W_q": D, "W_k": D, "W_o": D}, None),
        ({"W_q": D, "W_kv": D, "extra": 2 * D, "W_o": D}, None),
    ],
)
def test_what_is_not_as_large_together_is_no_fused_role(outputs, bound):
    """A part that is missing, or one of another size, is not made up for."""
    assert bind(_module(**outputs), ROLES, SHAPES).bound["W_qkv"] == bound
