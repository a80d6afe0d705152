"""Kind ``own_work``: by what was called, and by the text of what the entry leads to."""

from __future__ import annotations

import pytest

from checkers._source import read
from tests.checkers.making import call, failures, find, seen, steps, submission

SDPA = "F.scaled_dot_product_attention(q, k, v)"
RARE = "output = output if T_q < 512 else {}"


def _line(**passage):
    source, line = submission(**passage)
    found = find("own_work", seen(), source=source)
    return None if found is None else (found.actual, found.line - line)


@pytest.mark.parametrize(
    ("passage", "name"),
    [
        ({"last": RARE.format(SDPA)}, "scaled_dot_product_attention"),
        (
            {"last": RARE.format("torch.nn.functional.scaled_dot_product_attention(q, k, v)")},
            "scaled_dot_product_attention",
        ),
        ({"last": RARE.format("getattr(F, 'scaled_dot_product_attention')(q, k, v)")}, "scaled_dot_product_attention"),
        ({"last": RARE.format("eval('F.scaled_dot_product_attention(q, k, v)')")}, "scaled_dot_product_attention"),
        ({"init": "self.inner = nn.MultiheadAttention(d_model, h) if h > 64 else None"}, "MultiheadAttention"),
    ],
)
def test_a_name_in_the_running_code_is_a_finding(passage, name):
    """Even where no recorded case comes that way."""
    assert _line(**passage) == (name, 0)


@pytest.mark.parametrize(
    "passage",
    [
        {"above": "from torch.nn.functional import scaled_dot_product_attention as sdpa", "last": RARE.format("sdpa(q, k, v)")},
        {"above": "from torch.nn.functional import *", "last": RARE.format("scaled_dot_product_attention(q, k, v)")},
        {"above": "attend = F.scaled_dot_product_attention", "last": RARE.format("attend(q, k, v)")},
        {"above": f"def help_out(q, k, v):\n    return {SDPA}", "last": RARE.format("help_out(q, k, v)")},
        {"init": f"pass\n\n    def quick(self, q, k, v):\n        return {SDPA}", "last": RARE.format("self.quick(q, k, v)")},
        {"init": f"pass\n\n    def quick(self, q, k, v):\n        return {SDPA}", "last": RARE.format("getattr(self, 'quick')(q, k, v)")},
        {"above": f"class Inner(nn.Module):\n    def forward(self, q, k, v):\n        return {SDPA}", "init": "self.inner = Inner()"},
        {"below": f"MultiHeadAttention.quick = lambda self, q, k, v: {SDPA}"},
        {"last": RARE.format(SDPA), "above": "# not MultiheadAttention"},
        {"last": RARE.format(SDPA), "below": "def scaled_dot_product_attention(q, k, v):\n    return q"},
        {"last": RARE.format("torch.nn.functional.scaled_dot_product_attention(q)"), "below": "scaled_dot_product_attention = 0"},
    ],
)  # fmt: skip
def test_names_are_followed_through_helpers(passage):
    """Imports under another name, aliases, functions, methods, inner modules and methods put in from outside."""
    assert _line(**passage) is not None


@pytest.mark.parametrize(
    "passage",
    [
        {"first": "# faster than F.scaled_dot_product_attention"},
        {"first": '"""nn.MultiheadAttention does the same."""'},
        {"below": "x = torch.randn(2, 3, 8)\nprint(nn.MultiheadAttention(8, 2)(x, x, x)[0].shape)"},
        {"below": "def compare(q, k, v):\n    return F.scaled_dot_product_attention(q, k, v)"},
        {"init": f"pass\n\n    def compare(self, q, k, v):\n        return {SDPA}"},
        {"above": "def scaled_dot_product_attention(q, k, v):\n    return q", "last": RARE.format("scaled_dot_product_attention(q, k, v)")},
        {"init": "pass\n\n    def scaled_dot_product_attention(self, q):\n        return q", "last": RARE.format("self.scaled_dot_product_attention(q)")},
        {"init": "self.flash = hasattr(F, 'scaled_dot_product_attention')"},
        {"last": f"if False:\n            output = {SDPA}"},
        {"above": "class MultiheadAttention(nn.Module):\n    pass", "init": "self.inner = MultiheadAttention()"},
        {"above": "this is no Python"},
        {"above": "class F:\n    @staticmethod\n    def scaled_dot_product_attention(q): return q", "last": RARE.format(SDPA)},
        {"above": "class Mine:\n    def scaled_dot_product_attention(self, q): return q", "last": RARE.format("Mine().scaled_dot_product_attention(q)")},
        {"above": "# scaled_dot_product_attention", "last": "output = getattr(F, 'dropout')(output, 0.0)"},
        {"above": "# scaled_dot_product_attention", "last": "scaled_dot_product_attention = output"},
        {"above": "scaled_dot_product_attention = 0", "last": "output = getattr(self, 'scaled_dot_product_attention', output)"},
    ],
)  # fmt: skip
def test_what_never_runs_and_what_is_ones_own_is_no_matter(passage):
    """Comments, texts, demo code, comparisons beside the class, and helpers that merely have the name."""
    assert _line(**passage) is None


def test_the_line_of_a_call_comes_from_the_tape():
    """What was really called is named with the line on which it was, in whichever case has a tape."""
    recorded = call(operations=("matmul", "scaled_dot_product_attention"))
    tape = steps(("matmul", ("Q",), ((3, 4),)), ("scaled_dot_product_attention", ("Q",), ((3, 4),)))
    observed = seen(recorded) | seen(recorded, case="b", tape=tape)
    assert find("own_work", observed).line == 2
    source, line = submission(last=f"output = {SDPA}")
    assert find("own_work", seen(recorded), source=source).line == line


def test_whole_submissions(judged):
    """A trick with getattr is seen by what it calls, a rare path by its text."""
    source, line = submission(last="extra = getattr(F, 'scaled_dot_' + 'product_attention')(q, k, v)")
    assert failures(judged(source)) == {"forward/by-hand": ("library-attention-used", line)}
    source, line = submission(last=RARE.format(SDPA))
    assert failures(judged(source)) == {"forward/by-hand": ("library-attention-used", line)}


LOOPS = """class Net:
    def __init__(self, h):
        self.layers = [h for _ in range(4)]

    def head(self, q):
        s = q @ q
        return s.softmax(-1)

    def forward(self, Q):
        outs = []
        for q in Q:
            s = q @ q
            outs.append(
                s.softmax(-1))
        return outs, [
            self.head(q) for q in Q], list(map(self.head, Q))
"""


@pytest.mark.parametrize(
    ("lines", "loop"), [({12}, 11), ({12, 14}, 11), ({6, 7}, 15), ({3}, 3), ({10}, None), (set(), None)]
)
def test_the_loop_around_a_line(lines, loop):
    """The innermost loop that repeats a line, or the one that calls the function it stands in."""
    assert read(LOOPS, "Net").loop_around(frozenset(lines)) == loop


PRODUCTS = """class MultiHeadAttention:
    def __init__(self):
        self.tables = [q @ q for q in self.all]

    def forward(self, Q):
        for layer in (self.W_Q, self.W_K):
            Q = layer.linear(Q)
        V = Q @ Q
        return V, [{step} for q in Q]
"""


@pytest.mark.parametrize(
    ("step", "line"),
    [("q @ k", 9), ("q.softmax(-1)", 9), ("softmax(q, -1)", 9), ("torch.bmm(q, k)", 9), ("q.mean()", None), ("q * k", None)],
)  # fmt: skip
def test_the_loop_is_one_around_what_attention_is_made_of(step, line):
    """A loop over the matrices is none over heads, nor is one that looks at each head, nor one in the constructor."""
    records = {case: seen(call(operations=("exp",) * count))["a"] for case, count in (("a", 1), ("b", 9))}
    assert find("no_head_loop", records, source=PRODUCTS.format(step=step)).line == line
    full = {case: seen(call(operations=("exp",) * 2_000))["a"] for case in "ab"}
    assert find("no_head_loop", full, source=PRODUCTS.format(step=step)).line == line


def test_whole_loops_name_their_line(judged):
    """A loop over heads is named by the line of its for."""
    source, line = submission(
        scores="scores = torch.stack([q[:, i] @ k[:, i].mT for i in range(self.h)], 1) / math.sqrt(self.d_k)"
    )
    assert failures(judged(source)) == {"forward/no-loop": ("loop-over-heads", line)}
