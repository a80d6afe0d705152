"""What errors mean here: real errors, raised by real code, each with its sentence."""

from __future__ import annotations

import re

import pytest

from checkers.base import Ending, Fault, Observation, Stage
from tests.meanings.student import about
from tutor.explain import explain
from tutor.plain import without_places

FORWARD = "    def forward(self, Q, K, V, mask=None):\n"


def _message(assessment):
    failed = [c for m in assessment.milestones for c in m.checks if c.status == "failed"]
    return f"{failed[0].message} {failed[0].next_step}"


@pytest.mark.filterwarnings("ignore:The use of `x.T`")
@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("        x = Q.transpose(1, 2).view(-1)\n", "memory is not in the order"),
        ("        x = Q.view(3, 3, 3)\n", "that takes 27 numbers, but there are 210"),
        ("        x = self.W_Q(Q[..., :3])\n", "its last axis is 3, but the layer takes d_model = 15"),
        ("        x = Q + K[:, :3]\n", "the last but one is T = 7 against 3"),
        ("        if Q:\n            pass\n", "asked whether it is true"),
        ("        x = torch.zeros(self.h / 2)\n", "a number with a fraction"),
        ("        x = Q.view(2, 7, 3, 15 / 3)\n", "a number with a fraction"),
        ("        x = self.W_X(Q)\n", "has nothing called W_X"),
        ("        x = self.W_q(Q)\n", "(did you mean W_Q?)"),
        ("        x = mth.sqrt(2)\n", "(did you mean math?)"),
        ("        import numpyy\n", "An import does not work here"),
        ("        return self(Q, K, V)\n", "calls itself without end"),
        ("        raise KeyError('{x} {0} {near}')\n", "{x} {0} {near}"),
        ("        exit()\n", "asked Python to exit"),
        ("        x = Q.veiw(2, 7, 15)\n", "A Tensor has nothing called veiw (did you mean view?)"),
        ("        x = mask.float()\n", "Something is None here, and None has nothing called float"),
        ("        x = nn.Linear(2, 2, bais=False)\n", "what it calls does not take (did you mean bias?)"),
        ("        x = nn.Linear(2)\n", "does not fit what it calls"),
        ("        x = self._split(Q, 3)\n", "does not fit what it calls"),
        ("        x = torch.bmm(Q, K)\n", "bmm was given (2, 7, 15) = (B, T, d_model)"),
        ("        x = Q @ K.T\n", "On this line .T reverses all axes"),
    ],
)
def test_errors_in_forward(exercise, judged, line, meaning):
    """The sentence names the cause in the lesson's words, on the line where it happened."""
    source = exercise.reference.replace(FORWARD, FORWARD + line)
    assessment = judged(source)
    assert meaning in _message(assessment)
    wanted = source[: source.index(line)].count("\n") + 1
    assert assessment.error.line == wanted


@pytest.mark.parametrize(
    ("before", "after", "meaning"),
    [
        ("class MultiHeadAttention", "class Multiheadattention", "Rename Multiheadattention to MultiHeadAttention"),
        (
            "class MultiHeadAttention(nn.Module)",
            "class Something(nn.Module)",
            "If Something is meant to be it, rename it to MultiHeadAttention",
        ),
        ("(nn.Module)", "", "does not inherit from nn.Module"),
        ("        super().__init__()\n", "", "super().__init__() the first line"),
        ("    def forward(", "    def foward(", "no method called forward"),
        ("def __init__(self, d_model, h)", "def __init__(self, d_model)", "your definition takes 2 (self counts)"),
        ("def __init__(self, d_model, h)", "def __init__(self, d_model, h, extra)", "did not fill 1"),
        ("        self.h = h\n", "       self.h = h\n", "which block this line belongs to"),
        ("        self.h = h\n", "        self.h = = h\n", "cannot read this line"),
        ("import math", "%matplotlib inline\nimport math", "notebook command"),
        ("import math", "```python\nimport math", "a code fence"),
        ("import math", ">>> import math", "the prompt of a Python session"),
        ("import math", "import math\nx = “a”", "The character “ is none that Python knows"),
        ("import math", "import math\nx = " + "(" * 300 + ")" * 300, "cannot read"),
        ("import math", "import math\nx = " + "-" * 20_000 + "1", "nested too deeply"),
        (
            "class MultiHeadAttention(nn.Module):",
            "def MultiHeadAttention():\n    pass\nclass Other(nn.Module):",
            "it is a function",
        ),
        ("    def __init__(", "    def __int__(", "no __init__ of its own"),
        ("def forward(self, Q", "def forward(Q", "does not start with self"),
        ("        self.h = h\n", "        assert h > 99, 'too few'\n", "does not hold: too few."),
        ("        self.h = h\n", "        assert h > 99\n", "does not hold."),
    ],
)
def test_errors_before_forward(exercise, judged, before, after, meaning):
    """Loading and building have their own sentences."""
    assert meaning in _message(judged(exercise.reference.replace(before, after, 1)))


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("def __init__(self, d_model, h)", "def __init__(self, d_model)", "def __init__(self, d_model)"),
        ("Q, K, V, mask=None)", "Q, K)", "def forward(self, Q, K)"),
        ("def forward(", "def foward(", "class MultiHeadAttention"),
        ("def forward(self, Q", "def forward(Q", "def forward(Q"),
    ],
)
def test_a_call_that_does_not_fit_names_the_definition(exercise, judged, before, after, line):
    """Where our own call fails at the door, no line of the file ran; the line to change is the definition."""
    source = exercise.reference.replace(before, after, 1)
    wanted = next(number for number, text in enumerate(source.splitlines(), 1) if text.strip().startswith(line))
    if after != "def forward(Q":
        assert judged(source).error.line == wanted
    else:
        assert f"forward on line {wanted} does not start with self" in judged(source).error.explanation


def test_another_name_for_the_mask(exercise, judged):
    """A parameter under another name than the statement's is named where the mask is first given."""
    source = re.sub(r"\bmask\b", "attend", exercise.reference)
    assert "called mask, which your definition does not take" in _message(judged(source))


@pytest.mark.parametrize(
    ("ending", "fault", "meaning"),
    [
        (Ending.TIMED_OUT, None, "still running in forward after 2.0 seconds"),
        (Ending.OUT_OF_MEMORY, Fault("MemoryError", ""), "more memory than a check may use"),
        (Ending.KILLED, Fault("Exited", "the process ended with code 0"), "ended with code 0"),
        (Ending.KILLED, None, "No result arrived"),
    ],
)
def test_endings_without_an_exception(ending, fault, meaning):
    """A run that was stopped is explained too."""
    observation = Observation("plain", ending, Stage.CALL, fault, seconds=2.0)
    assert meaning in explain(observation, about("")).message


def test_trial_code_that_crashes_is_told_from_the_class(exercise, judged):
    """The line is the one at the bottom of the file, not the one inside forward."""
    source = exercise.reference + "\nMultiHeadAttention(8, 2)(torch.randn(2, 3, 9), None, None)\n"
    assessment = judged(source)
    assert assessment.error.line == len(source.splitlines())
    assert "while the file is loaded" in _message(assessment)


@pytest.mark.parametrize(
    "line",
    [
        "from torch.nn import Liner",
        "from json import dump_all",
        "raise ValueError(torch)",
        "raise OSError(torch.__file__)",
    ],
)
def test_no_folder_of_the_server_is_shown(exercise, judged, line):
    """Where Python and torch are installed is nobody's business, whatever an exception says."""
    assessment = judged(exercise.reference.replace(FORWARD, f"{FORWARD}        {line}\n"))
    shown = assessment.model_dump_json()
    assert "site-packages" not in shown
    assert "/lib/python" not in shown
    assert "torch" in shown or "json" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cannot import name 'X' from 'torch.nn' (/a b/site-packages/torch/nn/__init__.py)", "cannot import name 'X' from 'torch.nn'"),
        ("<module 'torch' from '/a/b/torch/__init__.py'> is odd", "<module 'torch'> is odd"),
        ("No such file: '/usr/lib/python3.11/json/x.py'", "No such file: 'json/x.py'"),
        ("No such file or directory: '/data/mine.csv'", "No such file or directory: '/data/mine.csv'"),
        ("size (a/b) or d_model / h must be 3", "size (a/b) or d_model / h must be 3"),
    ],
)  # fmt: skip
def test_only_our_own_folders_are_left_out(text, shown):
    """The rest of a message stays word for word."""
    assert without_places(text) == shown


def test_whoever_runs_out_of_memory_is_told_how_much_there_was(checker, exercise) -> None:
    """The limit is named in the message, as it is set on this machine."""
    verdict = checker.check(exercise, b"x = bytearray(1 << 40)\n")
    assert verdict.error is not None
    assert "The code asked for more memory than a check may use, 512 MiB, " in verdict.error.explanation


def test_whoever_sends_too_much_is_told_how_much_came_and_how_much_is_taken(checker, exercise) -> None:
    """Both numbers stand in the message."""
    source = (
        b"import os, struct\nos.write(201, struct.pack('<4sBxHIQ', b'TUT1', 5, 1, 0, 9_000_000))\nwhile True: pass\n"
    )
    verdict = checker.check(exercise, source)
    assert verdict.error is not None
    assert "9,000,000 bytes of tensors; at most 4,194,304 are taken" in verdict.error.message
