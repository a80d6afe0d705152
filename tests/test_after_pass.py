"""After a pass: how close the numbers are, and what an author may get wrong in a library's file."""

from __future__ import annotations

import contextlib
import io
import shutil

import pytest

from tests.conftest import TESTS
from tutor.after_pass import Afterwards
from tutor.expected import Reference
from tutor.lint import lint
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
