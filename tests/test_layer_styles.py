"""The same right attention with its matrices kept in ways the contract does not name: one check fails, everything else is judged."""

from __future__ import annotations

import textwrap

import pytest

from tutor.model import Status

FRAME = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "h must divide d_model"
        self.h, self.d_k = h, d_model // h
{layers}

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
{project}
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        z = attn_w @ v
        joined = z.transpose(1, 2).flatten(2)
{finish}
        return output, attn_w
"""
SPLIT = "q, k, v = self.split(q), self.split(k), self.split(v)"
LINEAR = "nn.Linear(d_model, d_model, bias=False)"
OUT = f"self.W_O = {LINEAR}"
BARE = "nn.Parameter(torch.randn(d_model, d_model) / 4)"

# Name of the style: layers, projection, output, the checks that fail.
STYLES = {
    "contract": (
        f"self.W_Q = {LINEAR}\nself.W_K = {LINEAR}\nself.W_V = {LINEAR}\n{OUT}",
        f"q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)\n{SPLIT}",
        "output = self.W_O(joined)",
        [],
    ),
    "other names": (
        f"self.queries = {LINEAR}\nself.keys = {LINEAR}\nself.vals = {LINEAR}\nself.mix = {LINEAR}",
        f"q, k, v = self.queries(Q), self.keys(K), self.vals(V)\n{SPLIT}",
        "output = self.mix(joined)",
        ["names"],
    ),
    "module dict": (
        f"self.proj = nn.ModuleDict({{name: {LINEAR} for name in 'qkvo'}})",
        f"q, k, v = self.proj['q'](Q), self.proj['k'](K), self.proj['v'](V)\n{SPLIT}",
        "output = self.proj['o'](joined)",
        ["names"],
    ),
    "annotated transformer": (
        f"self.linears = nn.ModuleList([{LINEAR} for _ in range(4)])",
        f"q, k, v = [layer(x) for layer, x in zip(self.linears, (Q, K, V))]\n{SPLIT}",
        "output = self.linears[-1](joined)",
        ["names"],
    ),
    "fused qkv": (
        f"self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)\n{OUT}",
        f"a, b, c = self.qkv.weight.chunk(3)\nq, k, v = F.linear(Q, a), F.linear(K, b), F.linear(V, c)\n{SPLIT}",
        "output = self.W_O(joined)",
        ["names"],
    ),
    "fused kv": (
        f"self.W_Q = {LINEAR}\nself.W_KV = nn.Linear(d_model, 2 * d_model, bias=False)\n{OUT}",
        f"q, k, v = self.W_Q(Q), self.W_KV(K).chunk(2, -1)[0], self.W_KV(V).chunk(2, -1)[1]\n{SPLIT}",
        "output = self.W_O(joined)",
        ["names"],
    ),
    "fused four": (
        "self.W = nn.Linear(d_model, 4 * d_model, bias=False)",
        f"a, b, c, d = self.W.weight.chunk(4)\nq, k, v = Q @ a.T, K @ b.T, V @ c.T\n{SPLIT}",
        "output = joined @ d.T",
        ["names"],
    ),
    "fused bare": (
        f"self.W_qkv = nn.Parameter(torch.randn(d_model, 3 * d_model) / 4)\n{OUT}",
        f"a, b, c = self.W_qkv.chunk(3, dim=1)\nq, k, v = Q @ a, K @ b, V @ c\n{SPLIT}",
        "output = self.W_O(joined)",
        ["names"],
    ),
    "bare": (
        "\n".join(f"self.{name} = {BARE}" for name in ("W_Q", "W_K", "W_V", "W_O")),
        f"q, k, v = Q @ self.W_Q, K @ self.W_K, V @ self.W_V\n{SPLIT}",
        "output = joined @ self.W_O",
        ["names"],
    ),
    "bare, functional": (
        "\n".join(f"self.{name} = {BARE}" for name in ("w_q", "w_k", "w_v", "w_o")),
        f"q, k, v = F.linear(Q, self.w_q), F.linear(K, self.w_k), F.linear(V, self.w_v)\n{SPLIT}",
        "output = F.linear(joined, self.w_o)",
        ["names"],
    ),
    "bare stacks": (
        "self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(h, d_model, self.d_k) / 4) for _ in range(3))\n"
        "self.W_O = nn.Parameter(torch.randn(h, self.d_k, d_model) / 4)",
        "q, k, v = (torch.einsum('btd,hdk->bhtk', x, w) for x, w in ((Q, self.W_Q), (K, self.W_K), (V, self.W_V)))",
        "output = torch.einsum('bhtk,hkd->btd', z, self.W_O)",
        ["names"],
    ),
    "lists of heads": (
        "self.q, self.k, self.v = (nn.ModuleList([nn.Linear(d_model, self.d_k, bias=False) for _ in range(h)])"
        f" for _ in range(3))\n{OUT}",
        "q = torch.stack([layer(Q) for layer in self.q], 1)\nk = torch.stack([layer(K) for layer in self.k], 1)\n"
        "v = torch.stack([layer(V) for layer in self.v], 1)",
        "output = self.W_O(joined)",
        ["names", "no-loop"],
    ),
    "output per head": (
        f"self.W_Q = {LINEAR}\nself.W_K = {LINEAR}\nself.W_V = {LINEAR}\n"
        "self.W_O = nn.ModuleList([nn.Linear(self.d_k, d_model, bias=False) for _ in range(h)])",
        f"q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)\n{SPLIT}",
        "output = sum(layer(z[:, i]) for i, layer in enumerate(self.W_O))",
        ["names", "no-loop"],
    ),
}


def _source(style):
    layers, project, finish, _ = STYLES[style]
    layers, project, finish = (textwrap.indent(part, " " * 8) for part in (layers, project, finish))
    return FRAME.format(layers=layers, project=project, finish=finish)


def _failed(assessment):
    checks = [check for milestone in assessment.milestones for check in milestone.checks]
    return {check.id: check for check in checks if check.status is Status.FAILED}


@pytest.mark.parametrize("style", STYLES)
def test_only_the_contract_is_broken(judged, style):
    """The numbers of every style are right, and are found to be right."""
    assessment = judged(_source(style))
    failed = _failed(assessment)
    assert list(failed) == STYLES[style][3]
    not_run = [check.id for m in assessment.milestones for check in m.checks if check.status is Status.NOT_RUN]
    assert not_run == []
    if failed:
        assert failed["names"].code == "contract-layers-differ"
        assert all((failed["names"].expected, failed["names"].actual, failed["names"].next_step))


@pytest.mark.parametrize("style", [style for style in STYLES if style != "contract"])
def test_a_fault_in_the_numbers_is_still_found(judged, style):
    """Values through the keys' matrix, or no scale: what the style has to do with it is nothing."""
    source = _source(style).replace(" / math.sqrt(self.d_k)", "")
    assert "equal" in _failed(judged(source))


@pytest.mark.parametrize("style", ["fused qkv", "lists of heads", "bare stacks"])
def test_a_dead_matrix_is_still_found(judged, style):
    """A role that lies in a shared or cut parameter has a gradient of its own."""
    source = _source(style).replace("z = attn_w @ v", "z = attn_w @ k")
    failed = _failed(judged(source))
    assert "W_V" in failed["learns"].message


def _with(layers):
    """The contract's program with other lines in its constructor."""
    source = _source("contract")
    for line, other in layers.items():
        assert line in source
        source = source.replace(line, other)
    return source


@pytest.mark.parametrize(
    ("layers", "check", "code"),
    [
        ({f"self.W_K = {LINEAR}": "self.W_K = self.W_Q"}, "four-matrices", "one-layer-many-names"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = {LINEAR}.requires_grad_(False)"}, "four-matrices", "frozen-weights"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = [{LINEAR}][0:1]", "self.W_K(K)": "self.W_K[0](K)"}, "four-matrices", "layers-in-plain-list"),
        ({f"self.W_K = {LINEAR}": "self.W_K = torch.randn(d_model, d_model)", "self.W_K(K)": "K @ self.W_K"}, "four-matrices", "matrix-missing"),
        ({f"self.W_K = {LINEAR}": "self.W_K = nn.Linear(d_model, 2 * d_model, bias=False)"}, "four-matrices", "matrix-shape"),
        ({f"self.W_K = {LINEAR}": "self.W_K = nn.LazyLinear(d_model, bias=False)"}, "four-matrices", "matrix-shape"),
        ({f"self.W_K = {LINEAR}": "self.W_K = nn.Linear(d_model, d_model)"}, "no-bias", "unwanted-bias"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = {LINEAR}\n        self.b_k = nn.Parameter(torch.zeros(d_model))"}, "no-bias", "unwanted-bias"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = {LINEAR}\n        self.bk = nn.Parameter(torch.zeros(d_model))"}, "no-bias", "unwanted-bias"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = {LINEAR}\n        self.bias = nn.Parameter(torch.zeros(d_model))"}, "no-bias", "unwanted-bias"),
        ({f"self.W_K = {LINEAR}": f"self.W_K = {LINEAR}\n        self.norm = nn.LayerNorm(d_model)"}, "count", "parameter-count"),
    ],
)  # fmt: skip
def test_what_else_can_be_wrong_with_layers(judged, layers, check, code):
    """Each fault in the constructor is found by its own check."""
    failed = _failed(judged(_with(layers)))
    assert failed[check].code == code
    assert all((failed[check].message, failed[check].expected, failed[check].actual, failed[check].next_step))


def test_a_lazy_layer_runs_all_the_same(judged):
    """It has no numbers before its first call, and watching it must not stop that call."""
    failed = _failed(judged(_with({f"self.W_K = {LINEAR}": "self.W_K = nn.LazyLinear(d_model, bias=False)"})))
    assert "runs" not in failed


@pytest.mark.parametrize(
    "lazy",
    ["[nn.LazyLinear(d_model) for _ in range(4)]", "dict(zip('qkvo', (nn.LazyLinear(d_model) for _ in range(4))))"],
)
def test_lazy_layers_in_a_plain_list_are_found_there(judged, lazy):
    """A weight without a size has a place all the same, and that is the fault."""
    failed = _failed(judged(_with({OUT: f"self.layers = {lazy}"})))
    assert "constructs" not in failed
    assert failed["four-matrices"].code == "layers-in-plain-list"


# Parameters that raise when they are asked the usual things.
ODD = {
    "nan": "nn.Parameter(torch.full((2, 3), torch.nan))",
    "nan in half": "nn.Parameter(torch.full((2,), torch.nan, dtype=torch.float16))",
    "nan in complex": "nn.Parameter(torch.full((2,), torch.nan, dtype=torch.complex64))",
    "whole numbers": "nn.Parameter(torch.ones(3, dtype=torch.int64), requires_grad=False)",
    "truth": "nn.Parameter(torch.ones(3, dtype=torch.bool), requires_grad=False)",
    "byte floats": "nn.Parameter(torch.ones(3).to(torch.float8_e4m3fn), requires_grad=False)",
    "empty": "nn.Parameter(torch.empty(0))",
    "nine axes": "nn.Parameter(torch.ones((1,) * 9))",
    "sparse": "nn.Parameter(torch.eye(3).to_sparse())",
    "meta": "nn.Parameter(torch.ones(3, device='meta'))",
    "lazy": "nn.UninitializedParameter()",
    "repeated": "nn.Parameter(torch.ones(1).expand(3))",
    "bias without size": "nn.UninitializedParameter()",
    "contrary": "nn.Parameter(torch.ones(3).as_subclass(Contrary))",
}
CONTRARY = """
class Contrary(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("clone", "size", "equal", "eq", "zero_", "copy_", "numel"):
            raise ValueError("not with me")
        return super().__torch_function__(func, types, args, kwargs or {})


class MultiHeadAttention("""


@pytest.mark.parametrize(
    "style", ["{name} = {value}", "{name} = [{value}]", "register_buffer('{name}', ({value}).data)"]
)
@pytest.mark.parametrize("odd", ODD)
def test_odd_parameters_that_nobody_uses_cost_the_count_at_most(judged, odd, style):
    """Nothing that is asked of them raises, and none is said to have changed."""
    name = "bias" if odd.startswith("bias") else "extra"
    if style.startswith("register") and odd in ("lazy", "bias without size", "contrary"):
        style = "{name} = {value}"
    source = _with({OUT: f"{OUT}\n        self.{style.format(name=name, value=ODD[odd])}"})
    failed = _failed(judged(source.replace("class MultiHeadAttention(", CONTRARY.lstrip())))
    assert set(failed) <= ({"count"} if name == "extra" else {"count", "no-bias"})


def test_biases_of_layers_behind_properties_are_found(judged):
    """Where a layer is registered makes no difference to whether it has a bias."""
    failed = _failed(judged(_behind_properties("nn.Linear(d_model, d_model)")))
    assert set(failed) == {"no-bias", "count"}


def test_properties_that_answer_to_the_contracts_names_are_the_contract(judged):
    """Where the layers are registered is nobody's business, as long as the attributes are there."""
    assert judged(_behind_properties(LINEAR)).status is Status.PASSED


def _behind_properties(layer):
    layers = f"self.layers = nn.ModuleDict({{k: {layer} for k in 'okvq'}})"
    project = f"q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)\n{SPLIT}"
    source = FRAME.format(
        layers=textwrap.indent(layers, " " * 8),
        project=textwrap.indent(project, " " * 8),
        finish="        output = self.W_O(joined)",
    )
    names = "".join(
        f"    @property\n    def W_{name}(self):\n        return self.layers['{name.lower()}']\n\n" for name in "QKVO"
    )
    return source.replace("    def split(", f"{names}    def split(")
