"""The question about one's own code is asked only where its answer is certain: what the code really did on that line."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import replace

import pytest
import torch

import tutor
from tests.conftest import TESTS
from tutor.observing import observe_here
from tutor.own_question import Run, _about_shapes, _about_softmax, _lines, own_question
from tutor.planning import plan
from tutor.quiz import Choice, Shape

SEED = 3
RIGHT = sorted((TESTS / "submissions").glob("*/right/*.py"))


def _observed(exercise, source):
    planned = plan(exercise, SEED)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        seen = observe_here(planned, source)
    case = next(case for case in exercise.cases if case.tape)
    return Run(seen[case.name].tape, case.dims), planned, case


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", RIGHT, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_the_answer_is_what_leaves_the_line(catalog, path):
    """Every line that may be asked about is made to tell the shape of its value, and the code is run again."""
    exercise = catalog.find(path.parts[-3])
    assert exercise is not None
    source = path.read_text()
    run, planned, case = _observed(exercise, source)
    wanted = {
        line: tuple(steps[-1].value.shape)
        for line, steps in _lines(source, run.tape).items()
        if steps[-1].value is not None
    }
    lines = source.splitlines()
    for line in wanted:
        kept, value = re.match(r"(\s*(?:return\b|[^=]+=(?!=)))(.*)", lines[line - 1]).groups()
        code, _, comment = value.partition("  #")
        lines[line - 1] = f"{kept} __import__('tutor').told({line}, {code.strip()}) # {comment}"
    told = {}

    def tell(line, value):
        assert isinstance(value, torch.Tensor)
        told[line] = tuple(value.shape)  # trial code at the end of a file runs before
        return value

    only = replace(planned, cases=tuple(one for one in planned.cases if one["name"] == case.name))
    tutor.told = tell
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            observe_here(only, "\n".join(lines))
    finally:
        del tutor.told
    assert told == wanted


def _asked(exercise, source):
    run, *_ = _observed(exercise, source)
    return [*_about_softmax(source, run), *_about_shapes(source, run)]


def test_what_is_asked_of_the_reference(exercise):
    """The softmax with what its sums would be elsewhere, and each line that changes a shape; helpers are left out."""
    asked = _asked(exercise, exercise.reference)
    softmax = next(one for one in asked if isinstance(one, Choice))
    assert [option.right for option in softmax.options] == [False, False, False, True]
    assert all("the sums of your numbers go from" in option.says for option in softmax.options if not option.right)
    lines = {one.ask.split("`")[1].partition(" =")[0]: one.answer for one in asked if isinstance(one, Shape)}
    assert lines == {"scores": "(2, 3, 7, 7)", "context": "(2, 3, 7, 5)", "merged": "(2, 7, 15)"}


FORWARD = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def cut(self, x):
        return x.view(*x.shape[:2], self.h, self.d_k).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.cut(self.W_Q(Q)), self.cut(self.W_K(K)), self.cut(self.W_V(V))
        BODY
        return self.W_O(o.transpose(1, 2).flatten(2)), w
"""
SCORES = "w = torch.softmax(q @ k.mT / self.d_k**0.5, dim=-1); o = w @ v"


@pytest.mark.parametrize(
    "body",
    [
        "w, o = (lambda w: (w, w @ v))(torch.softmax(q @ k.mT / self.d_k**0.5, dim=-1))",
        "parts = q.chunk(1, dim=-1); " + SCORES,
        "size = (q @ k.mT).size(); " + SCORES,
        "found = [one @ one.mT for one in q.unbind(1)]; " + SCORES,
        SCORES,
    ],
)  # fmt: skip
def test_where_the_answer_is_not_certain_nothing_is_asked(exercise, body):
    """Several values, something that is no tensor, two statements on a line."""
    assert _asked(exercise, FORWARD.replace("BODY", body)) == []
    assert (
        own_question(FORWARD.replace("BODY", body), _observed(exercise, FORWARD.replace("BODY", body))[0], SEED) is None
    )


def test_the_seed_chooses(exercise):
    """The same verdict has the same question, another one perhaps another."""
    run, *_ = _observed(exercise, exercise.reference)
    chosen = [own_question(exercise.reference, run, seed) for seed in range(20)]
    assert chosen[0] == own_question(exercise.reference, run, 0)
    assert len({one.ask for one in chosen if one is not None}) > 2
