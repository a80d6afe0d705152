"""Recipes become tensors: seeded, in the sizes named, and masks that never silence a query."""

from __future__ import annotations

import pytest
import torch

from tutor.content import Case, Role
from tutor.errors import ContentError
from tutor.inputs import Drawer, check_recipe

DIMS = {"B": 2, "T_q": 7, "T_k": 4, "d_model": 15, "h": 3}


def _case(**changes):
    inputs = {"Q": "randn B T_q d_model", "mask": "mask B 1 T_q T_k"}
    return Case(**({"name": "c", "dims": DIMS, "inputs": inputs} | changes))


def test_same_seed_same_tensors():
    """A verdict can be replayed from its seed."""
    first, second, other = (Drawer(seed).calls(_case())[0] for seed in (3, 3, 4))
    assert torch.equal(first["Q"], second["Q"])
    assert torch.equal(first["mask"], second["mask"])
    assert not torch.equal(first["Q"], other["Q"])


def test_sizes_and_factor():
    """A recipe gives the named sizes, and a factor scales the values."""
    small = Drawer(1).calls(_case(inputs={"Q": "randn B 3 d_model"}))[0]["Q"]
    large = Drawer(1).calls(_case(inputs={"Q": "randn B 3 d_model * 40"}))[0]["Q"]
    assert small.shape == (2, 3, 15)
    torch.testing.assert_close(large, small * 40)


def test_every_mask_row_allows_one_and_forbids_one():
    """A query that may attend to nothing is never asked about, and a row that allows all would hide faults."""
    for seed in range(50):
        mask = Drawer(seed).calls(_case())[0]["mask"]
        assert mask.dtype is torch.bool
        assert mask.any(-1).all()
        assert not mask.all(-1).any()


def test_masks_differ_between_samples():
    """Equal masks would hide a mask that is broadcast wrongly."""
    mask = Drawer(1).calls(_case())[0]["mask"]
    assert not torch.equal(mask[0], mask[1])


def test_renew_changes_later_tokens_only():
    """The repeated call keeps what comes before and changes every later token."""
    first, second = Drawer(5).calls(_case(again=({"inputs": {"Q": "renew Q from 4"}},)))
    assert torch.equal(first["Q"][:, :4], second["Q"][:, :4])
    assert (first["Q"][:, 4:] != second["Q"][:, 4:]).all()
    assert torch.equal(first["mask"], second["mask"])


def test_renewed_tokens_may_be_larger_than_those_they_replace():
    """A factor behind the recipe multiplies the new values only."""
    first, second = Drawer(5).calls(_case(again=({"inputs": {"Q": "renew Q from 4 * 1000"}},)))
    assert torch.equal(first["Q"][:, :4], second["Q"][:, :4])
    assert second["Q"][:, 4:].abs().mean() > 300


def test_weights_have_the_shape_of_the_role():
    """A role's shape is written in named axes."""
    role = Role(name="W", shape="d_model 4")
    assert Drawer(1).weights(role, DIMS).shape == (15, 4)


@pytest.mark.parametrize(
    ("recipe", "call", "complaint"),
    [
        ("rand B T_q", 0, "allowed: randn, whole, ones, zeros, causal, mask, renew"),
        ("randn B T_x", 0, "“T_x” is neither a number, a known dimension"),
        ("randn", 0, "no sizes"),
        ("renew K from 4", 1, "renew INPUT from TOKEN"),
        ("renew Q from 4 *", 1, "renew INPUT from TOKEN"),
        ("renew Q from 4 40", 1, "renew INPUT from TOKEN"),
        ("renew Q from 4 * x", 1, "renew INPUT from TOKEN"),
        ("renew mask from 4", 1, "INPUT one of: Q"),
        ("renew Q from 4", 0, "the first call has nothing to renew"),
        ("renew Q from 7", 1, "renews nothing: Q has 7 tokens"),
        ("randn B * x", 0, "a factor is written"),
        ("randn *", 0, "a factor is written"),
        ("causal T_q T_k * 2", 0, "a factor is written"),
        ("causal T_q", 0, "needs two sizes"),
        ("randn B T_q//0", 0, "the dimensions are B, T_q"),
        ("randn B T_q-8", 0, "must be 1 or more"),
        ("", 0, "no known word"),
    ],
)
def test_malformed_recipe_is_the_authors_fault(recipe, call, complaint):
    """Every complaint names the file, the key and what is allowed."""
    with pytest.raises(ContentError, match=complaint) as caught:
        check_recipe(recipe, _case(again=({},)), call, "x/exercise.toml", "cases.0.inputs.Q")
    assert str(caught.value).startswith("x/exercise.toml: cases.0.inputs.Q: ")


def test_a_later_call_has_its_own_sizes():
    """Where it changes one everything is drawn anew in the new sizes; what it does not name stays as it was."""
    case = _case(again=({"dims": {"T_q": 3}}, {"inputs": {"mask": "mask T_q T_k"}}))
    first, smaller, masked = Drawer(5).calls(case)
    assert [case.dims_of(call)["T_q"] for call in range(3)] == [7, 3, 7]
    assert (smaller["Q"].shape, smaller["mask"].shape) == ((2, 3, 15), (2, 1, 3, 4))
    assert masked["Q"] is first["Q"]
    assert masked["mask"].shape == (7, 4)
