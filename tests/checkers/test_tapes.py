"""Reading a tape: what a step builds on, whose memory it writes to, and on which line."""

from __future__ import annotations

import pytest

from checkers._tape import ancestors, first_line, in_place, owner, written_to
from checkers.base import Step
from tests.checkers.making import steps


def test_everything_a_step_builds_on():
    """Both ways that meet in it, each to its beginning; what came of it later is not among them."""
    tape = steps(
        ("linear", ("Q", "parameter:W")), ("linear", ("K",)), ("mul", ("V",)), ("matmul", (0, 1)), ("exp", (3,))
    )
    assert ancestors(tape, 3) == {0, 1, "Q", "K", "parameter:W"}
    assert ancestors(tape, 1) == {"K"}
    assert ancestors(steps(("ones", ())), 0) == set()


@pytest.mark.parametrize(
    ("tape", "whose"),
    [
        ([("view", ("Q",))], "Q"),
        ([("transpose", ("Q",)), ("view", (0, "K"))], "Q"),
        ([("mul_", ("Q",))], "Q"),
        ([("__setitem__", ("Q", "K"))], "Q"),
        ([("mul", ("Q",))], None),
        ([("mul", ("Q",)), ("view", (0,))], None),
        ([("__and__", ("mask",))], None),
        ([("view", ())], None),
    ],
)
def test_whose_memory_a_tensor_shares(tape, whose):
    """Views and what is done in place lead back to the first; a result of its own shares nothing."""
    made = steps(*tape)
    assert owner(made, len(made) - 1) == whose
    assert owner(made, "V") == "V"


@pytest.mark.parametrize(
    ("name", "writes"),
    [("add_", True), ("__setitem__", True), ("__iadd__", False), ("_softmax", False), ("add", False)],
)
def test_what_is_done_in_place(name, writes):
    """An underscore at the end says so, except in names that Python calls."""
    assert in_place(Step(name, 1)) is writes


def test_the_first_line_is_that_of_a_step_which_has_one():
    """What was called from elsewhere has no line to show."""
    tape = (Step("add", None), Step("mul", 4), Step("add", 6), Step("add", 8))
    assert first_line(tape, lambda step: step.name == "add") == 6
    assert first_line(tape, lambda step: step.name == "exp") is None


def test_only_writing_to_what_is_named_counts():
    """Another's memory, and a step that was given nothing, are no matter."""
    tape = steps(("zero_", ()), ("add_", ("K",)), ("view", ("Q",)), ("add_", (2,)))
    assert written_to(tape, frozenset({"Q"})) == 4
    assert written_to(tape, frozenset({"V"})) is None
