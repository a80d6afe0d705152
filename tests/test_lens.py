"""The attention lens: right code gives the reference's maps, wrong code visibly others."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest
import torch

from tests.test_readings import ALL, _program
from tutor.expected import Reference
from tutor.lens import Sight
from tutor.observing import observe_here
from tutor.trials import VISIBLE, WORD_CHARS, WORDS, Lens, Maps

CORPUS = Path(__file__).parent / "submissions"
SLUGS = (
    "scaled-dot-product-attention",
    "multi-head-attention",
    "fused-qkv-attention",
    "cross-attention",
    "causal-attention",
    "gpt2-attention",
)
SENTENCE = ("The", "cat", "saw", "the", "other", "cat")
RIGHT = [
    pytest.param(slug, path, id=f"{slug}-{path.stem}")
    for slug in SLUGS
    for path in sorted(CORPUS.glob(f"{slug}/right/*.py"))
]


@pytest.fixture(scope="module")
def looked(catalog):
    """Slug, source, words → what the lens shows, without walls; with the mask wherever there is one."""
    reference = cache(lambda slug: Reference(catalog[slug]))

    def maps(slug, source, words=SENTENCE, *, causal=None):
        setup = catalog[slug].lens
        sight = Sight.of(catalog[slug], Lens(words=words, causal=setup.can_hide if causal is None else causal))
        planned = sight.plan()
        return sight.maps(source, observe_here(planned, source), reference(slug).observe(planned))

    return maps


def _tensor(grid):
    return torch.tensor([float("nan") if value is None else value for value in grid.values]).reshape(grid.shape)


def _apart(maps):
    """The largest difference of each head."""
    return [float((_tensor(head.mine) - _tensor(head.wanted)).abs().max()) for head in maps.heads]


@pytest.mark.parametrize(("slug", "path"), RIGHT)
@pytest.mark.filterwarnings("ignore")
def test_right_code_has_the_reference_s_maps(looked, slug, path):
    """Whatever its style, the names of its weights and the order of their rows."""
    maps = looked(slug, path.read_text())
    assert maps.stopped is None
    assert max(_apart(maps)) < 1e-5
    assert not maps.mixed_otherwise


@pytest.mark.parametrize(("layout", "names"), ALL)
def test_every_order_of_a_fused_weight_has_the_reference_s_maps(looked, layout, names):
    """Nobody is told which of the 18 to choose."""
    assert max(_apart(looked("fused-qkv-attention", _program(layout, names)))) < 1e-5


def _reference(catalog, looked, slug, words=SENTENCE, **how):
    maps = looked(slug, catalog[slug].reference, words, **how)
    assert max(_apart(maps)) < 1e-5
    return maps, [_tensor(head.wanted) for head in maps.heads]


@pytest.mark.parametrize("slug", ["scaled-dot-product-attention", "multi-head-attention", "fused-qkv-attention"])
def test_each_head_has_a_look_of_its_own(catalog, looked, slug):
    """The word before, the same word in large or small letters, the first word, and all alike."""
    maps, (before, same, first, alike) = _reference(catalog, looked, slug, causal=False)
    assert not maps.causal
    assert before.argmax(-1).tolist() == [0, 0, 1, 2, 3, 4]
    assert before.amax(-1).tolist() == pytest.approx([0.9] * 6, abs=1e-5)
    assert same[0].tolist() == pytest.approx([one / 94 for one in (45, 1, 1, 45, 1, 1)], abs=1e-5)
    assert first[:, 0].tolist() == pytest.approx([0.9] * 6, abs=1e-5)
    assert alike.flatten().tolist() == pytest.approx([1 / 6] * 36, abs=1e-5)


@pytest.mark.parametrize("slug", ["causal-attention", "gpt2-attention", "multi-head-attention"])
def test_later_words_are_hidden_where_the_layer_or_the_mask_says_so(catalog, looked, slug):
    """Nothing stands above the diagonal, and the last row is as without a mask."""
    maps, (before, same, first, alike) = _reference(catalog, looked, slug)
    assert maps.causal
    assert all(not one.triu(1).any() for one in (before, same, first, alike))
    assert before[-1].argmax() == 4
    assert same[3].tolist() == pytest.approx([one / 92 for one in (45, 1, 1, 45, 0, 0)], abs=1e-5)
    assert alike[1].tolist() == pytest.approx([0.5, 0.5, 0, 0, 0, 0], abs=1e-5)


def test_another_sequence_is_the_sentence_backwards(catalog, looked):
    """A layer that asks the wrong one of the two shows it: the same word stands elsewhere."""
    maps, (_, same, _, _) = _reference(catalog, looked, "cross-attention", ("one", "two", "three"))
    assert maps.asked == ("three", "two", "one")
    assert same.argmax(-1).tolist() == [2, 1, 0]
    wrong = (CORPUS / "cross-attention/wrong/memory_of_equal_length_ignored.py").read_text()
    assert _apart(looked("cross-attention", wrong))[1] > 0.1


@pytest.mark.parametrize(
    ("slug", "words"),
    [*product(SLUGS, [("a", "b"), ("a",) * 5, tuple("x" * 23 + letter for letter in "abcdefghijkl")])],
)
def test_short_and_long_sentences_are_shown(catalog, looked, slug, words):
    """From two words to twelve, all the same or all different."""
    assert all(len(word) <= WORD_CHARS for word in words)
    assert 2 <= len(words) <= WORDS
    _reference(catalog, looked, slug, words)


@pytest.mark.parametrize(
    ("slug", "name", "heads"),
    [
        ("multi-head-attention", "split_by_direct_view", {0, 1, 2, 3}),
        ("multi-head-attention", "softmax_over_queries", {0, 2, 3}),
        ("multi-head-attention", "softmax_over_heads", {0, 1, 2, 3}),
        ("causal-attention", "direct_view_in_and_back", {0, 1, 2}),
        ("causal-attention", "no_mask_at_all", {0, 1, 2, 3}),
        ("causal-attention", "masked_fill_without_keeping_it", {0, 1, 2, 3}),
        ("causal-attention", "not_scaled", {0, 1, 2}),
        ("causal-attention", "queries_and_keys_exchanged", {0, 2}),
        ("causal-attention", "joined_without_transpose", {0, 1, 2, 3}),
    ],
)
def test_wrong_code_has_visibly_other_maps(looked, slug, name, heads):
    """A wrong split, a softmax over the wrong axis, a missing mask: at least these heads look elsewhere."""
    maps = looked(slug, (CORPUS / slug / "wrong" / f"{name}.py").read_text())
    assert maps.stopped is None
    assert {number for number, apart in enumerate(_apart(maps)) if not apart < 0.04} >= heads


def test_a_missing_mask_leaks_in_every_cell_above_the_diagonal(looked):
    """What the page marks is there, in every head."""
    source = (CORPUS / "causal-attention/wrong/no_mask_at_all.py").read_text()
    for head in looked("causal-attention", source).heads:
        above = _tensor(head.mine)[torch.ones(6, 6).triu(1).bool()]
        assert (above > VISIBLE).all()


def test_right_weights_with_another_output_are_told(looked):
    """Where the weights are returned, what is made of them is not in the maps."""
    source = (CORPUS / "multi-head-attention/wrong/merge_without_transpose.py").read_text()
    maps = looked("multi-head-attention", source)
    assert max(_apart(maps)) < 1e-5
    assert maps.mixed_otherwise


@pytest.mark.parametrize(
    ("name", "message", "next_step"),
    [
        ("undefined_name", "The name math is used", "Put import math at the top."),
        ("syntax_error", "closes nothing", ""),
        ("class_called_mha", "there is no MultiHeadAttention", "MHA"),
        ("weights_averaged", "attn_w comes back as (2, 6, 6)", ""),
        ("weights_thrown_away", "attn_w comes back as nothing", ""),
        ("no_output_matrix", "No matrix for W_O was found", "self.W_O = nn.Linear"),
        ("every_head_full_width", "W_Q.weight has the wrong shape", "Each matrix"),
    ],
)
def test_what_gives_no_maps_says_why_beside_the_reference_s(looked, name, message, next_step):
    """It raises, does not load, gives other shapes or has no place for the weights: a sentence and a next step."""
    maps = looked("multi-head-attention", (CORPUS / f"multi-head-attention/wrong/{name}.py").read_text())
    assert maps.stopped is not None
    assert message in maps.stopped.message
    assert next_step in maps.stopped.next_step
    assert maps.stopped.next_step
    assert all(head.mine is None for head in maps.heads)
    assert len(maps.heads) == 4


def test_frozen_weights_take_what_they_are_given(looked):
    """That they would not learn is for a check to say."""
    source = (CORPUS / "multi-head-attention/wrong/key_weights_frozen.py").read_text()
    assert max(_apart(looked("multi-head-attention", source))) < 1e-5


def test_numbers_that_are_none_come_as_none(looked):
    """A map of NaN is shown as such and equals nothing."""
    source = (CORPUS / "causal-attention/wrong/triangle_times_infinity.py").read_text()
    maps = looked("causal-attention", source)
    assert any(None in head.mine.values for head in maps.heads)


@pytest.mark.parametrize("slug", ["layer-normalization", "positional-encoding"])
def test_an_exercise_without_heads_has_no_lens(catalog, slug):
    """The page does not offer it; asked for all the same, it is a fault of ours."""
    with pytest.raises(LookupError, match=slug):
        Sight.of(catalog[slug], Lens(words=("a", "b")))


@pytest.mark.sandbox
def test_the_walls_hold_for_a_look_too(checker, exercise):
    """A loop without an end is stopped, and right code comes through with its maps and the seconds it took."""
    found = checker.tryout.run(exercise, exercise.reference, Lens(words=SENTENCE, causal=True))
    assert isinstance(found, Maps)
    assert max(_apart(found)) < 1e-5
    endless = (CORPUS / "multi-head-attention/wrong/endless_loop.py").read_text()
    stopped = checker.tryout.run(exercise, endless, Lens(words=SENTENCE)).stopped
    assert stopped is not None
    assert "was stopped" in stopped.message


@pytest.mark.sandbox
def test_every_order_of_rows_is_tried_behind_the_walls(checker, catalog):
    """Eighteen cases in one run."""
    found = checker.tryout.run(catalog["fused-qkv-attention"], _program("h d_k 3", "vkq"), Lens(words=SENTENCE))
    assert max(_apart(found)) < 1e-5
