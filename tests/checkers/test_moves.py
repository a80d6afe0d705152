"""What the text says about moves to a device by name: gone on with, or only looked at."""

from __future__ import annotations

import pytest

from checkers._moves import Moves
from checkers.base import Step

LINES = """class Net:
    def forward(self, q):
        {line}
        return q
"""


def _moves(line):
    return Moves(LINES.format(line=line))


@pytest.mark.parametrize(
    ("line", "replaces", "returns"),
    [
        ("q = q.cpu()", True, True),
        ("q = q.to('cpu')", True, True),
        ("q = (q @ k).cuda()", True, True),
        ("shown = (q @ k).cuda()", True, False),
        ("q = (q @ k).cpu() + q", True, False),
        ("q = q.cpu() + q", True, True),
        ("return q.cpu()", True, True),
        ("return (q @ k).cpu()", True, True),
        ("q: object = q.cpu()", True, True),
        ("q, k = q.cpu(), k", True, True),
        ("if q.cpu().any(): q = q + 1", True, True),
        ("self.kept = q = q.cpu()", True, True),
        ("shown = q.cpu()", False, False),
        ("self.kept = q.cpu()", False, False),
        ("kept['q'] = q.cpu()", False, False),
        ("q.cpu()", False, False),
        ("print(q.cpu())", False, False),
        ("shape = str(q.cpu())", False, False),
        ("rows = q.cpu().tolist()", False, False),
        ("q = q.cpu().numpy()", False, False),
        ("text = f'{q.cpu()}'", False, False),
        ("q = to(q)", False, False),
        ("q = q.contiguous()", False, False),
    ],
)
def test_a_move_goes_on_or_is_a_copy_to_look_at(line, replaces, returns):
    """What is printed, kept or called otherwise is a copy; what takes the old one's place or is computed with goes on."""
    step = Step("cpu", 3)
    assert _moves(line).replaces(step) is replaces
    assert _moves(line).returns(step) is returns


def test_only_the_moves_on_the_line_of_the_step_count():
    """A call may stand on several lines; those before and after are others'."""
    moves = _moves("q = q.to(\n            'cpu',\n        )")
    assert [moves.replaces(Step("to", line)) for line in (2, 3, 4, 5, 6, None)] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert [moves.returns(Step("to", line)) for line in (2, 3, 4, 5, 6, None)] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]


KEPT = """class Net:
    def __init__(self):
        self.layer = nn.Linear(2, 2)
        self.early = torch.ones(2)
        self.scale = torch.FloatTensor([2])
        self.ones = torch.ones(2)
        self.size = 2
        ones = torch.zeros(2)

    def forward(self, q):
        q = q / self.scale
        q = self.layer(q) * self.ones
        q = self.layer(q) * self.size
        return ones + q
"""


@pytest.mark.parametrize(("line", "kept"), [(11, 5), (12, 6), (13, None), (14, None), (1, None), (None, None)])
def test_a_kept_tensor_is_found_where_it_was_put(line, kept):
    """By the attribute that the line reads; layers, numbers, other tensors and variables are not it."""
    assert Moves(KEPT).kept_at(line) == kept


@pytest.mark.parametrize(
    ("line", "untracked"), [("q = torch.vmap(f)(q)", True), ("q = vmap(f)(q)", True), ("q = q.softmax(-1)", False)]
)
def test_transforms_are_seen_by_name(line, untracked):
    """Their results are tensors that no tape has seen."""
    assert _moves(line).untracked is untracked


def test_a_text_that_cannot_be_read_says_nothing():
    """Nothing moves, and nothing raises."""
    moves = Moves("class Net:\n  def")
    assert not moves.untracked
    assert not moves.replaces(Step("cpu", 1))
    assert moves.kept_at(1) is None
