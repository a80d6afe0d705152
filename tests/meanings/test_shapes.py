"""Shapes that do not fit: real mistakes run for real, so that the texts are those of this torch."""

from __future__ import annotations

import pytest

from checkers.base import Ending, Fault, Observation, Stage
from tests.meanings.student import STUDENT, about, wrong
from tutor.explain import explain
from tutor.meanings.axes import Axes
from tutor.meanings.fitting import fit
from tutor.meanings.text import Text

DIMS = {"B": 2, "T_q": 7, "T_k": 4, "d_model": 15, "h": 3}

SHAPES = [
    # (the line that is replaced, what stands there instead, what must be said, what must not)
    ("scores", "scores = q @ k", "(2, 3, 7, 5) = (B, h, T, d_k) and (2, 3, 7, 5) = (B, h, T, d_k)", "Print"),
    ("scores", "scores = q @ k", "the last axis of the first (d_k = 5) must equal the last but one of the second (T = 7)", ""),
    ("scores", "scores = q @ k.transpose(1, 2)", "This line exchanges axes 1 and 2", "split"),
    ("scores", "scores = q @ k.T", "On this line .T reverses all axes", "Print"),
    ("scores", "scores = torch.mm(q, k)", "it takes tensors of two axes", ""),
    ("scores", "scores = torch.bmm(q, k)", "it takes tensors of three axes", ""),
    (
        "scores",
        "q, k = q.reshape(-1, T_q, self.d_k), k.reshape(-1, T_k, self.d_k)\nscores = torch.bmm(q, k)",
        "bmm was given (6, 7, 5) = (B·h, T, d_k)",
        "",
    ),
    ("k", "k = self.W_K(K).view(B, T_k, self.h, self.d_k)", "there h = 3 meets T = 7", "one too many"),
    ("k", "k = self.W_K(K)", "One of the two has an axis for the heads and the other has none", "exchanges"),
    ("v", "v = self.W_V(V).view(B, T_k, self.h, self.d_k)", "move them in front of time in both", "exchanges"),
    ("context", "context = attn @ v.transpose(-2, -1)", "is the exchange on this line one too many?", ""),
    ("context", "context = v @ attn", "It would fit in the other order", ""),
    ("context", "context = attn * v", "multiplies entry by entry", "Print"),
    ("context", "context = attn.transpose(-2, -1) @ v", "(T_q = 7) must equal the last but one of the second (T_k = 4)", ""),
    ("scores", "scores = q * k", "where values are weighted, the first must be weights", "Exchange the last two"),
    ("merged", "merged = context.transpose(1, 2)", "its last axis is d_k = 5, but the layer takes d_model = 15", ""),
    ("merged", "merged = context", "Bring the heads back next to their features", ""),
    ("merged", "merged = context.flatten(2)", "(2, 3, 35) = (B, h, T·d_k)", ""),
    ("merged", "merged = context.sum(dim=1)", "Only the width of one head arrives", ""),
    ("q", "q = self.W_Q(Q.view(B, T_q, self.h, self.d_k))", "an input is projected before it is split", ""),
    ("q", "q = self.W_Q(Q[..., :4])", "its last axis is 4, but the layer takes d_model = 15", "T_k"),
    ("merged", "merged = context.transpose(1, 2).view(B, T_q, self.d_model)", "view was asked of (2, 7, 3, 5) = (B, T, h, d_k)", "make sure"),
    ("q", "q = self.W_Q(Q).transpose(1, 2).view(B, self.h, T_q, self.d_k)", "make sure first that it is the order you mean", ""),
    ("q", "q = self.W_Q(Q).view(B, T_q, self.h, self.d_model)", "(2, 7, 3, 15) = (B, T, h, d_model): that takes 630 numbers, but there are 210", ""),
    ("k", "k = self.W_K(K).view(B, T_q, self.h, self.d_k).transpose(1, 2)", "lay (2, 4, 15) = (B, T_k, d_model) out as (2, 7, 3, 5) = (B, T_q, h, d_k)", ""),
    ("q", "q = self.W_Q(Q).view(B, T_q, 8, 64)", "The code fixes 8 and 64", ""),
    ("q", "q = self.W_Q(Q).view(B, -1, 8, 64)", "210 numbers do not go evenly into groups of 1024", ""),
    ("q", "q = self.W_Q(Q).view(B, self.h, self.d_k).permute(0, 1, 2)", "The new shape has no room for T = 7", "fixes"),
    ("merged", "merged = context.transpose(1, 2).reshape(B, T_q, self.d_k)", "no room for h = 3", ""),
    ("q", "q = self.W_Q(Q).view(B, -1, -1, self.d_k)", "more than one -1", ""),
    ("q", "q = self.W_Q(Q).unflatten(-1, (8, 64))", "unflatten cannot cut axis 2 of size 15", ""),
    ("q", "q = self.W_Q(Q).split([3, 3, 3], dim=-1)", "do not add up to the size of that axis, 15", ""),
    ("q", "q = self.W_Q(Q).transpose(1, 3)", "transpose was asked for axis 3 of (2, 7, 15) = (B, T, d_model)", ""),
    ("q", "q = self.W_Q(Q).permute(0, 2, 1, 3)", "permute names 4 axes, but the tensor has 3", ""),
    ("scores", "scores = q.permute(0, 2, 1, 1)", "permute names an axis twice", ""),
    ("attn", "attn = torch.softmax(scores, dim=4)", "-1 is the last one", "A fourth axis"),
    ("scores", "scores = q.expand(3, 3, 3, 3)", "only an axis of size 1 stretches", ""),
    ("scores", 'scores = scores.masked_fill(~mask.unsqueeze(1), -1e9)', "put in no axes of your own", ""),
    ("scores", "scores = q @ k.mT + torch.ones(5, 5)", "and (5, 5); axes are matched from the right", "(d_k, d_k)"),
    ("merged", "merged = torch.cat([context, V], dim=-1)", "these have 4 and 3", ""),
    ("merged", "merged = torch.cat([Q, K[:, :5]], dim=0)", "must agree in all others, and here 7 meets 5", ""),
    ("merged", "merged = torch.stack([Q, K])", "stack takes tensors of one shape. stack was given (2, 7, 15) = (B, T_q, d_model)", ""),
    ("scores", "scores = torch.einsum('bhqd,bhdk->bhqk', q, k)", "the letter d stands for two sizes, 5 and 7", ""),
    ("scores", "scores = torch.einsum('bqd,bkd->bqk', q, k)", "has 3 letters for a tensor of 4 axes", ""),
    ("scores", "scores = torch.einsum('b h T_q d, b h T_k d -> b h T_q T_k', q, k)", "An axis is one single letter", ""),
    ("scores", "scores = torch.einsum('bhqd->bhqk', q, k)", "more operands were provided", ""),
    ("scores", "scores = torch.zeros(B, T_q, T_k)\nscores += q @ k.mT", "has none for the heads", ""),
    ("scores", "scores = torch.zeros(T_q, T_k)\nscores += q @ k.mT", "cannot make its tensor larger", ""),
    ("scores", "scores = q @ k.t()", "t turns a matrix, and this tensor has 4 axes. t was given (2, 3, 7, 5) = (B, h, T, d_k)", ""),
    ("scores", "scores = torch.einsum(q, k, 'bhqd,bhkd->bhqk')", "The equation comes first", "comparison"),
    ("scores", "scores = torch.addmm(q, k, v)", "it takes tensors of two axes", ""),
    ("q", "q = self.W_Q(Q).view(B, T_q, self.h)", "no room for d_k = 5", "Compare"),
    ("q", "q = self.W_Q(Q).view(B, T_q, self.d_k)", "no room for h = 3", "Compare"),
    ("q", "q = self.W_Q(Q).view(B, T_q, -2)", "A size on this line is negative", ""),
    ("q", "q = Q @ self.W_Q.weight.T.view(3, 7)", "that takes 21 numbers, but there are 225", "reverses"),
    ("q", "q = Q @ self.W_Q.weight.T[:7]", "the last axis of the first (d_model = 15) must equal", "reverses"),
    ("q", "q = self.W_Q(Q).chunk(0)", "chunk is asked for 0 parts", ""),
    ("q", "q = self.W_Q(Q).expand(B, T_q)", "one number for every axis", ""),
    ("q", "q = self.W_Q(Q).repeat(2)", "repeat was given (2, 7, 15) = (B, T, d_model)", ""),
    ("q", "q = self.W_Q(Q)[0][0][0][0]", "A tensor without axes holds one number", ""),
    ("q", "q = self.W_Q(Q).narrow(1, 5, 9)", "exceeds dimension size (7)", ""),
    ("q", "q = self.W_Q(Q).select(1, 9)", "index 9 out of range", ""),
    ("q", "q = torch.stack(self.W_Q(Q).chunk(3, -1), dim=5)", "stack was asked for axis 5 of (2, 7, 5)", ""),
    ("q", "q = Q - Q.max(dim=-1)[0]", "keepdim=True keeps it, with size 1", "Print"),
    ("q", "q = Q - Q.max(dim=-2, keepdim=True)[0][..., :7]", "Print both shapes", "keepdim"),
    ("q", "q = torch.zeros(B, T_q, 15)\nq[:, :, :5] = Q", "has size 15 where its place has 5, on axis 2", "expand cannot"),
    ("q", "q = torch.zeros(3)\nq[0] = torch.ones(2)", "What is assigned here has more axes, 1, than the place it is assigned to, 0", "expand"),
    ("q", "q = F.layer_norm(Q, (16,))", "for a last axis of [16]", ""),
    ("q", "self.W_Q.weight = nn.Parameter(torch.ones(3))\nq = self.W_Q(Q)", "a matrix of 14x15 meets a vector of 3 numbers", ""),
    ("scores", "scores = mask.view(B, 1, T_q, T_k)", "put in no axes of your own", "Compare each size"),
    ("scores", "scores = torch.arange(T_q) < torch.arange(T_k + 1)", "The comparison was given (7,) = (T,) and (8,)", ""),
    ("scores", "scores = torch.tril(torch.ones(T_q))", "fewer than two axes", ""),
]  # fmt: skip
MASKS = [
    ("mask.float()", "takes a boolean mask, and here it is of type float"),
    ("1 - mask", "Booleans cannot be subtracted"),
    ("-mask", "~mask turns a mask round"),
    ("~mask.float()", "~ turns booleans round, and this tensor holds numbers with a fraction"),
    ("~scores", "~ was given (2, 3, 7, 7) = (B, h, T, T)"),
    ("mask, torch.ones(2)) + (1", "masked_fill puts one number wherever the mask is True"),
    ("mask.bool", "One of the arguments of masked_fill is a function rather than its result"),
    ("not mask", "asked whether it is true, by not"),
    ("~torch.ones(5, 5).tril().bool()", "build the smaller tensor from the lengths of the inputs"),
]


@pytest.mark.filterwarnings("ignore:The use of `x.T`")
@pytest.mark.parametrize(("key", "new", "says", "never"), SHAPES)
def test_shapes_are_spoken_of_in_named_axes(explained, key, new, says, never):
    """The operation, what it was given, which sizes meet, and a step that is true of this mistake."""
    if "mask" in new:
        key, new = "if", f"if mask is not None:\n    {new}\nif False:"
    said = explained(wrong(key, new))
    assert says in said
    assert not never or never not in said


@pytest.mark.parametrize(("given", "says"), MASKS)
def test_masks_of_the_wrong_kind(explained, given, says):
    """What masked_fill, ~ and not make of a mask."""
    assert says in explained(STUDENT.replace("~mask", given))


@pytest.mark.parametrize(
    ("message", "operation", "shapes"),
    [
        ("The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1", "linear", ((2, 7, 15), (15, 15))),
        ("mat1 and mat2 shapes cannot be multiplied (10x9 and 8x8)", "linear", ((2, 7, 15), (15, 15))),
        ("Expected size for first two dimensions of batch2 tensor to be: [6, 5] but got: [6, 7].", "matmul", ((2, 3, 7, 5), (2, 3, 5, 7))),
        ("shape '[2, 7]' is invalid for input of size 9", "view", ((2, 7, 15),)),
        ("The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1", "add", ((2, 7, 15), (2, 7, 14))),
    ],
)  # fmt: skip
def test_an_operation_that_does_not_explain_the_error_is_not_believed(message, operation, shapes):
    """What the tape says is advice; where it does not fit the text of the error, only the text speaks."""
    fault = Fault("RuntimeError", message, 1, operation, shapes)
    stopped = Observation("plain", Ending.RAISED, Stage.CALL, fault)
    meaning = explain(stopped, about("x = 1", {**DIMS, "T_k": 7}))
    assert "d_model" not in meaning.message
    assert "was given" not in meaning.message
    assert "was asked" not in meaning.message


def test_a_mask_as_large_as_can_be_is_to_be_cut() -> None:
    """A size that only the longest input has is told apart from one that belongs to nothing."""
    axes = Axes({"B": 2, "T": 7, "d_model": 15, "h": 3, "context_length": 11})
    message = "The size of tensor a (7) must match the size of tensor b (11) at non-singleton dimension 3"
    fault = Fault("RuntimeError", message, 3, "masked_fill", ((2, 3, 7, 7), (11, 11)))
    meaning = fit(fault, axes, Text("", "A"))
    assert meaning is not None
    assert meaning.next_step.startswith("One is as large as can be, the other as this input is long")
