"""Kind ``follows_device``: tensors that stay where they were made must not meet the inputs."""

from __future__ import annotations

import pytest
import torch

from checkers.base import Foreign, Step
from tests.checkers.making import call, failures, find, results, seen, steps, submission

T, ONE = (3, 4), ()


def _found(*made, source=""):
    return find("follows_device", seen(tape=steps(*made)), source=source)


@pytest.mark.parametrize(
    ("tape", "line"),
    [
        ([("ones", (), ()), ("mul", ("Q", 0), (T, T))], 1),
        ([("arange", (), (), "text"), ("ge", (0, "mask"), (T, T))], 1),
        ([("ones", (), ()), ("tril", (0,), (T,)), ("masked_fill", ("Q", 1), (T, T))], 1),
        ([("linear", ("Q", "parameter:W"), (T, T)), ("mul", (0, "?"), (T, T))], 2),
        ([("zeros", (), ()), ("add", (0, "buffer:b"), (T, ONE))], 1),
        ([("ones", (), ()), ("__getitem__", (0, "mask"), (T, T))], 1),
        ([("ones", (), ()), ("masked_fill_", (0, "mask"), (T, T))], 1),
        ([("ones", (), ()), ("ones_like", (0,), (T,)), ("add", ("Q", 1), (T, T))], 1),
        ([("ones", (), ()), ("__setitem__", (0, "Q"), (T, T)), ("add", ("Q", 1), (T, T))], 1),
        ([("tensor", (), ()), ("to", (0,), (T,)), ("mul", ("Q", 1), (T, T))], 1),
        ([("ones", (), ()), ("to", ("Q", 0), (T, T)), ("mul", ("K", 1), (T, T))], 1),
        ([("ones", (), ()), ("type_as", ("Q", 0), (T, T)), ("mul", ("K", 1), (T, T))], 1),
        ([("ones", (), ()), ("cpu", (0,), (T,)), ("mul", ("Q", 1), (T, T))], 1),
    ],
)
def test_what_stays_behind_meets_the_inputs(tape, line):
    """The line is that on which the tensor was made, or on which it is met where nobody saw that."""
    found = _found(*tape)
    assert (found.code, found.line) == ("device-fixed", line)


@pytest.mark.parametrize(
    "tape",
    [
        [("tensor", (), ()), ("mul", ("Q", 0), (T, ONE))],
        [("ones", (), (), "object"), ("mul", ("Q", 0), (T, T))],
        [("ones", (), ()), ("to", (0,), (T,), "object"), ("mul", ("Q", 1), (T, T))],
        [("ones", (), ()), ("to", (0, "Q"), (T, T)), ("mul", ("Q", 1), (T, T))],
        [("ones", (), ()), ("type_as", (0, "Q"), (T, T)), ("mul", ("Q", 1), (T, T))],
        [("full_like", ("Q",), (T,)), ("mul", ("Q", 0), (T, T))],
        [("new_full", ("Q",), (T,)), ("mul", ("Q", 0), (T, T))],
        [("arange", (), ()), ("__getitem__", ("Q", 0), (T, T)), ("mul", ("Q", 1), (T, T))],
        [("ones", (), ()), ("__setitem__", ("Q", 0), (T, T)), ("mul", ("K", 1), (T, T))],
        [("empty_like", ("Q",), (T,)), ("ones", (), ()), ("copy_", (0, 1), (T, T)), ("mul", ("Q", 2), (T, T))],
        [("ones", (), ()), ("expand_as", (0, "Q"), (T, T))],
        [("ones", (), ()), ("triu", (0,), (T,)), ("add", (0, 1), (T, T))],
        [("mul", ("buffer:mask", "Q"), (T, T))],
        [("tensor", (), ()), ("mul", (0, "Q"), (ONE, T)), ("add", (1, "K"), (T, T))],
        [("arange", (), ()), ("__getitem__", ("Q", 0, "K"), (T, T, T))],
        [("ones", (), ()), ("arange", (), ()), ("__getitem__", (0, 1), (T, T))],
        [("cpu", ("Q",), (T,)), ("mul", ("K", 0), (T, T))],
        [("to", ("Q",), (T,), "text"), ("mul", ("K", 0), (T, T))],
        [("cpu", (), ())],
        [("expand_as", (), ())],
        [("mul", ("Q", "?"), (T, ONE))],
        [("item", ("Q",), (ONE,)), ("full", (), ())],
    ],
)
def test_what_follows_the_inputs_is_content(tape):
    """Numbers without axes, device objects, moves after the inputs, *_like, indices, and helpers that meet only each other."""
    assert _found(*tape) is None


def test_strangers_are_let_pass_where_the_tape_loses_sight():
    """After unbind into many pieces, inside a function transform and behind hidden calls, nobody knows where a tensor comes from."""
    value = torch.zeros(1)
    pieces = (Step("unbind", 1, ("Q",), ((12, 2),), torch.zeros(2)), Step("mul", 2, ("Q", "?"), (T, T), value))
    assert find("follows_device", seen(tape=pieces)) is None
    assert _found(("mul", ("Q", "?"), (T, T)), source="from torch.func import vmap\nvmap(f)") is None


MEETS = Step("mul", 2, ("Q", "?"), (T, T), torch.zeros(1))


@pytest.mark.parametrize(
    "name", ["chunk", "split", "unbind", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "dsplit"]
)
def test_more_pieces_than_the_tape_knows_lose_sight(name):
    """Eight are known; the ninth would look as if it came from nowhere."""
    assert find("follows_device", seen(tape=(Step(name, 1, ("Q",), ((9,),), torch.zeros(1)), MEETS))) is None
    assert find("follows_device", seen(tape=(Step(name, 1, ("Q",), ((8, 2),), torch.zeros(2)), MEETS))) is not None


@pytest.mark.parametrize(
    "step",
    [
        Step("sum", 1, ("Q",), ((12, 2),), torch.zeros(2)),
        Step("unbind", 1, ("Q",), ((12, 2),), None),
        Step("unbind", 1, (), (), torch.zeros(2)),
        Step("mul", 1, ("Q",), (T,), None),
        Step("mul", 1, ("?",), ((8_192,), (8_193,)), None),
        Step("mul", 1, ("?",), (T,), torch.zeros(1)),
        Step("item", 1, ("?",), (ONE,), None),
    ],
)
def test_a_step_that_loses_no_sight_excuses_nothing(step):
    """One result, none at all, one too large to be sent, and numbers that were read out."""
    assert find("follows_device", seen(tape=(step, MEETS))).code == "device-fixed"


def test_a_stranger_without_numbers_is_one_of_a_function_transform():
    """It gives no values when it is computed with, however large a value may be that is sent."""
    assert find("follows_device", seen(tape=(Step("mul", 1, ("?",), ((8_192,),), None), MEETS))) is None


def test_a_constant_that_was_through_numpy_is_called_so():
    """Numbers that leave torch come back on the CPU; where a weight went with them, the gradient is what is said."""
    value = torch.zeros(3, 4)
    tape = (Step("numpy", 3, ("mask",), (T,)), Step("masked_fill", 4, ("Q", "?"), (T, T), value))
    found = find("follows_device", seen(tape=tape))
    assert (found.code, found.line) == ("numpy-inside", 3)
    tape = (Step("linear", 2, ("parameter:W",), (T,), value), Step("numpy", 3, (0,), (T,)), tape[1])
    assert find("follows_device", seen(tape=tape)) is None


def test_a_plain_attribute_is_named_where_it_was_set():
    """The line to change is that of the constructor, not the one that uses the tensor; layers on that line are none."""
    source, line = submission(init="self.ones = torch.ones(1, 1, 1)", first="Q = self.W_Q(Q) * self.ones")
    used = source.splitlines().index("        Q = self.W_Q(Q) * self.ones") + 1
    tape = (Step("mul", used, ("Q", "?"), (T, T), torch.zeros(1)),)
    assert find("follows_device", seen(tape=tape), source=source).line == line
    assert find("follows_device", seen(tape=tape), source="").line == used


def test_a_result_that_stays_behind_is_a_finding():
    """A result made from nothing is on the default device, whatever its numbers."""
    output, maps = results()
    made = Step("tensor", 7, (), (), maps)
    found = find("follows_device", seen(call(output, maps), tape=(made,)))
    assert (found.code, found.line) == ("device-fixed", 7)
    assert find("follows_device", seen(call(output, Foreign("a list")), tape=(made,))) is None
    assert find("follows_device", seen(call(output), tape=(made,))) is None
    also = Step("softmax", 6, ("Q",), (T,), maps)
    assert find("follows_device", seen(call(output, maps), tape=(also, made))) is None


FAULTS = [
    ({"softmax": "attn_w = scores.softmax(-1).cpu()"}, "forward/device"),
    ({"first": 'Q = Q.to("cpu")'}, "forward/device"),
    ({"last": "output, attn_w = output.cpu(), attn_w.cpu()"}, "forward/device"),
    ({"last": "output = (output + 0).cpu()"}, "forward/device"),
    ({"init": "self.ones = torch.ones(1, 1, 1)", "first": "Q = Q * self.ones"}, "forward/device"),
    ({"softmax": "zeros = torch.zeros(B, self.h, T_q, T_k); attn_w = (scores + zeros).softmax(-1)"}, "forward/device"),
    ({"softmax": 'zeros = torch.zeros(T_k, device="cpu"); attn_w = (scores + zeros).softmax(-1)'}, "forward/device"),
    ({"softmax": "attn_w = torch.empty(scores.shape).copy_(scores).to(q.dtype).softmax(-1)"}, "forward/device"),
    ({"scores": "scores = q @ k.mT / torch.sqrt(torch.FloatTensor([self.d_k]))"}, "forward/device"),
    ({"masking": 'scores = torch.where(mask, scores, torch.full(scores.shape, float("-inf")))'}, "causal/device"),
    ({"masking": 'scores = scores + torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))'}, "causal/device"),
]


@pytest.mark.parametrize(("passage", "check"), FAULTS)
def test_whole_submissions(judged, passage, check):
    """One fault, one failed check."""
    found = failures(judged(submission(**passage)[0]))
    assert list(found) == [check]
    assert found[check][0] == "device-fixed"
    assert found[check][1] is not None


RIGHT = [
    {"scores": "scores = q @ k.mT / torch.tensor(self.d_k).sqrt()"},
    {"init": "self.scale = torch.tensor(self.d_k).sqrt()", "scores": "scores = q @ k.mT / self.scale"},
    {"softmax": "attn_w = (scores + torch.zeros(T_k, device=Q.device)).softmax(-1)"},
    {"softmax": "attn_w = (scores + torch.zeros(T_k).to(scores.device)).softmax(-1)"},
    {"softmax": "attn_w = (scores + torch.zeros(T_k).to(scores)).softmax(-1)"},
    {"softmax": "attn_w = (scores + torch.zeros(T_k).type_as(scores)).softmax(-1)"},
    {"softmax": "with torch.device(Q.device): zeros = torch.zeros(T_k)\n        attn_w = (scores + zeros).softmax(-1)"},
    {"first": 'device = torch.device("cuda" if Q.is_cuda else "cpu"); Q = Q + torch.zeros(1, device=device)'},
    {"masking": "scores = torch.where(mask, scores, torch.tensor(float('-inf')))"},
    {"masking": "scores = torch.where(mask.to(scores.device), scores, torch.full_like(scores, float('-inf')))"},
    {"masking": "scores = scores + scores.new_zeros(mask.shape).masked_fill(~mask, float('-inf'))"},
    {"masking": "blocked = Q.new_full((), float('-inf')); scores = scores.masked_fill(~mask, blocked)"},
    {"after": "print(attn_w.cpu().shape, Q.cpu().mean(), attn_w.detach().cpu().numpy().shape)"},
    {"after": "self.kept = attn_w.detach().cpu(); shown = attn_w.cpu()"},
    {"after": "shown = (attn_w + 0).cpu()"},
    {"after": "rows = attn_w.cpu().tolist(); shown = attn_w.detach().cpu().numpy()"},
    {"after": "seen = []; seen.append(attn_w.cpu()); text = f'{attn_w.to(\"cpu\")}'"},
    {"init": "self.register_buffer('ones', torch.ones(1, 1, 1))", "first": "Q = Q * self.ones"},
    {"first": "order = torch.arange(T_q); Q = Q[:, order]"},
    {"first": "q_b, k_b = torch.broadcast_tensors(torch.ones(1), Q)"},
    {"first": "Q = torch.stack([feature * 1 for feature in Q.unbind(-1)], -1)"},
    {"softmax": "attn_w = torch.vmap(lambda s: s.softmax(-1))(scores)"},
]


@pytest.mark.parametrize("passage", RIGHT)
def test_right_submissions(judged, passage):
    """Whatever follows the inputs passes, and so do copies to look at."""
    assert failures(judged(submission(**passage)[0])) == {}
