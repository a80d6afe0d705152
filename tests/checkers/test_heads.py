"""Kind ``heads_differ``: every head has a map of its own, from the start."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from checkers.base import Foreign
from tests.checkers.making import ABOUT, call, failures, find, results, seen, submission


def test_different_maps_are_content():
    """Different maps pass, and so does a single head, which has nobody to equal."""
    assert find("heads_differ", seen(), result="attn_w") is None
    output, maps = results()
    single = dataclasses.replace(ABOUT, dims={"a": ABOUT.dims["a"] | {"h": 1}})
    assert find("heads_differ", seen(call(output, maps[:, :1])), about=single, result="attn_w") is None


@pytest.mark.parametrize(("fresh", "code"), [(False, "heads-share-one-map"), (True, "heads-start-alike")])
def test_two_equal_heads_are_named(fresh, code):
    """One pair is enough; heads of a new module have a finding of their own."""
    output, maps = results()
    maps[:, 2] = maps[:, 0] + 1e-8
    found = find("heads_differ", seen(call(output, maps)), result="attn_w", fresh=fresh)
    assert found.code == code
    assert "heads 0 and 2" in found.actual
    assert find("heads_differ", seen(call(output, maps)), result="attn_w").code == "heads-share-one-map"


@pytest.mark.parametrize("items", [(Foreign("None"),), (torch.ones(4),), (torch.ones(3, 4),), ()])
def test_what_has_no_heads_is_said_to(items):
    """Weights of another shape, or none at all, are no maps that differ."""
    found = find("heads_differ", seen(call(results()[0], *items)), result="attn_w")
    assert found.code == "attn_w-shape"


def test_more_results_than_were_asked_for_are_no_matter():
    """Their number is another check's; the maps are looked at all the same."""
    output, maps = results()
    assert find("heads_differ", seen(call(output, maps, maps)), result="attn_w") is None


def test_whole_submissions(judged):
    """One map for all heads, and weights that start equal, fail one check each."""
    source, _ = submission(softmax="attn_w = scores.mean(1, keepdim=True).expand_as(scores).softmax(-1)")
    assert failures(judged(source)) == {"split-order/heads-differ": ("heads-share-one-map", None)}
    source, _ = submission(init="nn.init.zeros_(self.W_Q.weight)")
    assert failures(judged(source)) == {"split-order/fresh-heads": ("heads-start-alike", None)}


@pytest.mark.parametrize(
    "passage",
    [
        {"init": "nn.init.xavier_uniform_(self.W_Q.weight)"},
        {"init": "nn.init.normal_(self.W_Q.weight, std=0.02); nn.init.normal_(self.W_K.weight, std=0.02)"},
        {"init": "nn.init.zeros_(self.W_O.weight)"},
        {"init": "nn.init.orthogonal_(self.W_K.weight)"},
    ],
)
def test_usual_ways_to_start_pass(judged, passage):
    """Small random weights differ enough, and an output matrix may start at zero."""
    assert failures(judged(submission(**passage)[0])) == {}
