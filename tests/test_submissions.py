"""The corpus: what each file under ``submissions`` must come out as, judged by the real checker behind real walls."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tutor.model import Status

CORPUS = Path(__file__).parent / "submissions"
SLUGS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())


def _labels(slug):
    return tomllib.loads((CORPUS / slug / "labels.toml").read_text())


def _files(side):
    return [pytest.param(path, id=f"{path.parts[-3]}-{path.stem}") for path in sorted(CORPUS.glob(f"*/{side}/*.py"))]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_file_has_a_label_and_every_label_a_file(slug):
    """No submission is forgotten, no label dangles."""
    labels = _labels(slug)
    assert sorted(labels["right"]) == sorted(path.stem for path in (CORPUS / slug / "right").glob("*.py"))
    assert sorted(labels["wrong"]) == sorted(path.stem for path in (CORPUS / slug / "wrong").glob("*.py"))


@pytest.mark.sandbox
@pytest.mark.parametrize("path", _files("right"))
def test_right_submission_passes(checker, catalog, path):
    """Whatever its style, a right submission passes every check."""
    verdict = checker.check(catalog[path.parts[-3]], path.read_bytes(), file=path.name)
    assert verdict.status is Status.PASSED, [
        (milestone.id, check.id, check.message)
        for milestone in verdict.milestones
        for check in milestone.checks
        if check.status is not Status.PASSED
    ]


@pytest.mark.sandbox
@pytest.mark.parametrize("path", _files("wrong"))
def test_wrong_submission_fails_where_it_should(checker, catalog, path):
    """A wrong submission fails exactly the checks its label names, ends as the label says, and names the line."""
    label = _labels(path.parts[-3])["wrong"][path.stem]
    verdict = checker.check(catalog[path.parts[-3]], path.read_bytes(), file=path.name)
    failed = [
        (f"{milestone.id}/{check.id}", check)
        for milestone in verdict.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    ]
    assert verdict.status is Status.FAILED
    assert [name for name, _ in failed] == label["fails"]
    assert verdict.ending.value == label.get("ending", "returned")
    assert failed[0][1].line == label.get("line")
    for name, check in failed:
        assert all((check.message, check.expected, check.actual, check.next_step)), f"{name} leaves the student alone"
