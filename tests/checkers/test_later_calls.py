"""Later calls on one module: sizes, things kept from before, and how they are worded."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from tests.checkers.making import ABOUT, call, failures, find, results, seen, submission

SMALLER = dataclasses.replace(ABOUT, again={"a": ({"B": 1, "T_k": 2},)})


def test_each_call_has_sizes_of_its_own():
    """What a later call does not change is as in the first, not as in the one before it."""
    about = dataclasses.replace(ABOUT, again={"a": ({"B": 1}, {"T_k": 2})})
    first = ABOUT.dims["a"]
    assert [about.dims_of("a", number) for number in range(4)] == [first, {**first, "B": 1}, {**first, "T_k": 2}, first]


def _double(seed=0):
    return tuple(item.double() for item in results(seed))


def test_a_later_call_is_worded_with_its_own_sizes():
    """The sizes that changed are named, and the expected shape is that of the later call."""
    small = torch.zeros(1, 3, 6), torch.full((1, 3, 3, 2), 0.5)
    expected = seen(call(*_double()), call(*(item.double() for item in small)))
    found = find("equals_reference", seen(call(), call()), expected, about=SMALLER)
    assert "call 2 on the same module, now with B = 1, T_k = 2" in found.message
    assert found.expected.startswith("(1, 3, 6)")
    assert find("equals_reference", seen(call(), call(*small)), expected, about=SMALLER) is None
    assert find("returns", seen(call(), call(*small)), about=SMALLER) is None
    assert find("returns", seen(call(), call()), about=SMALLER).actual == "(2, 3, 6)"


def test_the_first_result_again_is_something_kept():
    """To the last bit the same although it should differ: stale; other wrong numbers have the code that was asked for."""
    expected = seen(call(*_double()), call(*_double(1)))
    assert find("equals_reference", seen(call(), call()), expected).code == "stale-cache"
    wrong = seen(call(), call(*results(2)))
    assert find("equals_reference", wrong, expected).code == "differs-from-reference"
    assert find("equals_reference", wrong, expected, later="stale-cache").code == "stale-cache"


def test_a_wrong_first_call_is_just_wrong():
    """Only what was right before can have gone stale, and the message says nothing of calls."""
    expected = seen(call(*_double(1)), call(*_double(1)))
    found = find("equals_reference", seen(call(), call()), expected, later="stale-cache")
    assert found.code == "differs-from-reference"
    assert "call 2" not in found.message


def test_calls_can_be_chosen():
    """A call that is another check's is left out."""
    expected = seen(call(*_double()), call(*_double()), call(*_double()))
    observed = seen(call(), call(*results(1)), call())
    assert find("equals_reference", observed, expected, calls=[0, 2]) is None
    assert find("equals_reference", observed, expected, calls=[0, 1]) is not None


@pytest.mark.parametrize(("tolerance", "content"), [(5e-5, False), (1e-3, True)])
def test_the_tolerance_can_be_wider(tolerance, content):
    """Where scores are large, more rounding is let pass."""
    output, maps = results()
    found = find("equals_reference", seen(call(output + 5e-4, maps)), seen(call(*_double())), tolerance=tolerance)
    assert (found is None) is content


@pytest.mark.parametrize(
    ("passage", "check", "code"),
    [
        ({"init": "self.old = None", "first": "self.old = self.old or (K, V); K, V = self.old"}, "split-order/again", "stale-cache"),
        ({"init": "self.old = None", "after": "self.old = v = v if self.old is None else self.old"}, "split-order/again", "stale-cache"),
        ({"init": "self.m = None", "masking": "self.m = mask if self.m is None else self.m; scores = scores.masked_fill(~self.m, -1e9)"}, "causal/any-mask", "stale-cache"),
        ({"scores": "scores = q[:, :, :16] @ k.mT[..., :16] / math.sqrt(self.d_k); v = v[:, :, :16]"}, "split-order/any-size", "differs-from-reference"),
        ({"first": "Q = Q.squeeze(0)[None] if len(Q) == 1 and T_q > 1 else Q", "last": "output = output.squeeze(0)"}, "one-head/single", "differs-from-reference"),
        ({"softmax": "e = scores.exp(); attn_w = e / e.sum(-1, keepdim=True)"}, "split-order/large", "differs-from-reference"),
        ({"softmax": "attn_w = scores.clamp(-60, 60).softmax(-1) if mask is None else scores.softmax(-1)"}, "split-order/large", "differs-from-reference"),
        ({"masking": "scores = scores.masked_fill(~mask, -30.0)"}, "causal/no-leak", "leaks-from-later-tokens"),
        ({"masking": "scores = scores.masked_fill(~mask, -1e9) if T_q > 1 else scores"}, "causal/any-mask", "differs-from-reference"),
        ({"init": "self.k = None", "masking": "self.k = k.detach() if self.k is None or self.k.shape != k.shape else self.k; k = k + (self.k - k).detach(); scores = (q @ k.mT / math.sqrt(self.d_k)).masked_fill(~mask, -1e9)"}, "causal/any-mask", "differs-from-reference"),
        ({"last": "output = self.W_O((attn_w @ v).reshape(B, T_q, -1)) if B == 1 else output"}, "split-order/any-size", "differs-from-reference"),
        ({"after": "attn_w = F.dropout(attn_w, 0.1, self.training and mask is not None)"}, "causal/training", "differs-in-training"),
        ({"masking": "scores = scores.masked_fill(~mask, -100.0)"}, "causal/large", "differs-from-reference"),
    ],
)  # fmt: skip
def test_whole_submissions(judged, passage, check, code):
    """Each fails one check; what is kept from call to call is called by its name."""
    found = failures(judged(submission(**passage)[0]))
    assert list(found) == [check]
    assert found[check][0] == code
