"""What an author writes about the lens fits together with the rest of the exercise."""

from __future__ import annotations

import pytest

from tutor.coherence import check_parts
from tutor.errors import ContentError

MADE = {"W_Q": "queries", "W_K": "keys", "W_V": "values", "W_O": "output"}
GIVEN = {"Q": "sentence", "K": "sentence", "V": "sentence", "mask": "causal"}


def _complaint(exercise, **told):
    changed = exercise.model_copy(update={"lens": exercise.lens.model_copy(update=told)})
    with pytest.raises(ContentError) as complaint:
        check_parts(changed, "e/exercise.toml")
    return complaint.value


@pytest.mark.parametrize(
    ("told", "key", "problem"),
    [
        ({"weights": MADE | {"W_X": "keys"}}, "lens.weights", "“W_X” is no role; allowed: W_Q, W_K, W_V, W_O."),
        ({"weights": MADE | {"W_K": "keyes"}}, "lens.weights", "“keyes” is no thing to make; allowed: queries,"),
        ({"weights": MADE | {"W_K": "queries"}}, "lens.weights", "queries appears more than once"),
        ({"weights": {"W_Q": "queries", "W_K": "keys", "W_V": "values"}}, "lens.weights", "“W_O” is missing."),
        ({"weights": MADE | {"W_K": "values keys", "W_V": "output", "W_O": "x"}}, "lens.weights", "“x” is no thing"),
        ({"inputs": GIVEN | {"x": "sentence"}}, "lens.inputs", "“x” is no input; allowed: Q, K, V, mask."),
        ({"inputs": {"Q": "sentence", "K": "sentence"}}, "lens.inputs", "“V” is missing."),
        ({"inputs": GIVEN | {"V": "values"}}, "lens.inputs.V", "allowed: sentence, backwards."),
        ({"inputs": GIVEN | {"V": "causal"}}, "lens.inputs.V", "allowed: sentence, backwards."),
        ({"inputs": GIVEN | {"mask": "full"}}, "lens.inputs.mask", "allowed: sentence, backwards, causal."),
        ({"maps": "weights"}, "lens.maps", "“weights” is no result; allowed: output, attn_w."),
        ({"dims": {"d_model": 52}}, "lens.dims", "“h” is missing."),
        ({"dims": {"d_model": 52, "h": 2}}, "lens.dims.h", "there are 4 heads"),
        ({"dims": {"d_model": 44, "h": 4}}, "lens.dims", "W_Q becomes (44, 44), and needs 4 equal parts of 12 rows"),
        ({"dims": {"d_model": 54, "h": 4}}, "lens.dims", "W_Q becomes (54, 54), and needs 4 equal parts"),
    ],
)
def test_what_does_not_fit_is_named(exercise, told, key, problem):
    """The complaint says which key and what is allowed."""
    found = _complaint(exercise, **told)
    assert found.key == key
    assert problem in str(found)


@pytest.mark.parametrize(
    ("told", "key", "problem"),
    [
        ({"inputs": {"Q": "sentence", "K": "keys", "V": "values"}}, "lens.inputs.Q", "allowed: queries, keys, values."),
        ({"dims": {"h": 4}}, "lens.dims", "“d_k” is missing."),
        ({"dims": {"h": 4, "d_k": 11}}, "lens.dims.d_k", "must be 12 or more"),
        ({"weights": {"W_Q": "queries"}}, "lens.weights", "“W_Q” is no role; allowed: none."),
    ],
)
def test_a_function_is_given_what_a_layer_would_make(catalog, told, key, problem):
    """It has no weights; queries, keys and values are its inputs."""
    found = _complaint(catalog["scaled-dot-product-attention"], **told)
    assert found.key == key
    assert problem in str(found)


def test_a_width_without_room_for_the_features_is_named(catalog):
    """What comes in may be narrower than what the heads get, but not narrower than a word's features."""
    dims = {"d_in": 23, "d_out": 52, "context_length": 16, "h": 4}
    found = _complaint(catalog["gpt2-attention"], dims=dims)
    assert "q becomes (52, 23)" in str(found)
    assert "24 columns or more" in str(found)


def test_a_shape_without_a_size_is_named(exercise):
    """A size that no role has is never asked for, one that is missing is."""
    roles = (exercise.roles[0].model_copy(update={"shape": "d_model d_new"}), *exercise.roles[1:])
    found = _complaint(exercise.model_copy(update={"roles": roles}), maps="attn_w")
    assert "roles.0.shape: “d_model d_new” has no size with lens.dims" in str(found)


def test_every_attention_exercise_has_a_lens_and_no_other(catalog):
    """The page offers “Heads” where there are some."""
    with_lens = {exercise.slug for exercise in catalog.exercises if exercise.lens is not None}
    assert with_lens == {exercise.slug for exercise in catalog.exercises if "attention" in exercise.slug}
