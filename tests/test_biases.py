"""Which parameters hold the biases that a contract wants, and what is put into them and read back."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tutor.content import Case, Exercise, Role
from tutor.expected import Reference
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.sandbox.inside.aliases import Aliases
from tutor.sandbox.inside.biases import biases
from tutor.sandbox.inside.binding import bind
from tutor.sandbox.inside.places import Place
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


@pytest.mark.parametrize("shape", [(5, 5), (1, 1, 5, 5)])
@pytest.mark.parametrize("name", ["bias", "attn_bias", "bias_table"])
def test_a_mask_that_is_called_bias_is_none(name, shape):
    """A square table keeps its numbers under whichever name: it is left over, which is another check's matter."""
    table = torch.full(shape, -torch.inf).triu(1)
    module = _Parts(**{name: nn.Parameter(table.clone())})
    binding = _filled(module)
    assert (binding.biases, binding.unclaimed) == ([], [name])
    assert torch.equal(getattr(module, name), table)


def test_one_bias_per_head_is_a_bias():
    """It is no square, so it is set to zero and told as one."""
    module = _Parts(bias=nn.Parameter(torch.ones(H, D // H)))
    assert _filled(module).biases == ["bias"]
    assert not module.bias.any()


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


@pytest.mark.parametrize(
    "stranger",
    [
        {"norm": nn.RMSNorm(D)},
        {"shift": nn.ParameterDict({"bias": torch.zeros(D)})},
        {"temperature": nn.Parameter(torch.zeros(H))},
        {"temperature": nn.Parameter(torch.zeros(1, D))},
    ],
)  # fmt: skip
def test_one_vector_that_cannot_be_a_bias_is_none(stranger):
    """Though it is the only one: a weight or a bias of another layer, another length, or no vector."""
    module = _Parts(out=nn.Linear(D, D, bias=False), **stranger)
    assert _bound(module).bound["out.bias"] is None


def test_one_vector_is_the_bias_of_one_role():
    """The role that it speaks of has it, also where others lack theirs; one without a meaning serves one role only."""
    bare = {name: nn.Linear(D, D, bias=False) for name in ROLES}
    spoken = _bound(_Parts(**bare, b_out=nn.Parameter(torch.zeros(D))), tuple(ROLES))
    assert [spoken.bound[f"{role}.bias"] for role in ROLES] == [None, None, None, "b_out"]
    vague = _bound(_Parts(**bare, shift=nn.Parameter(torch.zeros(D))), tuple(ROLES))
    assert [vague.bound[f"{role}.bias"] for role in ROLES] == ["shift", None, None, None]


def test_of_two_vectors_the_clearer_name_wins():
    """The contract's own name stands above what is only like it, in whatever order they stand."""
    vectors = {name: nn.Parameter(torch.zeros(D)) for name in ("proj_bias", "out_bias", "output_bias")}
    assert _bound(_Parts(out=nn.Linear(D, D, bias=False), **vectors)).bound["out.bias"] == "out_bias"


ALL = slice(None)


def _beside(places, *vectors):
    """Where the bias of q is found beside places of its weight, given the parameters that there are."""
    entries = [{"name": name, "shape": list(shape)} for name, *shape in vectors]
    return biases(entries, {"q": places}, {"q.bias": (D,)}, Aliases(ROLES))["q.bias"]


def test_a_layer_that_keeps_its_inputs_as_rows_has_a_part_for_each():
    """Its outputs are the columns, and the numbers of the bias belong to them."""
    weight = Place("qkv.weight", (ALL, slice(6, 12)), transposed=True)
    assert _beside((weight,), ("qkv.bias", 3 * D)) == (Place("qkv.bias", (slice(6, 12),), block=(ALL,)),)


@pytest.mark.parametrize("transposed", [True, False])
def test_a_stack_of_matrices_has_no_bias_for_each(transposed):
    """One vector beside three matrices belongs to none of them."""
    assert _beside((Place("qkv.weight", (0,), transposed),), ("qkv.bias", D)) == ()


def test_a_bias_that_is_no_vector_is_none():
    """A row of a matrix is not taken for it."""
    assert _beside((Place("q.weight"),), ("q.bias", 1, D)) == ()


def test_a_bias_is_shown_by_the_name_of_the_contract():
    """Where its layer is known by that, so is it."""
    (found,) = _beside((Place("inner.first.weight", shown="q.weight"),), ("inner.first.bias", D))
    assert (found.name, str(found)) == ("inner.first.bias", "q.bias")
    (plain,) = _beside((Place("first.weight"),), ("first.bias", D))
    assert (plain.shown, str(plain)) == ("", "first.bias")


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
