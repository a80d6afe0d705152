"""The question about one's own code is asked only where its answer is certain: what the code really did on that line."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import replace

import pytest
import torch

import tutor
from checkers.base import Step
from tests.conftest import TESTS
from tutor.observing import observe_here
from tutor.own_question import CODE_CHARS, Run, _about_shapes, _about_softmax, _lines, _where, own_question
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


DIMS = {"B": 2, "h": 3, "T": 4}


def _step(name, line=1, *, shape=(2, 3, 4, 4), takes=((2, 3, 4, 5), (2, 3, 5, 4)), outer=None):
    return Step(name, line, shapes=takes, value=torch.zeros(shape), outer=outer)


def _shapes(code, *steps, dims=None):
    return list(_about_shapes(code, Run(steps, DIMS if dims is None else dims)))


def test_a_question_about_a_shape_has_everything_the_page_shows():
    """The line, the sizes, the shape, what is foreseen, and why, all from what the code did."""
    (asked,) = _shapes("scores = q @ k.mT", _step("matmul"))
    line = "Line 1 of your code is `scores = q @ k.mT`. It was run with B = 2, h = 3 and T = 4. What is the shape of what leaves it?"
    assert (asked.id, asked.kind, asked.ask, asked.answer) == ("own-code", "shape", line, "(2, 3, 4, 4)")
    assert [(one.answer, one.says) for one in asked.foreseen] == [
        ("(2, 3, 4, 5)", "That is what goes into the line."),
        ("(2, 3, 5, 4)", "That is what goes into the line."),
        ("(4, 4, 3, 2)", "Those are the right sizes in another order."),
    ]
    assert asked.why == "Given (2, 3, 4, 5) and (2, 3, 5, 4), the line made (2, 3, 4, 4)."


def test_a_shape_that_is_given_twice_is_told_once():
    """All steps of the line count, and of what goes in nothing is foreseen that is right."""
    steps = (
        _step("sin", takes=((4, 5),), shape=(4, 5)),
        _step("stack", takes=((4, 5), (3, 4, 5), (4, 5)), shape=(3, 4, 5)),
    )
    (asked,) = _shapes("x = torch.stack([a.sin(), b, a])", *steps, dims={"T": 4})
    assert "It was run with T = 4. What" in asked.ask
    assert {one.answer: one.says.split()[0] for one in asked.foreseen} == {
        "(4, 5)": "That", "(5, 4, 3)": "Those", "(3, 5, 4)": "Those",
    }  # fmt: skip
    assert asked.why == "Given (4, 5) and (3, 4, 5), the line made (3, 4, 5)."


@pytest.mark.parametrize(("room", "shown"), [(0, "x"), (1, "…")])
def test_a_long_line_is_cut(room, shown):
    """What fits is shown whole, and no sign in it ends the code before its end."""
    code = "x = a.view(`" + (CODE_CHARS - 12 + room) * "x"
    assert _where(f"\n  {code}\n", 2) == f"Line 2 of your code is `x = a.view('{(CODE_CHARS - 13) * 'x'}{shown}`."


@pytest.mark.parametrize(
    "step",
    [
        _step("matmul", shape=(4,)),
        _step("matmul", takes=()),
        _step("matmul", takes=((2, 3, 4, 4), (4, 4))),
        replace(_step("matmul"), value=None),
        _step("matmul", line=None),
        _step("matmul", outer=7),
        _step("sum"),
    ],
    ids=["one axis", "from nothing", "unchanged", "no value", "elsewhere", "called by another line", "another operation"],
)  # fmt: skip
def test_a_step_that_tells_nothing_certain_is_not_asked_about(step):
    """One axis, nothing that goes in, the shape that went in, no value, or not surely what leaves the line."""
    assert _shapes("x = q @ k", step) == []


def test_two_axes_are_enough():
    """A matrix has a shape worth asking for, also where the line is told twice to be its own caller."""
    assert len(_shapes("x = q @ k", _step("matmul", shape=(4, 4), takes=((4, 5), (5, 4)), outer=1))) == 1


def test_a_line_that_is_carried_out_again_or_calls_a_helper_is_left_out():
    """Its last step is not the only one that leaves it, or not the last thing it does; the lines around it are asked about."""
    code = "x = q @ k\ny = q @ k\nz = q @ k\n"
    again = _step("matmul"), _step("matmul", 2), _step("matmul")
    assert list(_lines(code, again)) == [2]
    helped = _step("matmul"), _step("matmul", 9, outer=2), _step("matmul", 2), _step("matmul", 3)
    assert list(_lines(code, helped)) == [1, 3]
    several = _step("sin", shape=(4, 5)), _step("matmul")
    assert _lines(code, several) == {1: list(several)}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("x = a @ b", ["matmul"]), ("x = a / b", ["div"]), ("x = a * b", ["mul"]), ("x = a + b", ["add"]), ("x = a - b", ["sub"]),
        ("x = a ** b", []), ("x = self.W(a)", ["linear"]), ("x = a.view(2)", ["view"]), ("x = softmax(a)", ["softmax"]),
        ("x = F.softmax(a)", ["softmax"]), ("x = a.chunk(2)", []), ("x = a.mT", []), ("x: int = a @ b", []), ("x += a @ b", []),
        ("x, y = a @ b", []), ("x = y = a @ b", []), ("x[0] = a @ b", []), ("x = a @ b; y = 1", []), ("x = (a\n  @ b)", []),
        ("f = lambda: a @ b", []),
    ],
)  # fmt: skip
def test_one_plain_statement_is_asked_about_by_its_outermost_operation(code, names):
    """One name is assigned to, on one line with nothing else on it, and the tape has the operation that stands there."""
    kinds = ["matmul", "div", "mul", "add", "sub", "pow", "linear", "view", "softmax", "chunk"]
    assert [name for name in kinds if _lines(code, [_step(name)])] == names
    assert not _lines(f"if a:\n    pass\nelse: {code}" if ";" in code else "x = 1", [_step("matmul", 1)])


def test_the_last_line_of_a_block_is_not_asked_about():
    """It may be carried out several times in a row, and the tape could not tell."""
    code = "for a in b:\n    x = a @ a\n    y = x @ a\nz = x @ y\n"
    assert list(_lines(code, [_step("matmul", line) for line in (2, 3, 4)])) == [2, 4]


def _softmax(value, *, name="softmax"):
    step = Step(name, 1, shapes=((2, 4),), value=value)
    return list(_about_softmax(f"w = a.{name}(1)", Run((step,), DIMS)))


def test_a_question_about_the_softmax_has_everything_the_page_shows():
    """Each axis is an option; what its sums are rules it out, whether they are all the same or not."""
    value = torch.tensor([[[0.1, 0.9], [0.3, 0.7]], [[0.1, 0.9], [0.3, 0.7]]])
    (asked,) = _softmax(value)
    assert (asked.id, asked.kind) == ("own-code", "choice")
    assert asked.ask.endswith("Its result has the shape (2, 2, 2). Over which axis does your softmax sum?")
    assert [(option.text, option.right) for option in asked.options] == [
        ("axis 0, of size 2", False), ("axis 1, of size 2", False), ("axis 2, of size 2", True),
    ]  # fmt: skip
    assert [option.says.partition("numbers ")[2] for option in asked.options] == [
        "go from 0.2 to 1.8; a softmax makes them 1.", "go from 0.4 to 1.6; a softmax makes them 1.", "",
    ]  # fmt: skip
    assert asked.why.startswith("Along axis 2 all sums of your numbers are 1:")
    (even,) = _softmax(torch.full((2, 4), 0.25))
    assert even.options[0].says == "Along that axis the sums of your numbers are 0.5; a softmax makes them 1."


@pytest.mark.parametrize(
    "value",
    [
        None,
        torch.tensor([0.5, 0.5]),
        torch.full((2, 2), 0.5),
        torch.tensor([[0.5, 0.5], [0.4, 0.4]]),
        torch.tensor([[0.5, 0.5], [0.7, 0.7]]),
        torch.tensor([[0.5, 0.5002], [0.2, 0.8]]),
    ],
    ids=["no value", "one axis", "both axes", "a row of less", "a row of more", "nearly"],
)
def test_where_no_one_axis_sums_to_one_nothing_is_asked(value):
    """Otherwise the answer would not be certain."""
    assert _softmax(value) == []


def test_only_a_softmax_is_asked_for_its_axis():
    """Other operations may make rows that sum to 1; rounding is no difference."""
    rows = torch.tensor([[0.5, 0.50005], [0.2, 0.8]])
    assert len(_softmax(rows)) == 1
    assert _softmax(rows, name="view") == []
