"""A scratch run: the learner's file and a few lines, behind the walls of a check."""

from __future__ import annotations

import pytest

from tutor.opening import opening
from tutor.scratch import together
from tutor.trials import Looked, Scratch

FILE = """import torch

def double(x):
    return 2 * x

if __name__ == "__main__":
    print("demo of my own")
"""


def _run(checker, exercise, lines, source=FILE) -> Looked:
    found = checker.tryout.run(exercise, source, Scratch(lines=lines))
    assert isinstance(found, Looked)
    return found


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        ("", ""),
        ("print(double(4))", "8\n"),
        ("double(torch.ones(2, 3)).shape", "torch.Size([2, 3])\n"),
        ("a = double(4)\na, a + 1  # both", "(8, 9)\n"),
        ("'é' * double(1)", "'éé'\n"),
        ("double(\n    4\n)", "8\n"),
        ("[].append(1)", ""),
        ("double(4); double(5)", "10\n"),
        ("for n in range(2):\n    print(n)", "0\n1\n"),
    ],
)
def test_the_lines_run_below_the_file(checker, exercise, lines, printed):
    """The file runs as a program, its own demo too; then the lines, and the value of a last expression is shown."""
    found = _run(checker, exercise, lines)
    assert found.stopped is None
    assert found.printed == f"demo of my own\n{printed}"


@pytest.mark.parametrize(
    ("code", "where", "says"),
    [
        ((FILE, "x = 1\n[][3]\n"), (2, True), "shorter than the index"),
        ((FILE, "double("), (1, True), "never closed"),
        ((FILE, "duoble(1)"), (1, True), "nothing in this file defines it"),
        ((FILE, "double(torch.ones(2, 3) @ torch.ones(2, 3))"), (1, True), "2x3 times 2x3"),
        ((FILE, "double(None)"), (4, False), "None"),
        (("x = 1\nraise ValueError('no')", "1"), (2, False), "no"),
        (("x = (1\n", ""), (1, False), "never closed"),
        ((FILE, "open('/etc/passwd')"), (1, True), "closed here"),
        ((FILE, "raise SystemExit"), (1, True), ""),
    ],
)
def test_what_stops_it_is_told_with_its_line(checker, exercise, code, where, says):
    """The line counts in the learner's lines where it is theirs, else in the file; no traceback is shown."""
    source, lines = code
    stopped = _run(checker, exercise, lines, source).stopped
    assert stopped is not None
    assert (stopped.line, stopped.in_lines) == where
    assert says in stopped.message
    assert stopped.next_step
    assert "Traceback" not in stopped.message
    assert "before anything can be checked" not in stopped.message


def test_a_loop_without_an_end_is_stopped(checker, exercise):
    """The limits of a check hold; what was printed before is shown."""
    found = _run(checker, exercise, "print('here', flush=True)\nwhile True:\n    pass")
    assert found.printed == "demo of my own\nhere\n"
    assert found.stopped is not None
    assert "was stopped" in found.stopped.message


def test_lines_that_python_cannot_read_run_as_they_are():
    """Nothing is rewritten where there is no tree; the run itself says why."""
    assert together("x = 1", "y = (") == "x = 1\ny = ("
    assert together("x = 1\n", "y = 2") == "x = 1\ny = 2"


def test_the_first_lines_run_on_every_reference(checker, catalog):
    """Whoever opens the scratch area finds lines that build what is asked for, call it and show the shapes."""
    for exercise in catalog.exercises:
        found = _run(checker, exercise, opening(exercise), exercise.reference)
        assert found.stopped is None, exercise.slug
        assert found.printed.count("torch.Size(") == len(exercise.entry.returns), exercise.slug
