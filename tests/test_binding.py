"""Which parameter plays which role: the contract's name first, then other names, never one for two roles."""

from __future__ import annotations

import torch
from torch import nn

from tutor.sandbox.inside.binding import bind, describe, load_weights, registered

ROLES = {"W_Q": ("query", "q"), "W_K": ("key", "k")}


def _module(**layers):
    module = nn.Module()
    for name, layer in layers.items():
        module.add_module(name, layer)
    return module


def _line(width=3, bias=False):
    return nn.Linear(width, width, bias=bias)


def _bound(module):
    return bind(describe(registered(module)), ROLES)


def test_contract_names_come_first():
    """A module that has both a contract name and an alias is bound by the contract."""
    bound, unclaimed = _bound(_module(query=_line(), W_Q=_line(), W_K=_line()))
    assert bound == {"W_Q": "W_Q.weight", "W_K": "W_K.weight"}
    assert unclaimed == ["query.weight"]


def test_other_names_are_known_in_any_case():
    """Query and k are found although the contract says W_Q and W_K."""
    assert _bound(_module(Query=_line(), k=_line()))[0] == {"W_Q": "Query.weight", "W_K": "k.weight"}


def test_what_is_missing_is_none():
    """A role that nothing fits is left open rather than given to one of several strangers."""
    assert _bound(_module(W_Q=_line(), extra=_line(), more=_line()))[0] == {"W_Q": "W_Q.weight", "W_K": None}
    assert _bound(_module(W_Q=_line()))[0] == {"W_Q": "W_Q.weight", "W_K": None}


def test_the_only_matrix_left_belongs_to_the_only_role_left():
    """A name that nobody has thought of costs the naming check, not the numbers."""
    assert _bound(_module(W_Q=_line(), whatever=_line()))[0] == {"W_Q": "W_Q.weight", "W_K": "whatever.weight"}


def test_one_layer_under_two_names_is_described_as_one():
    """The second name says which first name it repeats."""
    shared = _line()
    assert [entry["same_as"] for entry in describe(registered(_module(W_Q=shared, W_K=shared)))] == [None, "W_Q.weight"]


def test_weights_go_in_and_stray_biases_go_to_zero():
    """A bias nobody asked for must not move the numbers."""
    module = _module(W_Q=_line(bias=True), W_K=_line())
    bound, unclaimed = _bound(module)
    weights = {"W_Q": torch.full((3, 3), 2.0), "W_K": torch.full((3, 3), 5.0)}
    load_weights(registered(module), weights, bound, unclaimed)
    assert module.W_Q.weight.eq(2).all()
    assert module.W_K.weight.eq(5).all()
    assert module.W_Q.bias.eq(0).all()


def test_a_misshapen_matrix_is_left_alone():
    """Weights that do not fit are not forced in; the check on matrices speaks."""
    module = _module(W_Q=nn.Linear(3, 2, bias=False), W_K=_line())
    before = module.W_Q.weight.clone()
    load_weights(registered(module), {"W_Q": torch.ones(3, 3)}, *_bound(module))
    assert torch.equal(module.W_Q.weight, before)


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
