"""Which parameters hold which role: by the contract's names, by other names, bare, fused, per head; and what is loaded and read back."""

from __future__ import annotations

import timeit

import pytest
import torch
from torch import nn

from tutor.sandbox.inside.binding import bind
from tutor.sandbox.inside.registry import describe, hidden, is_bias, registered
from tutor.sandbox.inside.usage import stored_like_linear

D, H = 6, 3
D_K = D // H


@pytest.fixture(scope="module")
def roles(exercise):
    """The roles of multi-head attention with all their aliases."""
    return {role.name: role.aliases for role in exercise.roles}


@pytest.fixture(scope="module")
def found(roles):
    """Bind a module whose four roles are D by D."""

    def bound(module, source=""):
        return bind(module, roles, dict.fromkeys(roles, (D, D)), source)

    return bound


def _line(inputs=D, outputs=D, bias=False):
    return nn.Linear(inputs, outputs, bias=bias)


def _bare(*shape):
    return nn.Parameter(torch.randn(*shape))


def _module(**parts):
    """A module with layers, parameters or anything else as its attributes; "a.b" nests."""
    module = nn.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    return module


def _contract(**changes):
    parts = {name: _line() for name in ("W_Q", "W_K", "W_V", "W_O")} | changes
    return _module(**{name: part for name, part in parts.items() if part is not None})


def _weights():
    torch.manual_seed(3)
    return {role: torch.randn(D, D) for role in ("W_Q", "W_K", "W_V", "W_O")}


def _filled(found, module, source=""):
    """Bind, load different numbers into each role, and give what each role reads as afterwards."""
    weights, binding = _weights(), found(module, source)
    binding.load(registered(module), weights)
    for role, matrix in weights.items():
        assert torch.equal(binding.assemble(role, registered(module)), matrix), role
    return binding, weights


def _heads(inputs=D, outputs=D_K):
    return nn.ModuleList(_line(inputs, outputs) for _ in range(H))


# ---- by name ----------------------------------------------------------------------------------------------------------


def test_contract_names_come_first(found):
    """A module that has both a contract name and an alias is bound by the contract."""
    binding = found(_module(query=_line(), **{name: _line() for name in ("W_Q", "W_K", "W_V", "W_O")}))
    assert binding.bound == {role: f"{role}.weight" for role in binding.shapes}
    assert binding.unclaimed == ["query.weight"]


@pytest.mark.parametrize(
    "names",
    [
        ("query", "key", "value", "out"),
        ("Query", "KEY", "Value", "Output"),
        ("q_proj", "k_proj", "v_proj", "out_proj"),
        ("WQ", "WK", "WV", "WO"),
        ("w_q", "w_k", "w_v", "w_o"),
        ("c_q", "c_k", "c_v", "c_proj"),
        ("queries_layer", "keys_layer", "values_layer", "fc"),
        ("lin_Q", "lin_K", "lin_V", "last"),
        ("queryProj", "keyProj", "valueProj", "outProj"),
        ("q1", "k1", "v1", "o1"),
        ("W_Qs", "W_Ks", "W_Vs", "proj"),
    ],
)
def test_other_names_are_known_in_any_case(found, names):
    """What people call the four matrices, in whatever order they are declared."""
    module = _module(**{name: _line() for name in reversed(names)})
    assert list(_filled(found, module)[0].bound.values()) == [f"{name}.weight" for name in names]


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("layers", ("W_Q", "W_K", "W_V", "W_O")),
        ("proj", ("q", "k", "v", "o")),
        ("attn", ("q_proj", "k_proj", "v_proj", "out_proj")),
        ("output", ("query", "key", "value", "dense")),
    ],
)
def test_a_wrapper_does_not_hide_a_name(found, outer, inner):
    """A role's name counts anywhere on the dotted way, and the wrapper's own name misleads nobody."""
    module = _module(**{outer: nn.ModuleDict({name: _line() for name in inner})})
    assert list(_filled(found, module)[0].bound.values()) == [f"{outer}.{name}.weight" for name in inner]


def test_the_name_may_stand_outside(found):
    """``q.proj.weight`` is the query matrix although "proj" alone would be the output's; a Sequential's number says nothing."""
    module = _module(
        q=_module(proj=_line()), k=_module(proj=_line()), v=nn.Sequential(_line()), o=_module(proj=_line())
    )
    assert list(_filled(found, module)[0].bound.values()) == [
        "q.proj.weight",
        "k.proj.weight",
        "v.0.weight",
        "o.proj.weight",
    ]


def test_what_is_missing_is_none(found):
    """A role that nothing fits is left open rather than given to one of several strangers."""
    assert found(_contract(W_K=None)).bound["W_K"] is None
    assert found(_contract(W_K=None, extra=_line(), more=_line())).bound["W_K"] is None
    assert found(_contract(W_K=None, norm=nn.LayerNorm(D), small=_line(D, 2))).bound["W_K"] is None


def test_strangers_are_taken_in_order(found):
    """As many matrices left as roles: they belong together in the order of declaration, whatever they are called."""
    assert found(_contract(W_K=None, whatever=_line())).bound["W_K"] == "whatever.weight"
    module = _module(linears=nn.ModuleList(_line() for _ in range(4)))
    assert list(_filled(found, module)[0].bound.values()) == [f"linears.{number}.weight" for number in range(4)]
    module = _module(fc1=_line(), fc2=_line(), fc3=_line(), fc4=_line())
    assert list(found(module).bound.values()) == [f"fc{number}.weight" for number in range(1, 5)]
    module = _module(proj=nn.ModuleList(_line() for _ in range(3)), out=_line())
    assert list(found(module).bound.values()) == [*(f"proj.{number}.weight" for number in range(3)), "out.weight"]


def test_one_layer_under_two_names_stays_visible(found):
    """Two roles with one layer are bound under both names, and the second name says which first it repeats."""
    shared = _line()
    assert found(_contract(W_Q=shared, W_K=shared)).bound["W_K"] == "W_K.weight"
    module = _module(query=shared, key=shared, value=_line(), out=_line())
    assert found(module).bound["W_K"] == "key.weight"
    four_times = found(_module(layers=nn.ModuleList([shared] * 4)))
    assert list(four_times.bound.values()) == [f"layers.{number}.weight" for number in range(4)]
    assert [entry["same_as"] for entry in four_times.parameters] == [None, *["layers.0.weight"] * 3]


def test_a_second_name_for_a_role_is_not_unclaimed(found):
    """Layers that stand in a ModuleList too are no surplus."""
    layers = {name: _line() for name in ("W_Q", "W_K", "W_V", "W_O")}
    binding = found(_module(every=nn.ModuleList(layers.values()), **layers))
    assert binding.bound == {role: f"{role}.weight" for role in layers}
    assert binding.unclaimed == []


def test_a_layer_of_ones_own_counts_if_it_stores_as_linear_does(found):
    """A hand-written layer whose weight could be loaded into nn.Linear is as good; one that stores it turned is not."""

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = _bare(D, D)

    assert found(_contract(W_Q=Own()), "return F.linear(x, self.weight)").bound["W_Q"] == "W_Q.weight"
    binding, _ = _filled(found, _contract(W_Q=Own()), "return x @ self.weight")
    assert binding.bound["W_Q"] == "W_Q.weight.T"


def test_the_shape_is_part_of_the_contract(found):
    """A layer with the contract's name and another shape is bound so that it can be spoken of, and left alone."""
    module = _contract(W_Q=_line(D, 2))
    before = module.W_Q.weight.clone()
    binding = found(module)
    binding.load(registered(module), _weights())
    assert binding.bound["W_Q"] == "W_Q.weight"
    assert torch.equal(module.W_Q.weight, before)


@pytest.mark.parametrize("name", ["W_K", "k_proj"])
def test_full_width_heads_are_no_fused_matrix(found, name):
    """Three times as many rows as wanted in W_Q are too many rows as long as the other roles have layers of their own."""
    module = _module(**{role: _line(D, H * D) for role in ("W_Q", name, "W_V")}, W_O=_line(H * D, D))
    assert list(found(module).bound.values()) == ["W_Q.weight", f"{name}.weight", "W_V.weight", "W_O.weight"]


def test_two_layers_behind_one_name_are_both_named(found):
    """Neither of two matrices in a row is the role's matrix."""
    assert found(_contract(W_Q=nn.Sequential(_line(), _line()))).bound["W_Q"] == "W_Q.0.weight + W_Q.1.weight"


def test_a_lazy_layer_has_no_size_yet(found):
    """Asking it for its shape would raise; it is bound by name and described as empty."""
    module = _contract(W_Q=nn.LazyLinear(D, bias=False), W_K=nn.LazyLinear(D))
    binding = found(module)
    assert binding.bound["W_Q"] == "W_Q.weight"
    assert binding.parameters[0]["shape"] == [0]
    binding.load(registered(module), _weights())


# ---- bare parameters --------------------------------------------------------------------------------------------------


def test_bare_matrices_are_loaded_the_way_they_are_used(found):
    """``x @ W`` wants the inputs first, ``F.linear`` the outputs."""
    module = _module(**{name: _bare(D, D) for name in ("W_Q", "W_K", "W_V", "W_O")})
    source = (
        "q = x @ self.W_Q; k = F.linear(x, self.W_K); v = x @ self.W_V.T; o = torch.einsum('bti,oi->bto', x, self.W_O)"
    )
    binding, weights = _filled(found, module, source)
    assert list(binding.bound.values()) == ["W_Q.T", "W_K", "W_V", "W_O"]
    assert torch.equal(module.W_Q.detach(), weights["W_Q"].T)
    assert torch.equal(module.W_O.detach(), weights["W_O"])


@pytest.mark.parametrize(
    ("source", "outputs_first"),
    [
        ("x @ self.W_Q", False),
        ("torch.matmul(x, self.W_Q)", False),
        ("x @ self.W_Q.T", True),
        ("x.matmul(self.W_Q.transpose(0, 1))", True),
        ("x @ self.W_Q.t()", True),
        ("F.linear(x, self.W_Q)", True),
        ("nn.functional.linear(x.view(a, b), self.W_Q)", True),
        ("F.linear(x, self.W_Q.T)", False),
        ("torch.einsum('btd,de->bte', x, self.W_Q)", False),
        ('torch.einsum("btd, ed -> bte", x, self.W_Q)', True),
        ("W = getattr(self, name)\nreturn F.linear(x, W)", True),
        ("W = getattr(self, name)\nreturn x @ W", False),
        ("x @ self.W_Q  # as F.linear(x, W_Q) does", False),
        ("self.linear(x) @ self.W_Q", False),
    ],
)
def test_the_source_says_which_way_round(source, outputs_first):
    """What is in a comment, or a method that happens to be called linear, says nothing."""
    assert stored_like_linear(source, "W_Q") is outputs_first


@pytest.mark.parametrize("holder", [nn.ParameterDict, lambda parts: _module(**parts)])
def test_bare_matrices_may_be_held_by_something(found, holder):
    """A ParameterDict keeps parameters for others; its own library does not use them."""
    module = _module(weights=holder({name: _bare(D, D) for name in ("q", "k", "v", "o")}))
    assert list(_filled(found, module)[0].bound.values()) == [f"weights.{name}.T" for name in ("q", "k", "v", "o")]


@pytest.mark.parametrize(
    ("inputs", "output"),
    [((H, D, D_K), (H, D_K, D)), ((H, D_K, D), (H, D, D_K)), ((D, H, D_K), (D, H, D_K))],
)
def test_bare_stacks_with_an_axis_for_heads(found, inputs, output):
    """However the axes stand, each head gets its rows of W_Q, W_K and W_V and its columns of W_O."""
    module = _module(**{name: _bare(*inputs) for name in ("W_Q", "W_K", "W_V")}, W_O=_bare(*output))
    binding, weights = _filled(found, module)
    assert [text.removesuffix(".T") for text in binding.bound.values()] == ["W_Q", "W_K", "W_V", "W_O"]
    rows, columns = weights["W_Q"][D_K : 2 * D_K], weights["W_O"][:, D_K : 2 * D_K]
    head = {inputs.index(H): 1}
    second = module.W_Q.detach().select(next(iter(head)), 1)
    assert torch.equal(second if second.shape == rows.shape else second.T, rows)
    second = module.W_O.detach().select(output.index(H), 1)
    assert torch.equal(second if second.shape == columns.shape else second.T, columns)


def test_one_head_is_stored_as_it_is_used(found):
    """With h = 1 the axes of a stack are equally long, so the source decides."""
    module = _module(**{name: _bare(1, D, D) for name in ("W_Q", "W_K", "W_V", "W_O")})
    _, weights = _filled(found, module, "torch.einsum('btd,hdk->bhtk', x, self.W_Q)")
    assert torch.equal(module.W_Q.detach()[0], weights["W_Q"].T)


def test_a_convolution_of_width_one_is_a_matrix(found):
    """Its weight has a third axis of length 1."""
    binding, _ = _filled(found, _contract(W_Q=nn.Conv1d(D, D, 1, bias=False)))
    assert binding.bound["W_Q"] == "W_Q.weight[:, :, 0]"


# ---- fused ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ({"qkv": _line(D, 3 * D), "out": _line()}, ["qkv.weight[0:6]", "qkv.weight[6:12]", "qkv.weight[12:18]", "out.weight"]),
        ({"c_attn": _line(D, 3 * D), "c_proj": _line()}, ["c_attn.weight[0:6]", None, None, "c_proj.weight"]),
        ({"kqv": _line(D, 3 * D), "out": _line()}, ["kqv.weight[6:12]", "kqv.weight[0:6]", "kqv.weight[12:18]", "out.weight"]),
        ({"q": _line(), "kv": _line(D, 2 * D), "zz": _line()}, ["q.weight", "kv.weight[0:6]", "kv.weight[6:12]", "zz.weight"]),
        ({"q": _line(), "key_value": _line(D, 2 * D), "o": _line()}, [None, "key_value.weight[0:6]", None, "o.weight"]),
        ({"W": _line(D, 4 * D)}, ["W.weight[0:6]", "W.weight[6:12]", "W.weight[12:18]", "W.weight[18:24]"]),
        ({"W_Q": _line(D, 3 * D), "W_O": _line()}, ["W_Q.weight[0:6]", None, "W_Q.weight[12:18]", "W_O.weight"]),
        ({"W_qkv": _bare(D, 3 * D), "W_O": _bare(D, D)}, ["W_qkv[:, 0:6].T", None, "W_qkv[:, 12:18].T", "W_O.T"]),
        ({"W_qkv": _bare(3 * D, D), "W_O": _line()}, ["W_qkv[0:6]", None, "W_qkv[12:18]", "W_O.weight"]),
        ({"W": _bare(3, D, D), "W_O": _line()}, ["W[0].T", "W[1].T", "W[2].T", "W_O.weight"]),
    ],
)  # fmt: skip
def test_fused_matrices_are_cut_in_order(found, parts, wanted):
    """Rows are query, key, value unless the name says another order; None stands for whatever is left."""
    binding, _ = _filled(found, _module(**parts))
    assert [want if want is None else got for got, want in zip(binding.bound.values(), wanted, strict=True)] == wanted
    assert binding.unclaimed == []


def test_the_librarys_own_attention_is_bound(found):
    """nn.MultiheadAttention keeps one bare matrix for three and adds biases, which are set to zero."""
    module = _module(attn=nn.MultiheadAttention(D, H))
    nn.init.ones_(module.attn.in_proj_bias)
    binding, weights = _filled(found, module)
    assert binding.bound["W_V"] == "attn.in_proj_weight[12:18]"
    assert torch.equal(module.attn.in_proj_weight.detach()[:D], weights["W_Q"])
    assert module.attn.in_proj_bias.eq(0).all()


# ---- per head ---------------------------------------------------------------------------------------------------------


def test_lists_with_one_layer_per_head(found):
    """Rows for W_Q, W_K and W_V, columns for W_O."""
    module = _module(q_heads=_heads(), k_heads=_heads(), v_heads=_heads(), out_heads=_heads(D_K, D))
    binding, weights = _filled(found, module)
    assert binding.bound["W_Q"] == "q_heads.0.weight + q_heads.1.weight + q_heads.2.weight"
    assert torch.equal(module.k_heads[1].weight.detach(), weights["W_K"][D_K : 2 * D_K])
    assert torch.equal(module.out_heads[1].weight.detach(), weights["W_O"][:, D_K : 2 * D_K])
    assert binding.unclaimed == []


def test_a_head_may_be_a_module(found):
    """``heads.0.key.weight`` belongs together with ``heads.1.key.weight``."""
    heads = nn.ModuleList(_module(key=_line(D, D_K), query=_line(D, D_K), value=_line(D, D_K)) for _ in range(H))
    module = _module(heads=heads, proj=_line())
    binding, weights = _filled(found, module)
    assert binding.bound["W_O"] == "proj.weight"
    assert torch.equal(heads[2].query.weight.detach(), weights["W_Q"][2 * D_K :])


def test_bare_lists_with_one_matrix_per_head(found):
    """Used as ``x @ W``, each head's matrix has the full width first, and W_O's last."""
    parts = {name: nn.ParameterList(_bare(D, D_K) for _ in range(H)) for name in ("W_q", "W_k", "W_v")}
    module = _module(**parts, W_o=nn.ParameterList(_bare(D_K, D) for _ in range(H)))
    _, weights = _filled(found, module)
    assert torch.equal(module.W_q[1].detach(), weights["W_Q"][D_K : 2 * D_K].T)
    assert torch.equal(module.W_o[1].detach(), weights["W_O"][:, D_K : 2 * D_K].T)


def test_numbered_attributes_are_a_list_too(found):
    """``W_Q_0`` to ``W_Q_2`` and lists whose names say nothing."""
    parts = {f"W_Q_{head}": _line(D, D_K) for head in range(H)}
    assert found(_contract(W_Q=None, **parts)).bound["W_Q"] == "W_Q_0.weight + W_Q_1.weight + W_Q_2.weight"
    module = _module(a=_heads(), b=_heads(), c=_heads(), d=_line())
    assert list(_filled(found, module)[0].bound.values())[3] == "d.weight"


def test_whole_matrices_per_head_are_not_forced_into_one_role(found):
    """Three full matrices for one role are too many; they are named, and nothing is loaded."""
    module = _contract(W_Q=nn.ModuleList(_line() for _ in range(H)))
    before = module.W_Q[0].weight.clone()
    binding = found(module)
    binding.load(registered(module), _weights())
    assert binding.bound["W_Q"] == "W_Q.0.weight + W_Q.1.weight + W_Q.2.weight"
    assert torch.equal(module.W_Q[0].weight, before)


# ---- loading, gradients -----------------------------------------------------------------------------------------------


def test_stray_biases_go_to_zero(found):
    """A bias nobody asked for must not move the numbers; another parameter is left as it is."""
    module = _contract(W_Q=_line(bias=True), b_o=_bare(D), temperature=_bare(1))
    kept = module.temperature.clone()
    binding, _ = _filled(found, module)
    assert binding.biases == ["b_o", "W_Q.bias"]
    assert module.W_Q.bias.eq(0).all()
    assert module.b_o.eq(0).all()
    assert torch.equal(module.temperature, kept)


@pytest.mark.parametrize(
    ("name", "bias"),
    [
        ("W_Q.bias", True), ("in_proj_bias", True), ("b_q", True), ("bq", True), ("bias", True), ("attn.bias", True),
        ("blend", False), ("W_Q.weight", False), ("norm.bias", False), ("attn.norm.bias", False),
    ],
)  # fmt: skip
def test_what_is_a_bias(name, bias):
    """By its last part, unless it belongs to a layer that holds no role."""
    assert is_bias(name, ["W_Q.weight", "attn.qkv"]) is bias


def test_a_parameter_that_cannot_be_written_to_stops_nothing(found):
    """A weight that repeats one number all over its memory stays as it is."""
    module = _contract(W_Q=_module(weight=nn.Parameter(torch.ones(1, 1).expand(D, D))))
    found(module, "F.linear(x, self.weight)").load(registered(module), _weights())
    assert module.W_Q.weight.eq(1).all()


def test_gradients_are_put_together_again(found):
    """A fused matrix whose last third is never used has no gradient for the values; without any, there is None."""
    module = _module(qkv=_line(D, 3 * D), q_heads=None, out=_line())
    binding = found(module)
    gradient = torch.ones(3 * D, D)
    gradient[2 * D :] = 0
    assembled = {role: binding.assemble(role, {"qkv.weight": gradient, "out.weight": None}) for role in binding.shapes}
    assert assembled["W_K"].eq(1).all()
    assert assembled["W_V"].eq(0).all()
    assert assembled["W_O"] is None
    assert list(binding.wanted(registered(module))) == ["qkv.weight", "out.weight"]


def test_a_head_without_gradient_counts_as_zero(found):
    """What did not arrive for one head leaves zeros in its rows."""
    binding = found(_contract(W_Q=_heads()))
    read = binding.assemble("W_Q", {"W_Q.0.weight": torch.ones(D_K, D), "W_Q.1.weight": None, "W_Q.2.weight": None})
    assert read[:D_K].eq(1).all()
    assert read[D_K:].eq(0).all()


# ---- what a module holds ----------------------------------------------------------------------------------------------


def test_a_liar_about_its_parameters_is_not_asked():
    """What a class overrides does not count; the module's own registry does."""

    class Liar(nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = _line()

        def named_parameters(self, *_args, **_options):
            return iter(())

        def named_modules(self, *_args, **_options):
            return iter(())

    assert [entry["name"] for entry in describe(registered(Liar()))] == ["W_Q.weight"]


def test_hidden_weights_are_found():
    """Layers in a plain list or dict and plain tensors hang on the module without being registered."""
    layers = {"Q": _line(bias=True)}
    module = _module(layers=[_line(), _line()], by_name=layers, W_Q=torch.randn(D, D), mask=torch.ones(D, 2 * D))
    module.inner = _module(heads=[(_line(),)])
    module.cache = [module.inner]
    assert hidden(module, [(D, D)]) == [
        "layers[0].weight",
        "layers[1].weight",
        "by_name['Q'].weight",
        "W_Q",
        "inner.heads[0][0].weight",
    ]


def test_hidden_weights_are_looked_for_where_a_role_is_open(found):
    """A module that keeps the contract may keep what it likes beside it."""
    assert list(found(_contract(W_K=None, layers=[_line()])).hidden) == ["layers[0].weight"]
    assert list(found(_contract(layers=[_line()])).hidden) == []


def test_known_layers_in_a_list_are_not_hidden():
    """A second, plain list of registered layers hides nothing."""
    module = _contract()
    module.every = [module.W_Q, module.W_K]
    assert hidden(module, [(D, D)]) == []


def test_the_usual_case_is_quick(found):
    """It runs some twenty times in every check."""
    module = _contract()
    assert min(timeit.repeat(lambda: found(module), number=50, repeat=5)) / 50 < 500e-6
