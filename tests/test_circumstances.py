"""What the calls in which a fault shows have in common."""

from __future__ import annotations

import pytest
import torch

from tutor.circumstances import only
from tutor.situations import Situation

SIZES = {"B": 2, "T_q": 3, "T_k": 4, "h": 2, "d_model": 6}


def _call(number=0, mask=None, factor=1.0, dtype="float32", **dims):
    given = {
        "Q": factor * torch.ones(2, 3),
        "mask": None if mask is None else torch.ones((1,) * mask, dtype=torch.bool),
    }
    return Situation("case", number, given, {}, dims=SIZES | dims, dtype=dtype)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ([_call(mask=2), _call(mask=3)], [_call()], "where a mask is given"),
        ([_call()], [_call(mask=2)], "where no mask is given"),
        ([_call(T_k=3), _call(T_q=4)], [_call(), _call(B=1)], "where T_q = T_k"),
        ([_call(), _call(T_q=5)], [_call(T_q=4)], "where T_q ≠ T_k"),
        ([_call(B=1, T_q=1), _call(T_q=1)], [_call(B=1)], "where T_q = 1"),
        ([_call(B=1, T_q=1)], [_call()], "where T_q = 1 and B = 1"),
        ([_call(h=2), _call(h=3)], [_call(h=1)], "where h > 1"),
        ([_call(mask=3)], [_call(mask=2)], "where the mask has 3 axes"),
        ([_call(1), _call(2)], [_call(0)], "where it is called again"),
        ([_call(0)], [_call(1)], "where it is called for the first time"),
        ([_call(factor=60.0)], [_call()], "where the inputs are large"),
        ([_call(mask=2, T_k=3)], [_call(mask=2), _call(T_k=3)], "where a mask is given and T_q = T_k"),
        ([_call(h=2), _call(h=2, B=3)], [_call(h=3), _call(h=6, B=3)], "where h = 2"),
        ([_call(B=3), _call(h=3)], [_call(), _call(T_k=5)], "in some"),
        ([_call(dtype="float64")], [_call()], "where the inputs are float64"),
    ],
)  # fmt: skip
def test_the_shortest_words_that_tell_the_calls_apart(wrong, right, words):
    """One circumstance before two, and a size by its number only after those."""
    assert only(wrong, right) == words
