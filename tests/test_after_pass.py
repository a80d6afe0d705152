"""After a pass: how close the numbers are, and what an author may get wrong in a library's file."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from dataclasses import replace

import pytest
import torch

from checkers.base import Ending, Step
from tests.conftest import TESTS
from tutor.after_pass import Afterwards
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.lint import lint
from tutor.near import distance
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.settings import PROJECT

ROUNDING = 5e-5


def _looked(exercise, source, seed=2):
    planned, reference = plan(exercise, seed), Reference(exercise)
    with contextlib.redirect_stdout(io.StringIO()):
        seen = observe_here(planned, source)
    return Afterwards(exercise).look(planned, source, seen, reference.observe(planned), seed)


def test_right_code_is_as_close_as_rounding_takes_it(catalog):
    """To the reference in every call, also with scores of several hundred, and to the library's own."""
    for exercise in catalog.exercises:
        found = _looked(exercise, exercise.reference)
        assert found.calls > 10
        assert found.from_reference < ROUNDING
        assert found.from_library is None if not exercise.library else found.from_library < ROUNDING
        assert found.question is not None or not exercise.slug.endswith("attention")


def test_what_is_wrong_is_far_from_both(exercise):
    """So that the figures mean something: a missing scale shows in both."""
    source = (TESTS / "submissions" / exercise.slug / "wrong" / "missing_scale.py").read_text()
    found = _looked(exercise, source)
    assert min(found.from_reference, found.from_library or 0.0) > 1_000 * ROUNDING


@pytest.fixture(scope="module")
def perfect(exercise):
    """An attempt whose numbers are the reference's own, and a way to look at it with some of them changed."""
    planned, reference = plan(exercise, 2), Reference(exercise)
    observed, afterwards = reference.observe(planned), Afterwards(exercise)
    # What the right answer refuses it has no numbers for.
    even = [
        case.name for case in exercise.cases if not case.construct_only and case.dims["d_model"] % case.dims["h"] == 0
    ]
    expected = {name: observed[name] for name in even}
    return planned, expected, lambda seen: afterwards.look(planned, exercise.reference, seen, expected, 2)


def _with_result(observation, number, changed):
    """The same with another first result in one call."""
    calls = list(observation.calls)
    calls[number] = replace(calls[number], items=(changed(calls[number].items[0]), *calls[number].items[1:]))
    return replace(observation, calls=tuple(calls))


def test_the_same_numbers_are_no_distance_apart(perfect):
    """All calls are compared that were made with the same weights and not in training mode."""
    planned, expected, look = perfect
    found = look(expected)
    told = [case for case in planned.cases if case["name"] in expected and not case["fresh"]]
    assert found.calls == sum(not call["train"] for case in told for call in case["calls"])
    assert found.from_reference == 0.0
    assert found.from_library < 1e-9


def test_the_largest_difference_of_all_calls_is_told(perfect):
    """One result of one call is enough, and what is no number is left out."""
    planned, expected, look = perfect
    case = next(one for one in planned.cases if len(one["calls"]) > 1 and not one["calls"][1]["train"])
    off = _with_result(expected[case["name"]], 1, lambda tensor: tensor + 3.0 * (1 + tensor.abs().max()))
    apart = distance(off.calls[1].items[0], expected[case["name"]].calls[1].items[0])
    assert look({**expected, case["name"]: off}).from_reference == apart > 1.0
    gone = _with_result(expected[case["name"]], 1, lambda tensor: tensor * float("nan"))
    assert look({**expected, case["name"]: gone}).from_reference == 0.0


def test_training_calls_are_not_compared(perfect):
    """What dropout does there is chance."""
    planned, expected, look = perfect
    case, number = next((c, n) for c in planned.cases for n, call in enumerate(c["calls"]) if call["train"])
    off = _with_result(expected[case["name"]], number, lambda tensor: tensor + 3.0)
    assert look({**expected, case["name"]: off}).from_reference == 0.0


def test_what_was_not_seen_is_not_compared(perfect):
    """Neither a case that is not there nor one that did not come to its end."""
    planned, expected, look = perfect
    first = next(one for one in planned.cases if not one["construct_only"] and not one["fresh"])
    counted = sum(not call["train"] for call in first["calls"])
    without = look({name: one for name, one in expected.items() if name != first["name"]})
    assert (without.calls, without.from_library) == (look(expected).calls - counted, None)
    stopped = look({**expected, first["name"]: replace(expected[first["name"]], ending=Ending.RAISED)})
    assert stopped.calls == look(expected).calls - counted


def test_the_question_is_made_from_the_first_tape_there_is(exercise, perfect):
    """With the sizes of its case; without a tape nothing is asked."""
    _, expected, look = perfect
    assert look(expected).question is None
    line = next(number for number, text in enumerate(exercise.reference.splitlines(), 1) if "context = " in text)
    tape = (Step("matmul", line, shapes=((2, 3, 7, 7), (2, 3, 7, 5)), value=torch.zeros(2, 3, 7, 5)),)
    case = [case for case in exercise.cases if case.tape and case.name in expected][-1]
    asked = look({**expected, case.name: replace(expected[case.name], tape=tape)}).question
    assert asked.answer == "(2, 3, 7, 5)"
    assert f"h = {case.dims['h']}" in asked.ask


def test_an_exercise_without_a_library_has_no_distance_from_it(exercise):
    """There is nothing to compare with, neither for a submission nor for the reference."""
    planned = plan(exercise, 2)
    alone = Afterwards(exercise.model_copy(update={"library": ""}))
    assert alone.from_reference(planned, Reference(exercise).observe(planned)) is None


def test_a_library_is_given_sizes_weights_and_inputs_in_double_precision(exercise, perfect):
    """By the names of the contract; what it gives back is compared with the first result of the first call."""
    planned, expected, _ = perfect
    text = (
        "import torch\n"
        "def library(dims, weights, Q, K, V):\n"
        "    assert __name__ == 'library' and not torch.is_grad_enabled()\n"
        "    assert {Q.dtype, *(w.dtype for w in weights.values())} == {torch.float64}\n"
        "    assert Q.shape == (dims['B'], dims['T_q'], dims['d_model']) and sorted(weights) == ['W_K', 'W_O', 'W_Q', 'W_V']\n"
        "    return torch.zeros_like(Q)\n"
    )
    changed = exercise.model_copy(update={"library": text})
    first = next(one for one in planned.cases if not one["construct_only"] and not one["fresh"])
    wanted = distance(
        expected[first["name"]].calls[0].items[0], torch.zeros_like(expected[first["name"]].calls[0].items[0])
    )
    assert Afterwards(changed).from_reference(planned, expected) == wanted


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def library(:", "cannot be loaded: SyntaxError: "),
        ("x = 1", "must define a function library(dims, weights, …)."),
    ],
)
def test_a_library_that_does_not_load_is_named(exercise, text, problem):
    """With the file, and what it lacks."""
    with pytest.raises(ContentError, match=re.escape(problem)) as complaint:
        Afterwards(exercise.model_copy(update={"library": text}))
    assert complaint.value.file == f"{exercise.slug}/library.py"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def library(:", "cannot be loaded: SyntaxError"),
        ("x = 1", "must define a function library(dims, weights, …)"),
        ("def library(dims, weights): ...", "cannot be run: TypeError"),
        ("def library(dims, weights, Q, K, V): return V", "must give the reference's first result, but is "),
    ],
)
def test_a_library_that_is_wrong_is_named(tmp_path, text, problem):
    """By its file, before anybody is shown it."""
    folder = tmp_path / "scaled-dot-product-attention"
    shutil.copytree(PROJECT / "exercises" / folder.name, folder)
    (folder / "library.py").write_text(text)
    found, _ = lint(folder, PROJECT / "reference")
    assert found[0].file == f"{folder.name}/library.py"
    assert problem in found[0].problem
