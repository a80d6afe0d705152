"""The walk along the submission's own lines: which lines are on it, what they left, and where it leaves the reference."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

import tutor.checking
from tutor.expected import Reference
from tutor.judge import assess
from tutor.model import Status, Verdict
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.reader import Reader
from tutor.walk import LINES, walk
from tutor.walked import LineMark

SUBMISSIONS = Path(__file__).with_name("submissions")
HEAD = """import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def split(self, x):
        return x.view(len(x), -1, self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
"""
PLAIN = (
    HEAD
    + """        q, k, v = [self.split(w(x)) for w, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V))]
        scores = q @ k.transpose(-2, -1)
        scores = scores / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = weights @ v
        context = context.transpose(1, 2).reshape(Q.shape)
        return self.W_O(context), weights
"""
)
EINSUM = (
    HEAD
    + """        q, k, v = (w(x).unflatten(-1, (self.h, -1)) for w, x in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d_k**0.5
        scores = scores if mask is None else torch.where(mask, scores, -torch.inf)
        return self.W_O(torch.einsum("bhqk,bkhd->bqhd", w := scores.softmax(-1), v).flatten(2)), w
"""
)
CHAIN = (
    HEAD
    + """        q = self.W_Q(Q).view(len(Q), -1, self.h, self.d_k).transpose(1, 2)
        k = self.split(self.W_K(K))
        w = (q @ k.mT / self.d_k**0.5).masked_fill(torch.tensor(False) if mask is None else ~mask, -torch.inf).softmax(-1)
        return self.W_O((w @ self.split(self.W_V(V))).transpose(1, 2).flatten(2)), w
"""
)


@pytest.fixture(scope="module")
def walked(catalog):
    """Slug and source → the walk of an attempt that is always the same; ``seed`` and ``tampered`` change it."""
    known = {}

    def made(source, slug="multi-head-attention", tampered=lambda seen: seen):
        exercise = catalog[slug]
        if slug not in known:
            reference = Reference(exercise)
            known[slug] = reference, reference.diagnoser(exercise)
        reference, diagnoser = known[slug]
        planned = plan(exercise, 5)
        planned, seen = Reader.of(diagnoser).read(planned, tampered(observe_here(planned, source)))
        assessment = assess(exercise, source, seen, reference.observe(planned))
        passed = assessment.status is Status.PASSED
        if passed:
            return walk(diagnoser, planned, source, seen, assessment)
        told = diagnoser.explain(planned, source, seen, assessment)
        reason = told.diagnosis.line if told.diagnosis else None
        return walk(diagnoser, planned, source, seen, assessment, known=told.known, reason=reason)

    return made


def _told(found):
    """Line → what it left: named axes, how often, the stages it equals."""
    return {
        one.line: [(" ".join(left.axes), left.times, " ".join(left.stages)) for left in one.left] for one in found.lines
    }


def _marks(found):
    return {one.line: one.mark.value for one in found.lines}


def test_a_right_submission_is_ticked_line_by_line(walked):
    """Helper and comprehension stand where they are written, with every shape once and how often; sizes have their names."""
    found = walked(PLAIN)
    assert (found.case, found.agrees, found.departs, found.unshown) == ("plain", True, None, 0)
    assert list(_told(found).items()) == [
        (17, [("B T_q d_model", 1, "q"), ("B T_k d_model", 2, "k v")]),
        (14, [("B h T_q d_k", 1, "q_heads"), ("B h T_k d_k", 2, "k_heads v_heads")]),
        (18, [("B h T_q T_k", 1, "scores")]),
        (19, [("B h T_q T_k", 1, "scaled")]),
        (22, [("B h T_q T_k", 1, "attn_w")]),
        (23, [("B h T_q d_k", 1, "context")]),
        (24, [("B T_q d_model", 1, "merged")]),
        (25, [("B T_q d_model", 1, "output")]),
    ]
    assert set(_marks(found).values()) == {"equal"}
    assert found.lines[1].left[0].sizes == (2, 3, 7, 5)
    assert found.sizes == {"B": 2, "T_q": 7, "T_k": 7, "d_model": 15, "h": 3, "d_k": 5, "T": 7}


def test_another_order_of_axes_is_told(walked):
    """Heads behind the tokens hold the same numbers: ticked, with the axes as they lie there."""
    found = walked(EINSUM)
    left = found.lines[0].left
    assert [(" ".join(one.axes), one.stages, one.turned) for one in left] == [
        ("B T_q h d_k", ("q_heads",), True),
        ("B T_k h d_k", ("k_heads", "v_heads"), True),
    ]
    assert found.lines[0].through == ("q", "k", "v")
    assert [(one.line, one.left[0].stages, one.through) for one in found.lines[1:]] == [
        (18, ("scaled",), ("scores",)),
        (20, ("output",), ("attn_w", "merged")),
    ]


def test_a_chain_on_one_line_leaves_its_last_and_tells_what_it_passed(walked):
    """Of a chain only the last shape is listed; the stages on its way are named beside it."""
    found = walked(CHAIN)
    lines = {one.line: one for one in found.lines}
    assert [(one.sizes, one.stages) for one in lines[17].left] == [((2, 3, 7, 5), ("q_heads",))]
    assert lines[17].through == ("q",)
    assert lines[19].left[0].stages == ("attn_w",)
    assert lines[19].through == ("scores", "scaled")
    # Of the last line, what it gives a helper is left, too.
    assert [one.stages for one in lines[20].left] == [("v",), ("output",)]
    assert lines[20].through == ("context", "merged")


@pytest.mark.parametrize(
    ("change", "line", "right", "wanted"),
    [
        (("dim=-1", "dim=-2"), 22, ("scaled", 19), "attn_w"),
        (("math.sqrt(self.d_k)", "self.d_k"), 19, ("scores", 18), "scaled"),
        (("context.transpose(1, 2)", "context"), 24, ("context", 23), "merged"),
        (("x.view(len(x), -1, self.h, self.d_k).transpose(1, 2)", "x.reshape(len(x), self.h, -1, self.d_k)"), 14, ("q", 17), "q_heads"),
    ],
)  # fmt: skip
def test_the_first_line_that_leaves_the_reference_is_marked(walked, change, line, right, wanted):
    """Before it lines are ticked, behind it none that builds on it; what the reference makes there is told with its shape."""
    found = walked(PLAIN.replace(*change))
    marks = _marks(found)
    assert [one for one, mark in marks.items() if mark == "departs"] == [line]
    assert not found.agrees
    assert (found.departs.right, found.departs.right_line) == right
    assert found.departs.wanted.stages == (wanted,)
    assert "B" in found.departs.wanted.axes
    order = list(marks)
    behind = order[order.index(line) + 1 :]
    assert {marks[one] for one in behind} == {"after"}
    assert {marks[one] for one in order if one not in behind} <= {"equal", "departs"}


def test_the_case_is_the_one_in_which_the_first_check_fails(walked):
    """Who ignores the mask is shown a call with a mask."""
    found = walked(PLAIN.replace("scores.masked_fill(~mask", "(scores + 0).masked_fill(~mask & False"))
    assert found.case == "causal"
    assert [one for one, mark in _marks(found).items() if mark == "departs"] == [22]
    assert found.departs.wanted.stages == ("masked",)


@pytest.mark.parametrize(
    ("line", "thrown_away"),
    [
        ('scores = scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(~mask, float("-inf"))'),
        ('scores = scores.masked_fill(~mask, float("-inf"))', "scores.masked_fill(mask == 0, -1e9)"),
        ('scores = scores.masked_fill(~mask, float("-inf"))', "masked = torch.where(mask, scores, -torch.inf)"),
        # It was to be the mask, though it is not right either.
        ('scores = scores.masked_fill(~mask, float("-inf"))', "scores.masked_fill(mask, -1e9)"),
    ],
)
def test_what_nothing_uses_is_no_progress(walked, line, thrown_away):
    """A right value that is thrown away gets no tick, all behind it is not called right up to it, and its line is the one that leaves."""
    # One that only looks at right values is none of it.
    found = walked(PLAIN.replace(line, f"print(scores.abs().mean()); {thrown_away}"))
    assert (found.case, found.given) == ("causal", ("mask",))
    assert (found.departs.right, found.departs.right_line, found.departs.wanted.stages) == ("scaled", 19, ("masked",))
    assert [one for one, mark in _marks(found).items() if mark == "departs"] == [21]
    assert {mark for one, mark in _marks(found).items() if one > 21} == {"after"}
    (left,) = (one for one in found.lines if one.line == 21)
    right = "masked_fill(mask, " not in thrown_away
    assert [(one.stages, one.unused) for one in left.left if len(one.sizes) == 4] == [
        (("masked",) if right else (), True)
    ]


@pytest.mark.parametrize(
    "in_place",
    [
        "scores.masked_fill_(~mask, -torch.inf)",
        "scores.view(-1).masked_fill_(~mask.expand_as(scores).flatten(), -torch.inf)",
        "scores[~mask.expand_as(scores)] = -torch.inf",
        "scores = torch.from_numpy(scores.masked_fill(~mask, -torch.inf).detach().numpy())",
    ],
)
def test_what_is_written_in_place_or_read_out_is_used(walked, in_place):
    """Nothing that the results may build on is called thrown away, whichever way it takes."""
    source = PLAIN.replace('scores = scores.masked_fill(~mask, float("-inf"))', in_place)
    found = walked(source.replace("weights @ v", "(weights @ v) * (1 if mask is None else 1.5)"))
    assert found.case == "causal"
    assert not any(left.unused and left.stages for one in found.lines for left in one.left)
    assert found.departs.wanted.stages == ("merged",)


def test_given_are_the_optional_inputs(walked):
    """Without a mask none is told."""
    assert walked(PLAIN).given == ()


@pytest.mark.parametrize(
    ("slug", "name", "code", "wanted"),
    [
        ("fused-qkv-attention", "root_of_d_model", "* self.scale", "scaled"),
        ("causal-attention", "triangle_of_ones_added", "att + self.bias", "masked"),
        ("scaled-dot-product-attention", "always_causal", "torch.tril", None),
    ],
)
def test_what_no_tape_shows_is_not_called_missing(walked, slug, name, code, wanted):
    """Neither the second part of a cut tensor nor a mask is; the line is that of the fault, or the one that the diagnosis names."""
    source = (SUBMISSIONS / slug / "wrong" / f"{name}.py").read_text("utf-8")
    found = walked(source, slug)
    (line,) = (one.line for one in found.lines if one.mark is LineMark.DEPARTS)
    assert code in source.splitlines()[line - 1]
    assert (found.departs and found.departs.wanted.stages[0]) == wanted


def test_a_crash_ends_the_walk_with_what_the_operation_was_given(walked):
    """The last entry is the line that stopped, with the operands in named axes; nothing else is accused."""
    found = walked(PLAIN.replace("k.transpose(-2, -1)", "k.transpose(1, 2)"))
    last = found.lines[-1]
    assert (last.line, last.mark, found.operation) == (18, LineMark.STOPPED, "matmul")
    assert [(one.sizes, " ".join(one.axes)) for one in last.left] == [
        ((2, 3, 7, 5), "B h T d_k"),
        ((2, 7, 3, 5), "B T h d_k"),
    ]
    assert list(_marks(found).values()) == ["equal", "equal", "stopped"]
    assert (found.departs.right, found.departs.wanted.stages) == ("k_heads", ("scores",))


def test_a_crash_far_behind_a_departure_shows_both(walked):
    """A wrong split that only stops the code at the end is marked where it is."""
    source = PLAIN.replace(
        "x.view(len(x), -1, self.h, self.d_k).transpose(1, 2)", "x.view(len(x), self.h, -1, self.d_k)"
    )
    found = walked(source.replace(".reshape(Q.shape)", ".view(Q.shape)"))
    marks = _marks(found)
    assert marks[14] == "departs"
    assert list(marks.items())[-1] == (24, "stopped")
    assert found.operation == "view"


def test_what_stops_without_an_operation_has_no_operands(walked):
    """A name that is not there stops the line; no shapes are made up for it."""
    found = walked(PLAIN.replace("weights @ v", "weigths @ v"))
    assert (found.lines[-1].line, found.lines[-1].mark, found.lines[-1].left) == (23, LineMark.STOPPED, ())
    assert found.operation == ""
    assert list(_marks(found).values()).count("equal") == 5


@pytest.mark.parametrize("source", ["x = (", "import torch\n", HEAD + "        return None\n", HEAD.replace("super().__init__()", "1 / 0") + "        return Q"])  # fmt: skip
def test_without_a_tape_there_is_no_walk(walked, source):
    """What does not load, does not build or makes no tensor has nothing to show."""
    assert walked(source) is None


def test_a_walk_is_short(walked):
    """Of hundreds of lines those around the one that departs are kept, and how many more there are is told."""
    filler = "        Q = Q * 1.0\n" * 150
    found = walked(HEAD + filler + PLAIN.removeprefix(HEAD).replace("dim=-1", "dim=-2"))
    assert len(found.lines) == LINES
    assert found.unshown == 150 + 8 - LINES
    assert "departs" in _marks(found).values()
    assert len(found.model_dump_json()) < 10_000


def test_lines_that_the_submission_does_not_have_are_left_out(walked):
    """Whoever tampers with the tape is believed no line outside of the text."""

    def tampered(seen):
        tape = tuple(replace(step, line=10**6 if number % 2 else -4) for number, step in enumerate(seen["plain"].tape))
        return {**seen, "plain": replace(seen["plain"], tape=tape)}

    found = walked(PLAIN, tampered=tampered)
    assert found.lines == ()


def test_axes_are_named_as_the_lesson_writes_them(walked, catalog):
    """Where sizes could be several names, or none, the comment of the reference tells which."""
    fused = walked(catalog["fused-qkv-attention"].reference, "fused-qkv-attention")
    assert "B T 3·d_model" in {" ".join(left.axes) for one in fused.lines for left in one.left}
    normal = walked(catalog["layer-normalization"].reference, "layer-normalization")
    assert {" ".join(left.axes) for one in normal.lines for left in one.left} == {"B T 1", "B T d"}
    assert all(one.mark is LineMark.EQUAL for one in normal.lines)


def test_with_one_head_its_axis_keeps_its_name(walked):
    """A size of one is h, and one that is two widths is d_k within a head, where the numbers are those of a stage."""
    source = PLAIN.replace("math.sqrt(self.d_k)", "math.sqrt(self.d_k) if self.h > 1 else scores / 3")
    found = walked(source)
    assert found.case == "one-head"
    assert ("B h T_q d_k", 1, "q_heads") in _told(found)[14]


def test_whatever_goes_wrong_beside_a_verdict_never_costs_it(checker, exercise, monkeypatch, caplog):
    """A walk that raises is for our log: the verdict is there, right or wrong, without one."""

    def broken(*_, **__):
        raise ValueError("no way")

    monkeypatch.setattr(tutor.checking, "walk", broken)
    with caplog.at_level(logging.ERROR):
        statuses = [
            checker.check(exercise, text.encode()).status for text in (PLAIN, PLAIN.replace("dim=-1", "dim=-2"))
        ]
    assert statuses == [Status.PASSED, Status.FAILED]
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["no way"] * 2


def test_a_verdict_carries_its_walk_and_old_ones_have_none(checker, exercise):
    """Passed and failed verdicts keep it through JSON; one that was kept before there were walks is read without."""
    for text, agrees in ((PLAIN, True), (PLAIN.replace("dim=-1", "dim=-2"), False)):
        verdict = checker.check(exercise, text.encode())
        assert verdict.walk is not None
        assert verdict.walk.agrees is agrees
        assert Verdict.model_validate_json(verdict.model_dump_json()).walk == verdict.walk
        old = verdict.model_dump()
        del old["walk"]
        assert Verdict.model_validate(old).walk is None
