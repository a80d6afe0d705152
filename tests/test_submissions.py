"""The corpus: what each file under ``submissions`` must come out as, judged and diagnosed by the real checker behind real walls."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tutor.model import Status

CORPUS = Path(__file__).parent / "submissions"
SLUGS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
ON_A_LINE_TO_CHANGE = 0.9


def _labels(slug):
    return tomllib.loads((CORPUS / slug / "labels.toml").read_text())


def _files(side):
    return [pytest.param(path, id=f"{path.parts[-3]}-{path.stem}") for path in sorted(CORPUS.glob(f"*/{side}/*.py"))]


@pytest.fixture(scope="module")
def verdict_on(checker, catalog):
    """Path → its verdict, checked once for all tests."""
    known = {}

    def verdict(path):
        if path not in known:
            known[path] = checker.check(catalog[path.parts[-3]], path.read_bytes(), file=path.name)
        return known[path]

    return verdict


@pytest.fixture(scope="module")
def equal_to(catalog):
    """Slug and id → ids of the traps that no observation tells from it, itself included."""

    def equal(slug, name):
        declared = {trap.id: set(trap.same_as) for trap in catalog[slug].traps}
        return {name} | declared.get(name, set()) | {other for other, same in declared.items() if name in same}

    return equal


@pytest.mark.parametrize("slug", SLUGS)
def test_every_file_has_a_label_and_every_label_a_file(slug):
    """No submission is forgotten, no label dangles."""
    labels = _labels(slug)
    assert sorted(labels["right"]) == sorted(path.stem for path in (CORPUS / slug / "right").glob("*.py"))
    assert sorted(labels["wrong"]) == sorted(path.stem for path in (CORPUS / slug / "wrong").glob("*.py"))


@pytest.mark.sandbox
@pytest.mark.parametrize("path", _files("right"))
def test_right_submission_passes(verdict_on, path):
    """Whatever its style, a right submission passes every check."""
    verdict = verdict_on(path)
    assert verdict.status is Status.PASSED, [
        (milestone.id, check.id, check.message)
        for milestone in verdict.milestones
        for check in milestone.checks
        if check.status is not Status.PASSED
    ]


@pytest.mark.sandbox
@pytest.mark.parametrize("path", _files("wrong"))
def test_wrong_submission_fails_where_it_should(verdict_on, path):
    """A wrong submission fails exactly the checks its label names, ends as the label says, and names the line where that is fixed."""
    label = _labels(path.parts[-3])["wrong"][path.stem]
    verdict = verdict_on(path)
    failed = [
        (f"{milestone.id}/{check.id}", check)
        for milestone in verdict.milestones
        for check in milestone.checks
        if check.status is Status.FAILED
    ]
    assert verdict.status is Status.FAILED
    assert [name for name, _ in failed] == label["fails"]
    assert verdict.ending.value == label.get("ending", "returned")
    assert "line" not in label or failed[0][1].line == label["line"]
    for name, check in failed:
        assert all((check.message, check.expected, check.actual, check.next_step)), f"{name} leaves the student alone"


@pytest.mark.sandbox
@pytest.mark.parametrize("path", _files("wrong"))
def test_wrong_submission_is_explained_by_what_is_in_it(verdict_on, equal_to, path):
    """The diagnosis names the faults of the label or declared equals, all of them and no other; where none is known, none."""
    slug = path.parts[-3]
    wanted = _labels(slug)["wrong"][path.stem]["faults"]
    diagnosis = verdict_on(path).diagnosis
    named = diagnosis.traps if diagnosis else ()
    assert len(named) == len(wanted)
    assert all(any(name in equal_to(slug, fault) for name in named) for fault in wanted), (wanted, named)


@pytest.mark.sandbox
def test_the_line_of_a_diagnosis_is_a_line_to_change(verdict_on):
    """For nine of ten wrong submissions of which a line is told, it is one where the fault can be put right."""
    hits = []
    for slug in SLUGS:
        for stem, label in _labels(slug)["wrong"].items():
            diagnosis = verdict_on(CORPUS / slug / "wrong" / f"{stem}.py").diagnosis
            if diagnosis is not None and label["at"]:
                hits.append(diagnosis.line in label["at"])
    assert sum(hits) >= ON_A_LINE_TO_CHANGE * len(hits)
