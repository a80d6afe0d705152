"""What Python cannot read, and a function where the exercise asks for one."""

from __future__ import annotations

import re

import pytest

from tests.meanings.student import wrong

SYNTAX = [
    ("q", "q = self.W_Q(Q", "The ( on this line is never closed"),
    ("q", "q = self.W_Q(Q))", "This ) closes nothing"),
    ("q", "q = self.W_Q[Q)", "The ) here closes a bracket that was opened as ["),
    ("W_Q", "self.W_Q = nn.Linear(d_model d_model)", "nothing between them"),
    ("if", "if mask is not None", "the colon at its end is missing"),
    ("if", "if mask = None:", "a single ="),
    ("if", "if mask is None && True:", "Write and, or"),
    ("if", "if !mask:", "Write not, or ~"),
    ("q", "if True:\n    pass\nelse if False:\n    pass", "elif"),
    ("q", "else:\n    pass", "belongs to no if"),
    ("q", "x = 1a", "names cannot start with a digit"),
    ("q", "x = 012", "starts with 0"),
    ("q", "print Q", "Write print(…)"),
    ("q", "print('abc)", "no closing quote"),
    ("q", "print(f'{Q.shape')", "the braces of an f-string"),
    ("q", "print(f'{}')", "The braces of an f-string are empty"),
    ("q", "self.W_Q(Q) = 3", "left of the = is a function call"),
    ("W_Q", "self.W_Q = nn.Linear(bias=False, d_model)", "Move the arguments without a name to the front"),
    ("def forward", "def forward(self, mask=None, Q, K):", "Move the parameters with “= …” to the end"),
    ("import math", "import math\nreturn 3", "does not belong to the body of a def"),
    ("q", "|       q = 1", "no line above starts in the same column"),
    ("q", "|          q = 1", "indented more than the line before"),
    ("def forward", "|    def forward(self, Q):\n    x = 1", "on line 19 is empty"),
    ("q", "|\tq = 1", "tabs and spaces are mixed"),
]

FUNCTION = """\
import math
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
"""


@pytest.mark.parametrize(("key", "new", "says"), SYNTAX)
def test_what_python_cannot_read(explained, key, new, says):
    """Every way of not being Python gets the step that mends it."""
    assert says in explained(wrong(key, new))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("K.transpose(-2, -1)", "K", "(2, 7, 5) = (B, T, d_k) and (2, 7, 5) = (B, T, d_k)"),
        ("K.transpose(-2, -1)", "K.transpose(0, 1)", "This line exchanges axes 0 and 1"),
        ("    scores = Q @ K.transpose(-2, -1)", "    K = K.transpose(0, 1)\n    scores = Q @ K", "Time stands where the batch belongs"),
        ("weights @ V, weights", "weights * V, weights", "multiplies entry by entry"),
        ("weights @ V, weights", "weights.mT @ V, weights", "(T_q = 7) must equal the last but one of the second (T_k = 4)"),
        ("    scores =", "    B, T, d_k = Q.shape\n    scores =", "The tensor has 2 axes here"),
        ("dim=-1", "dim=2", "softmax was asked for axis 2 of (6, 5) = (T_q, T_k)"),
        ("Q.shape[-1]", "d_k", "Set d_k before this line, from the shape of an input."),
        ("V, mask=None", "V", "add it to the parameters"),
        ("Q, K, V, mask=None", "Q, K", "your definition takes 2, but it is called with 3"),
        ("    scores =", "    math.exp(1e9)\n    scores =", "in scaled_dot_product_attention: OverflowError"),
    ],
)  # fmt: skip
def test_a_function_is_spoken_of_as_a_function(explained, before, after, says):
    """No self, no __init__, no forward, where the exercise asks for a function."""
    said = explained(FUNCTION.replace(before, after, 1), "scaled-dot-product-attention")
    assert says in said
    assert not re.search(r"\bself\b|__init__|\bforward\b|\bclass\b", said)
