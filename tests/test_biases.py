"""Which parameters hold the biases that a contract wants, and what is put into them and read back."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tutor.content import Case, Exercise, Role
from tutor.expected import Reference
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.sandbox.inside.binding import bind
from tutor.sandbox.inside.registry import kept, registered

D, H = 6, 3
ROLES = {
    "q": ("W_q", "query"),
    "k": ("W_k", "key"),
    "v": ("W_v", "value"),
    "out": ("out_proj", "W_o", "proj", "output"),
}


class _Parts(nn.Module):
    """A module with the contract's layers, some of them exchanged or left out."""

    def __init__(self, **changes):
        super().__init__()
        layers = {name: nn.Linear(D, D, bias=name == "out") for name in ROLES} | changes
        for name, part in layers.items():
            if part is not None:
                setattr(self, name, part)


def _bound(module, wanted=("out",)):
    shapes = dict.fromkeys(ROLES, (D, D)) | {f"{role}.bias": (D,) for role in wanted}
    return bind(module, ROLES, shapes)


def _filled(module, wanted=("out",)):
    """Bind, load different numbers everywhere, and give what each bias reads as afterwards."""
    torch.manual_seed(4)
    binding = _bound(module, wanted)
    weights = {name: torch.randn(shape) for name, shape in binding.shapes.items()}
    binding.load(registered(module), weights)
    for name, tensor in weights.items():
        assert torch.equal(binding.assemble(name, registered(module)), tensor), name
    return binding


def test_the_bias_of_the_layer_comes_first():
    """It takes its numbers, is no unwanted bias and is not left over."""
    binding = _filled(_Parts())
    assert binding.bound["out.bias"] == "out.bias"
    assert (binding.biases, binding.unclaimed) == ([], [])


def test_other_layers_keep_theirs_at_zero():
    """A bias that nobody asked for is set to zero beside the one that is wanted."""
    module = _Parts(q=nn.Linear(D, D))
    binding = _filled(module)
    assert binding.biases == ["q.bias"]
    assert not module.q.bias.any()


def test_a_renamed_layer_brings_its_bias():
    """The bias goes with the weight, whatever the layer is called."""
    assert _filled(_Parts(out=None, out_proj=nn.Linear(D, D))).bound["out.bias"] == "out_proj.bias"


def test_a_fused_layer_has_a_part_for_each():
    """Rows of the weight and numbers of the bias belong together."""
    module = _Parts(q=None, k=None, v=None, qkv=nn.Linear(D, 3 * D))
    binding = _filled(module, ("q", "k", "v", "out"))
    assert [binding.bound[f"{role}.bias"] for role in "qkv"] == ["qkv.bias[0:6]", "qkv.bias[6:12]", "qkv.bias[12:18]"]


def test_heads_have_pieces():
    """One layer per head holds its share of the bias."""
    heads = nn.ModuleList(nn.Linear(D, D // H) for _ in range(H))
    binding = _filled(_Parts(q=heads), ("q", "out"))
    assert binding.bound["q.bias"] == "q.0.bias + q.1.bias + q.2.bias"


def test_shares_that_are_added_up_need_one_bias():
    """Of layers whose results are summed each has a bias for the whole width; the first takes it, the others are too many."""
    shares = nn.ModuleList(nn.Linear(D // H, D) for _ in range(H))
    binding = _filled(_Parts(out=None, output=shares))
    assert binding.bound["out.bias"] == "output.0.bias"
    assert binding.biases == ["output.1.bias", "output.2.bias"]


@pytest.mark.parametrize("name", ["out_bias", "b_out", "bias", "b_o", "shift"])
def test_a_bare_vector_is_found(name):
    """Beside a layer without a bias the one vector of its length is it."""
    module = _Parts(out=nn.Linear(D, D, bias=False), **{name: nn.Parameter(torch.zeros(D))})
    assert _filled(module).bound["out.bias"] == name


def test_bare_vectors_are_told_apart_by_their_names():
    """Several belong to the roles they speak of, in whatever order they stand."""
    vectors = {name: nn.Parameter(torch.zeros(D)) for name in ("b_v", "b_k", "out_bias", "bq")}
    module = _Parts(**{name: nn.Linear(D, D, bias=False) for name in ROLES}, **vectors)
    binding = _filled(module, tuple(ROLES))
    assert [binding.bound[f"{role}.bias"] for role in ROLES] == ["bq", "b_k", "b_v", "out_bias"]


def test_what_a_norm_holds_is_no_bias_of_a_role():
    """A missing bias stays missing, though there are vectors of its length."""
    module = _Parts(out=nn.Linear(D, D, bias=False), norm=nn.LayerNorm(D))
    assert _bound(module).bound["out.bias"] is None


def test_what_a_module_keeps():
    """Buffers first, then tensors in plain attributes, lists and dicts; what is a buffer already is not told twice."""
    module = _Parts()
    module.register_buffer("mask", torch.ones(4, 4))
    module.register_buffer("empty", None)
    module.plain, module.alias, module.number = torch.ones(3), module.mask, 3
    module.table = {"a": [torch.ones(2, 1)]}
    module.inner = nn.Module()
    module.inner.register_buffer("mask", torch.ones(1), persistent=False)
    told = [(one["name"], tuple(one["shape"]), one["buffer"]) for one in kept(module)]
    assert told == [
        ("mask", (4, 4), True),
        ("inner.mask", (1,), True),
        ("plain", (3,), False),
        ("table['a'][0]", (2, 1), False),
    ]


def test_what_a_module_keeps_is_limited():
    """However many there are, a report names a few."""
    module = nn.Module()
    for number in range(100):
        module.register_buffer(f"b{number}", torch.ones(1))
    assert len(kept(module)) == 32


SOURCE = """
from torch import nn


class Scaled(nn.Module):
    def __init__(self, d, biased=False):
        super().__init__()
        self.one = nn.Linear(d, d, bias=True)
        self.two = nn.Linear(d, d, bias=biased)

    def forward(self, x):
        first = self.one(x)
        output = self.two(first)
        return output
"""


def _exercise():
    roles = (
        Role(name="one", shape="d d", bias="d"),
        Role(name="two", shape="d d", bias="d", bias_when="biased"),
    )
    inputs = {"x": "randn B d"}
    cases = (
        Case(name="with", dims={"B": 2, "d": 3}, arguments={"biased": True}, inputs=inputs, gradients=True),
        Case(name="without", dims={"B": 2, "d": 3}, inputs=inputs),
    )
    entry = {
        "kind": "class",
        "name": "Scaled",
        "constructor": ["d"],
        "options": ["biased"],
        "positional": ["x"],
        "returns": {"output": "B d"},
    }
    return Exercise(
        slug="scaled", title="t", summary="s", version=1, entry=entry, roles=roles, cases=cases, milestones=(),
        statement="s", starter="s", reference=SOURCE,
    )  # fmt: skip


def test_a_bias_may_depend_on_an_argument_of_the_constructor():
    """Where the argument is given it is drawn, loaded, and has a gradient, in the reference as in a submission; elsewhere there is none."""
    exercise = _exercise()
    assert exercise.biases(exercise.case("with")) == {"one": "d", "two": "d"}
    assert exercise.biases(exercise.case("without")) == {"one": "d"}
    planned = plan(exercise, 3)
    first, second = planned.cases
    assert list(first["weights"]) == ["one", "two", "one.bias", "two.bias"]
    assert list(second["weights"]) == ["one", "two", "one.bias"]
    # Cases of one width share what they have in common.
    assert second["weights"]["one.bias"] == first["weights"]["one.bias"]
    seen, expected = observe_here(planned, SOURCE), Reference(exercise).observe(planned)
    for name in ("with", "without"):
        mine, wanted = seen[name].calls[0], expected[name].calls[0]
        torch.testing.assert_close(mine.items[0].double(), wanted.items[0], atol=1e-5, rtol=0)
    assert set(seen["with"].calls[0].gradients) == {"x", *first["weights"]}
    for name, wanted in expected["with"].calls[0].gradients.items():
        torch.testing.assert_close(seen["with"].calls[0].gradients[name].double(), wanted, atol=1e-4, rtol=0)


def test_random_biases_are_as_large_as_what_they_are_added_to():
    """A bias of nearly nothing could be left out unnoticed."""
    planned = plan(_exercise(), 3)
    bias = planned.tensors[planned.cases[0]["weights"]["one.bias"]]
    assert bias.shape == (3,)
    assert bias.abs().max() > 0.1
