"""Kind ``repeats``: the same inputs give the same, in a second call and in training mode."""

from __future__ import annotations

import pytest
import torch

from checkers.base import Foreign
from tests.checkers.making import call, failures, find, results, seen, steps, submission


@pytest.mark.parametrize("mode", ["again", "train"])
@pytest.mark.parametrize("shift", [0.0, 3e-7])
def test_the_same_twice_is_content(mode, shift):
    """Rounding in the last bit is no difference."""
    output, maps = results()
    assert find("repeats", seen(call(), call(output + shift, maps)), mode=mode) is None


@pytest.mark.parametrize(("mode", "code"), [("again", "differs-when-repeated"), ("train", "differs-in-training")])
def test_what_changed_is_named(mode, code):
    """The result that changed is named, and each mode has its own finding."""
    output, maps = results()
    found = find("repeats", seen(call(), call(output, maps.roll(1, 0))), mode=mode)
    assert found.code == code
    assert "attn_w" in found.actual


def test_the_later_call_is_chosen_by_its_number():
    """Call 2 is compared with the first; what lies between is no matter."""
    other = call(*results(1))
    assert find("repeats", seen(call(), other, call()), mode="train", call=2) is None
    assert find("repeats", seen(call(), call(), other), mode="train", call=2) is not None


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_the_same_bad_numbers_twice_are_the_same(value):
    """NaN, and what is no tensor, is another check's matter, as long as it comes back again."""
    bad = call(results()[0] * value, results()[1])
    assert find("repeats", seen(bad, bad), mode="again") is None
    strange = call(Foreign("a list"), results()[1])
    assert find("repeats", seen(strange, strange), mode="again") is None


@pytest.mark.parametrize(
    "later",
    [
        call(results()[0]),
        call(results()[0][:1], results()[1]),
        call(Foreign("None"), results()[1]),
        call(results()[0] * torch.nan, results()[1]),
    ],
)
def test_other_shapes_numbers_and_things_are_differences(later):
    """Fewer results, another shape, no tensor and NaN in place of numbers all differ."""
    assert find("repeats", seen(call(), later), mode="again").code == "differs-when-repeated"


def test_the_line_is_that_of_the_random_step():
    """The tape knows where a dropout was called; without a tape the running code is read."""
    observed = seen(
        call(), call(*results(1)), tape=steps(("linear", ("Q",), ((2, 3, 6),)), ("dropout", (0,), ((2, 3, 6),)))
    )
    assert find("repeats", observed, mode="again").line == 2
    source, line = submission(after="attn_w = F.dropout(attn_w, 0.1, self.training)")
    assert find("repeats", seen(call(), call(*results(1))), source=source, mode="train").line == line


@pytest.mark.parametrize(
    ("passage", "check", "code"),
    [
        ({"after": "attn_w = F.dropout(attn_w, 0.1)"}, "forward/repeats", "differs-when-repeated"),
        ({"after": "attn_w = nn.Dropout(0.1)(attn_w)"}, "forward/repeats", "differs-when-repeated"),
        ({"after": "attn_w = F.dropout(attn_w, 0.1, self.training)"}, "forward/training", "differs-in-training"),
        ({"last": "output = output * (1 + 0.5 * self.training)"}, "forward/training", "differs-in-training"),
    ],
)
def test_whole_submissions(judged, passage, check, code):
    """One fault, one failed check."""
    found = failures(judged(submission(**passage)[0]))
    assert list(found) == [check]
    assert found[check][0] == code


@pytest.mark.parametrize(
    "passage",
    [
        {"init": "self.drop = nn.Dropout(0.0)", "after": "attn_w = self.drop(attn_w)"},
        {"init": "self.drop = nn.Dropout(0.5)"},
        {"init": 'self.register_buffer("calls", torch.zeros(1))', "last": "self.calls += 1"},
        {"after": "attn_w = F.dropout(attn_w, 0.0, self.training)"},
        {"last": "self.last_map = attn_w.detach()"},
    ],
)
def test_right_submissions(judged, passage):
    """A dropout of nothing, one that is never called, a counter and a copy for later are no differences."""
    assert failures(judged(submission(**passage)[0])) == {}
