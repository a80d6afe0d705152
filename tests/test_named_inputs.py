"""Inputs that are passed by name may be left out, whatever they are called; and an exercise may have a single result."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest
import torch

from checkers.base import Ending, Fault, Observation, Stage
from tests.checkers.making import ABOUT, call, find, results, seen
from tutor.circumstances import only
from tutor.content import Case
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.explain import explain
from tutor.inputs import Drawer, check_recipe
from tutor.lint import lint
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.situations import Situation, situations

PROJECT = Path(__file__).parent.parent
DIMS = {"B": 2, "T_q": 7, "T_k": 4, "d_model": 15, "h": 3}
X, MEMORY = "randn B T_q d_model", "randn B T_k d_model"


def _case(*again):
    return Case(name="c", dims=DIMS, inputs={"x": X, "memory": MEMORY}, again=again)


def test_an_input_is_left_out_of_a_later_call():
    """“none” takes it away for that call alone; what is not named is given again."""
    first, without, with_it = Drawer(3).calls(_case({"inputs": {"memory": "none"}}, {}))
    assert (set(first), set(without), set(with_it)) == ({"x", "memory"}, {"x"}, {"x", "memory"})
    assert without["x"] is first["x"]
    assert with_it["memory"] is first["memory"]


def test_an_input_is_left_out_of_a_call_of_other_sizes():
    """What is drawn anew because sizes change is not drawn where it is to be left out."""
    smaller = Drawer(3).calls(_case({"inputs": {"memory": "none"}, "dims": {"T_q": 2}}))[1]
    assert {name: tuple(tensor.shape) for name, tensor in smaller.items()} == {"x": (2, 2, 15)}


@pytest.mark.parametrize(("recipe", "number"), [("none", 0), ("none B T_k", 1), ("none 3", 1)])
def test_none_stands_alone_and_in_a_later_call(recipe, number):
    """In the first call an input is left out by not naming it."""
    with pytest.raises(ContentError, match="“none” stands alone, and in again") as caught:
        check_recipe(recipe, _case({}), number, "x/exercise.toml", "cases.0.inputs.memory")
    assert str(caught.value).startswith("x/exercise.toml: cases.0.inputs.memory: ")


def _given(exercise, source):
    planned = plan(exercise, 3)
    diagnoser = Reference(exercise).diagnoser(exercise)
    known = situations(exercise, planned, observe_here(planned, source), ("output",), diagnoser.build)
    return {(one.case, one.call): one.given for one in known}


def test_every_input_by_name_that_a_call_does_not_have_is_none(catalog):
    """A program of ours may ask for any of them, by its name in this exercise."""
    exercise = catalog["cross-attention"]
    given = _given(exercise, exercise.reference)
    assert given["own", 0]["memory"] is None
    assert [given["taken-away", number]["memory"] is None for number in range(3)] == [False, True, False]
    assert given["taken-away", 1]["first"].memory is given["taken-away", 0]["memory"]
    assert not any("mask" in one for one in given.values())


def _call(memory=False, factor=1.0, **dims):
    given = {
        "x": factor * torch.ones(2, 3),
        "memory": torch.ones(2, 3) if memory else None,
        "self": torch.nn.Identity(),
    }
    return Situation("case", 0, given, {}, dims=DIMS | dims)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ([_call(memory=True)], [_call()], "where a memory is given"),
        ([_call()], [_call(memory=True)], "where no memory is given"),
        ([_call(factor=60.0)], [_call()], "where the inputs are large"),
        ([_call(memory=True, T_k=7)], [_call(memory=True), _call(T_k=7)], "where a memory is given and T_q = T_k"),
    ],
)
def test_circumstances_know_inputs_by_their_own_names(wrong, right, words):
    """What is given or not tells calls apart, be it a mask or a memory."""
    assert only(wrong, right) == words


ALONE = dataclasses.replace(ABOUT, returns={"output": "B T_q d_model"})


@pytest.mark.parametrize(
    ("options", "words"),
    [({}, "Follow the way from the inputs: "), ({"weights_differ": "Look at the source."}, "Look at the source.")],
)
def test_where_only_the_output_comes_back_nothing_is_said_of_weights_that_were_not_seen(options, words):
    """The next step is that of the check, else one that claims nothing."""
    output, _ = results()
    found = find("equals_reference", seen(call(output + 1)), seen(call(output.double())), about=ALONE, **options)
    assert found.next_step.startswith(words)
    assert "weights differ" not in found.next_step


FORWARD = """class CrossAttention:
    def forward({}):
        {}
"""


@pytest.mark.parametrize(
    ("parameters", "statement", "error", "words"),
    [
        ("self, x, memory=None", "source = memory or x", "RuntimeError: {}", "Ask “if memory is None:” and set it there."),
        ("self, x, memory=None", "source = x if not memory else memory", "RuntimeError: {}", "“memory is None” asks whether"),
        ("self, x, memory=None", "source = memory if memory else x", "RuntimeError: {}", "Ask “if memory is not None” instead"),
        ("self, x, *, mask=None, memory=None", "n = 2 * memory", "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'", "If it is the memory,"),
        ("self, x, mask=None, memory=None", "n = 2 * size", "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'", "If it is the mask,"),
        ("self, x, y", "n = 2 * y", "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'", "If it is the mask,"),
    ],
)  # fmt: skip
def test_what_may_be_left_out_is_called_by_its_name_in_the_submission(parameters, statement, error, words):
    """An exception over None, or over a tensor's truth, speaks of the parameter on its line whose default is None."""
    kind, message = error.format("Boolean value of Tensor with more than one value is ambiguous").split(": ", 1)
    source = FORWARD.format(parameters, statement)
    stopped = Observation("a", Ending.RAISED, Stage.CALL, Fault(kind, message, 3))
    assert words in explain(stopped, dataclasses.replace(ABOUT, entry="CrossAttention", source=source)).next_step


def test_what_is_passed_by_place_cannot_be_left_out(tmp_path):
    """The call has no place to leave open."""
    for slug in ("cross-attention", "multi-head-attention"):
        shutil.copytree(PROJECT / "exercises" / slug, tmp_path / slug)
    file = tmp_path / "cross-attention" / "exercise.toml"
    before, after = 'inputs = { memory = "none" }', 'inputs = { x = "none" }'
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after, 1))
    (complaint, *_), _ = lint(file.parent, PROJECT / "reference")
    assert "“none” is for what is passed by name; this input is always given." in str(complaint)
