"""Kind ``leaves_alone``: what a call changed although it is not its own."""

from __future__ import annotations

import pytest

from tests.checkers.making import call, failures, find, seen, steps, submission

SHAPE = ((2, 3, 6),)


@pytest.mark.parametrize(
    ("disturbed", "code"),
    [
        ("input:mask", "caller-tensor-modified"),
        ("weight:W_Q.weight", "weights-modified"),
        ("parameters", "parameters-added"),
        ("training", "training-flag-changed"),
        ("random", "random-numbers-used"),
    ],
)
def test_each_disturbance_has_its_finding(disturbed, code):
    """In whichever call it happened."""
    found = find("leaves_alone", seen(call(), call(disturbed=(disturbed,))))
    assert found.code == code
    assert found.message.startswith(("After the call ", "The call ", "forward "))


def test_inputs_are_called_by_their_own_names():
    """Nothing is said of Q, K and V where an exercise has other inputs."""
    found = find("leaves_alone", seen(call(disturbed=("input:memory",))))
    assert "memory of the caller is not as before" in found.message
    assert "Q" not in found.message + found.expected


def test_nothing_disturbed_is_content():
    """A call that only computes passes."""
    assert find("leaves_alone", seen(call(), call())) is None


def test_only_what_is_asked_for_counts():
    """What another check looks at is left to it; names that look alike are told apart."""
    observed = seen(call(disturbed=("random", "weight:W_Q.weight")))
    assert find("leaves_alone", observed, what=["inputs", "parameters", "training"]) is None
    assert find("leaves_alone", observed, what=["weights"]).code == "weights-modified"
    assert find("leaves_alone", seen(call(disturbed=("input:training",))), what=["training"]) is None


@pytest.mark.parametrize(
    ("name", "tape", "line"),
    [
        ("input:Q", [("linear", ("Q",), SHAPE), ("div_", ("Q",), SHAPE)], 2),
        ("input:mask", [("transpose", ("mask",), SHAPE), ("logical_not_", (0,), SHAPE)], 2),
        ("input:mask", [("__setitem__", ("mask", "?"), SHAPE)], 1),
        ("input:mask", [("logical_not", ("mask",), SHAPE), ("logical_or_", (0, "?"), SHAPE)], None),
        ("input:K", [("__getitem__", ("K",), SHAPE), ("mul", (0,), SHAPE), ("add_", (1,), SHAPE)], None),
        ("weight:W_Q.weight", [("data", ("parameter:W_Q.weight",), SHAPE), ("clamp_", (0,), SHAPE)], 2),
    ],
)
def test_the_line_is_that_of_the_step_that_writes(name, tape, line):
    """Through a view, too; writing to a tensor of its own is no writing to an input."""
    assert find("leaves_alone", seen(call(disturbed=(name,)), tape=steps(*tape))).line == line


def test_a_result_kept_as_a_parameter_is_told_from_a_layer_made_late():
    """nn.Parameter in forward is the fault of its own name."""
    observed = seen(call(disturbed=("parameters",)))
    source, line = submission(after="self.last = nn.Parameter(attn_w)")
    found = find("leaves_alone", observed, source=source)
    assert (found.code, found.line) == ("non-weight-parameter", line)
    source, line = submission(first="self.register_parameter('x', None)")
    found = find("leaves_alone", observed, source=source)
    assert (found.code, found.line) == ("parameters-added", line)


@pytest.mark.parametrize(
    ("disturbed", "passages"),
    [
        ("parameters", {"after": "self.last = nn.Parameter(attn_w)", "init": "self.scale = nn.Parameter(torch.ones(1))"}),
        ("parameters", {"first": "self.add_module('x', None)", "init": "self.y = nn.Linear(1, 1)"}),
        ("training", {"first": "self.eval()", "init": "self.train(); self.training = True"}),
        ("training", {"first": "self.training = False", "init": "self.training = True"}),
        ("random", {"first": "noise = torch.rand(1)", "init": "torch.manual_seed(0)"}),
        ("random", {"init": "torch.manual_seed(0)"}),
    ],
)  # fmt: skip
def test_the_line_is_one_that_runs_in_the_call(disturbed, passages):
    """What only the constructor does is no matter, unless nothing else explains what a call drew."""
    source, line = submission(**passages)
    observed = seen(call(disturbed=(disturbed,)))
    assert find("leaves_alone", observed, source=source).line == line


def test_the_line_of_what_is_random_comes_from_the_tape():
    """In whichever case has one; only what draws counts."""
    observed = seen(call(disturbed=("random",)))
    observed |= seen(
        call(), case="b", tape=steps(("linear", ("Q",), SHAPE), ("rand", (), ()), ("dropout", (0,), SHAPE))
    )
    source, _ = submission(first="noise = torch.rand(1)")
    assert find("leaves_alone", observed, source=source).line == 2


@pytest.mark.parametrize(
    ("passage", "check", "code"),
    [
        ({"first": "Q *= 1.0 + 1e-3; Q /= 1.0 + 1e-3; Q += 1e-7"}, "forward/leaves-alone", "caller-tensor-modified"),
        ({"first": "K[:, 0].mul_(1.0000002)"}, "forward/leaves-alone", "caller-tensor-modified"),
        ({"masking": "mask.logical_not_(); scores = scores.masked_fill(mask, -1e9)"}, "causal/leaves-alone", "caller-tensor-modified"),
        ({"first": "self.W_Q.weight.data.clamp_(-0.5, 0.5)"}, "forward/reads-weights", "weights-modified"),
        ({"after": "self.last = nn.Parameter(attn_w)"}, "forward/leaves-alone", "non-weight-parameter"),
        ({"first": "self.train()"}, "forward/leaves-alone", "training-flag-changed"),
        ({"first": "self.eval()"}, "forward/undisturbed", "training-flag-changed"),
        ({"first": "torch.manual_seed(0)"}, "forward/undisturbed", "random-numbers-used"),
        ({"first": "noise = torch.rand(1)"}, "forward/undisturbed", "random-numbers-used"),
    ],
)  # fmt: skip
def test_whole_submissions(judged, passage, check, code):
    """One fault, one failed check, on the line where it happens."""
    source, line = submission(**passage)
    assert failures(judged(source)) == {check: (code, line)}


def test_a_tensor_of_its_own_may_be_written_to(judged):
    """In-place operations on what forward made itself are fine."""
    source, _ = submission(
        scores="scores = q @ k.mT; scores /= math.sqrt(self.d_k)",
        masking='scores[~mask.expand_as(scores)] = float("-inf")',
    )
    assert failures(judged(source)) == {}
