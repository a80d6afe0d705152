"""Kind ``gradients_equal``: right numbers whose gradients are wrong."""

from __future__ import annotations

import pytest
import torch

from checkers.gradients_equal import TOLERANCE
from tests.checkers.making import call, failures, find, seen, steps, submission
from tutor.expected import Reference
from tutor.planning import plan
from tutor.sandbox.inside.learning import gradients

T = ((2,),)
WANTED = torch.tensor([[4.0, 2.0], [0.0, -1.0]], dtype=torch.float64)


def _found(mine, wanted=WANTED, tape=(), others=None):
    gradients = {"W_Q": mine, **(others or {})}
    right = {"W_Q": wanted, **(others or {}), "K": torch.ones(1), "V": None}
    return find("gradients_equal", seen(call(gradients=gradients), tape=tape), seen(call(gradients=right)))


@pytest.mark.parametrize("off", [0.0, 4 * TOLERANCE * 0.99, -4 * TOLERANCE * 0.99])
def test_what_rounding_explains_is_the_same(off):
    """The tolerance is that of the largest entry; what the submission was not asked for counts for nothing."""
    assert _found((WANTED + off).float(), others={"W_O": torch.zeros(2)}) is None


@pytest.mark.parametrize("off", [4 * TOLERANCE * 1.01, -4 * TOLERANCE * 1.01])
def test_one_entry_beyond_the_tolerance_is_enough(off):
    """The entry that is furthest off is shown beside the right one."""
    mine = WANTED.clone()
    mine[1, 1] += off
    found = _found(mine)
    assert (found.code, found.line) == ("gradient-differs", None)
    assert found.message.startswith("The numbers are right, but the gradient of W_Q is not")
    assert (found.expected, found.actual) == ("-1 where the gradient of W_Q differs most", f"{-1 + off:.4g}")


def test_a_gradient_that_vanishes_in_places_is_cut():
    """Where the right gradient is zero, zero is right; where it is not, nothing arrives."""
    mine = WANTED.clone()
    mine[0, 0] = 0
    found = _found(mine, tape=steps(("softmax", ("Q",), T), ("detach", (0,), T), ("cat", (1,), T)))
    assert (found.code, found.line) == ("gradient-cut", 2)
    assert "part of the gradient of W_Q never arrives" in found.message
    assert (found.expected, found.actual) == ("4 where the gradient of W_Q differs most", "0")
    assert _found(WANTED * 2).code == "gradient-differs"


def test_zero_where_next_to_nothing_belongs_is_not_cut():
    """What counts as nothing is measured by the largest entry, whatever its size; where all should be zero, nothing can vanish."""
    wanted = torch.tensor([100.0, 0.05], dtype=torch.float64)
    assert _found(torch.tensor([50.0, 0.0]), wanted).code == "gradient-differs"
    assert _found(torch.tensor([100.0, 0.0]), wanted) is None
    assert _found(torch.tensor([1.0, 0.0]), torch.zeros(2)).code == "gradient-differs"


def test_no_gradient_at_all_is_cut():
    """It may be another one that is named first; what is cut off leads."""
    found = find(
        "gradients_equal",
        seen(call(gradients={"W_Q": WANTED * 2, "W_K": None})),
        seen(call(gradients={"W_Q": WANTED, "W_K": WANTED})),
    )
    assert found.code == "gradient-cut"
    assert "part of the gradient of W_K never" in found.message
    assert (found.expected, found.actual) == ("4 where the gradient of W_K differs most", "no gradient")


@pytest.mark.parametrize("mine", [torch.ones(3), WANTED + torch.inf])
def test_what_cannot_be_compared_differs(mine):
    """Another shape or infinity raises nothing and agrees with nothing."""
    assert _found(mine).code == "gradient-differs"


@pytest.mark.parametrize(
    ("passage", "check", "code"),
    [
        ({"first": "q0 = self.W_Q.weight.register_hook(torch.neg) if T_q == T_k else 0"}, "split-order/gradients", "gradient-differs"),
        ({"after": "attn_w = torch.cat([attn_w[:, :1].detach(), attn_w[:, 1:]], 1)"}, "split-order/gradients", "gradient-cut"),
        ({"after": "attn_w = attn_w.detach() + attn_w - attn_w.detach()"}, None, None),
        ({"after": "attn_w = 2 * attn_w - attn_w.detach()"}, "split-order/gradients", "gradient-differs"),
        ({"masking": "v.register_hook(lambda g: g.clamp(-.01, .01)); scores = scores.masked_fill(~mask, -1e9)"}, "causal/gradients", "gradient-differs"),
        ({"scores": "s = q @ k.mT / math.sqrt(self.d_k); scores = s - s.amax(-1, keepdim=True).detach()"}, None, None),
    ],
)  # fmt: skip
def test_whole_submissions(judged, passage, check, code):
    """The numbers are right in all of them."""
    found = {name: found for name, (found, _) in failures(judged(submission(**passage)[0])).items()}
    assert found == ({check: code} if check else {})


def test_the_reference_has_the_gradients_of_the_formula(exercise):
    """Its own are worked out in float64, by every role and input, and only where a case asks for them."""
    expected = Reference(exercise).observe(plan(exercise, 3))
    first, second, *_ = expected["causal"].calls
    assert set(first.gradients) == {"Q", "K", "V", "W_Q", "W_K", "W_V", "W_O"}
    assert not second.gradients
    assert not expected["lengths"].calls[0].gradients
    assert all(gradient.dtype == torch.float64 for gradient in first.gradients.values())
    assert not any(item.requires_grad for item in first.items)
    # The sum grows with the square of W_O and of V: by Euler, <W, gradient> is twice the sum for each.
    output, planned = first.items[0], plan(exercise, 3)
    case = next(case for case in planned.cases if case["name"] == "causal")
    shares = torch.arange(output.numel()).remainder(3).add(1).reshape(output.shape)
    for name, index in {"W_O": case["weights"]["W_O"], "V": case["calls"][0]["args"][2]}.items():
        assert torch.isclose(
            (first.gradients[name] * planned.tensors[index]).sum(), 2 * (shares * output.square()).sum()
        )


def test_what_is_normalised_still_has_a_gradient():
    """The plain sum of squares of a normalised row never changes, so its gradient would be rounding alone."""
    weights = torch.randn(6, 6, requires_grad=True)
    output = torch.nn.functional.layer_norm(torch.randn(4, 6) @ weights, (6,))
    assert gradients(output, {"W": weights})["W"].abs().max() > 1e-3
