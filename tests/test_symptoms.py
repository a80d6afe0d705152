"""Known faults that never reach the numbers are recognised only where every part of a symptom holds."""

from __future__ import annotations

import time

import pytest
import torch

from checkers.base import Fault, Step
from tutor.evidence import Evidence, bare
from tutor.expected import Reference
from tutor.judge import assess
from tutor.locate import Searches
from tutor.model import CheckOutcome, Status
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.symptoms import signs
from tutor.traps import Symptom, Trap

CODE = "class A(nn.Module):\n    def forward(self, x):\n        y = x.round()\n        return y.view(2)\n"
FAILED = {
    "forward/runs": CheckOutcome(
        id="runs", title="t", status=Status.FAILED, code="raised", message="view stops", line=4
    ),
    "forward/rows": CheckOutcome(id="rows", title="t", status=Status.FAILED, code="softmax-over-queries"),
}
FAULT = Fault("RuntimeError", "view size is not compatible", 4, "view", ((2, 7, 5), (4, 5)))
DIMS = {"B": 2, "T_q": 7, "T_k": 4, "d_model": 15, "h": 3}


def _evidence(**changes):
    known = {"failed": FAILED, "fault": FAULT, "dims": DIMS, "code": CODE, "suspects": (), "distance": 0.5, "tape": ()}
    return Evidence(**(known | changes))


def _shown(exercise, *symptoms, line="", **changes):
    trap = Trap(id="a-trap", says="s", hints=("a?", "b", "c"), symptoms=symptoms, line=line)
    return signs(exercise.model_copy(update={"traps": (trap,)}), _evidence(**changes))


@pytest.mark.parametrize(
    ("holds", "does_not"),
    [
        ({"code": "raised"}, {"code": "timed_out"}),
        ({"check": "forward/rows"}, {"check": "forward/shapes"}),
        ({"text": "view st.ps"}, {"text": "reshape"}),
        ({"without": "out-of-.*"}, {"without": "softmax-.*"}),
        ({"error": "RuntimeError: view size"}, {"error": "TypeError"}),
        ({"operation": "view|reshape"}, {"operation": "vie"}),
        ({"operands": ("T_q d_k", "d_k")}, {"operands": ("T_k d_k",)}),
        ({"operands": ("B T_q d_model//h",)}, {"operands": ("x y z", "d_k", "d_k")}),
        ({"raised": r"round\("}, {"raised": "class B"}),
        ({"source": r"\.round\("}, {"source": r"\.floor\("}),
        ({"absent": r"\.floor\("}, {"absent": r"\.round\("}),
        ({"near": 0.6}, {"near": 0.4}),
        ({"step": "round float32"}, {"step": "round float64"}),
    ],
)
def test_each_condition_holds_and_does_not(exercise, holds, does_not):
    """A sign where it holds, none where it does not, and none where only one of two does."""
    tape = (Step("round", 3, value=torch.zeros(1)),)
    assert _shown(exercise, Symptom(**holds), tape=tape)
    assert not _shown(exercise, Symptom(**does_not), tape=tape)
    assert not _shown(exercise, Symptom(**{"code": "raised", **does_not}), tape=tape)


def test_nothing_is_recognised_in_a_crash_that_is_none(exercise):
    """Conditions on an exception need one."""
    assert not _shown(exercise, Symptom(error="RuntimeError"), fault=None)


def test_the_line_is_that_of_the_symptom_then_of_the_check_then_of_the_trap(exercise):
    """The surest first."""
    assert _shown(exercise, Symptom(code="raised", line=r"def (?P<here>forward)"))[0].line == 2
    assert _shown(exercise, Symptom(code="raised"), line="class")[0].line == 4
    assert _shown(exercise, Symptom(code="softmax-over-queries"), line="class")[0].line == 1


def test_a_parameter_that_should_not_be_there_gives_the_line(exercise):
    """The line that makes the attribute it hangs on."""
    code = "class A:\n    def __init__(self):\n        self.norm = nn.LayerNorm(4)\n"
    found = _shown(exercise, Symptom(code="softmax-over-queries"), code=code, suspects=("norm.weight",))
    assert found[0].line == 3


def test_comments_and_texts_are_not_read():
    """What a comment or a docstring mentions is not in the code; lines stay where they are."""
    source = 'x = 1  # nn.MultiheadAttention\n"""softmax\nsoftmax"""\ny = softmax(x)\n'
    code = bare(source)
    assert "Multihead" not in code
    assert Searches().line_of("softmax", code) == 4


def test_a_text_that_is_no_python_is_read_as_far_as_possible():
    """An unclosed bracket stops the reading, not the diagnosis."""
    assert "x = (" in bare("x = (  # note\n")


def test_a_pattern_that_would_run_for_ever_does_not_match():
    """Texts are the student's; the search for a pattern ends in time. Control: without a limit it would take minutes."""
    started = time.perf_counter()
    assert not Searches().contains(r"(a|aa)+$", "a" * 40_000 + "b")
    assert not Searches().lacks(r"(a|aa)+$", "a" * 40_000 + "b")
    assert time.perf_counter() - started < 5


def test_the_attribute_of_a_parameter_is_found_where_it_is_set():
    """Not where it is read, and not where it is compared."""
    code = "if self.scale == 2:\n    pass\nself.scale: nn.Parameter = 3\nself.scale.x\n"
    assert Searches().line_of_attribute("scale", code) == 3
    assert Searches().line_of_attribute("other.weight", code) is None


@pytest.mark.parametrize("sign", ["\x0c", "\x85", "\u2028", "\x1c", "\x0b"])
def test_signs_that_python_does_not_count_as_a_new_line_shift_nothing(sign):
    """A comment with one of them, as copies from web pages have, is blanked, and what follows stays code."""
    code = f"x = 1  # nn.Dropout{sign}(0.1) nn.Dropout\ny = 2  # dropout\n"
    assert bare(code).split() == ["x", "=", "1", "y", "=", "2"]
    assert bare(code).count("\n") == code.count("\n")


@pytest.mark.parametrize(
    ("inside", "source", "line"),
    [
        ("A.forward", r"(?P<here>\bx\b)\.", 3),
        ("A.forward", r"\A\s*(?P<here>def)", 2),
        ("", r"class (?P<here>A)", 1),
    ],
)
def test_the_condition_marks_the_line_itself(exercise, inside, source, line):
    """One pattern is both what must be there and where; what is outside of the definition is not looked at."""
    shown = _shown(exercise, Symptom(source=source, inside=inside), source=CODE)
    assert shown[0].line == line
    assert not _shown(exercise, Symptom(source=source, inside="B.forward"), source=CODE)
    assert not _shown(exercise, Symptom(source="class", inside="A.forward"), source=CODE)


@pytest.mark.parametrize(
    "body", ["...", "pass", '"""Text."""', "# later", "raise NotImplementedError", "raise NotImplementedError('x')"]
)
@pytest.mark.parametrize(
    "slug", ["multi-head-attention", "scaled-dot-product-attention", "layer-normalization", "positional-encoding"]
)
def test_a_body_that_is_still_empty_has_no_fault(catalog, slug, body):
    """Whoever has not begun is told by the check what is wanted, and is not said to have forgotten something."""
    exercise = catalog[slug]
    reference, planned = Reference(exercise), plan(exercise, 3)
    last = exercise.starter.rstrip().removesuffix("...") + (body if body != "# later" else "...  # later")
    seen = observe_here(planned, last)
    assessment = assess(exercise, last, seen, reference.observe(planned))
    assert assessment.status is Status.FAILED
    assert reference.diagnoser(exercise).explain(planned, last, seen, assessment).diagnosis is None
