"""Loading content: what is wrong is named by file, key and what is allowed."""

from __future__ import annotations

import shutil

import pytest

from tutor.catalog import load_catalog, load_exercise
from tutor.curriculum import Shelf
from tutor.errors import ContentError
from tutor.settings import PROJECT

SLUG = "multi-head-attention"


@pytest.fixture
def folder(tmp_path):
    """A copy of the real exercise, to be spoilt."""
    shutil.copytree(PROJECT / "exercises" / SLUG, tmp_path / SLUG)
    return tmp_path / SLUG


def _spoil(folder, before, after, count=1):
    file = folder / "exercise.toml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, count))


def test_milestones_are_the_contracts(catalog):
    """Tutors assign milestones by these ids, so they stay."""
    ids = [milestone.id for milestone in catalog[SLUG].milestones]
    assert ids == ["skeleton", "forward", "one-head", "split-order", "causal"]
    first = [milestone.id for milestone in catalog["scaled-dot-product-attention"].milestones]
    assert first == ["shapes", "softmax", "numbers", "general", "mask"]


def test_the_function_comes_before_the_layer(catalog):
    """Who builds the layer has built the function that every head is made of."""
    assert [exercise.slug for exercise in catalog.exercises][:2] == ["scaled-dot-product-attention", SLUG]


@pytest.mark.parametrize(
    ("before", "after", "key", "allowed"),
    [
        (
            "\n[entry]",
            "colour = 2\n\n[entry]",
            "colour",
            "allowed: borrows, cases, entry, examples, forbidden_calls, format",
        ),
        ('kind = "names"', 'kind = "nmes"', "kind", "allowed: buffers, completes"),
        ('kind = "names"', 'kind = "names"\nextra = 1', "extra", "allowed: cases, id, kind, needs, options, title"),
        (
            'needs = ["skeleton/loads"]',
            'needs = ["causal/equal"]',
            "needs",
            "no earlier check; allowed: skeleton/loads",
        ),
        ('cases = ["load"]', 'cases = ["laod"]', "cases", "is no case; allowed: load, count-h8"),
        ('cases = ["load"]', "cases = []", "cases", "at least one case"),
        ('options = { count = "4*d_model**2" }', "", "options", "“count” is missing"),
        ('options = { count = "4*d_model**2" }', "options = { cuont = 1 }", "options", "“cuont” is no option"),
        ('name = "count-h2"', 'name = "count-h1"', "cases", "more than once"),
        ('name = "count-h2"', 'name = "load"', "cases", "load appears more than once"),
        ('slug = "multi-head-attention"', 'slug = "mha"', "slug", "must equal the folder"),
        ("format = 1", "format = 2", "format", "Input should be 1"),
        ('kind = "class"', 'kind = "klass"', "entry.kind", "'class' or 'function'"),
        ('title = "Multi-head attention"', "", "title", "is missing"),
        ("[entry]", "[entry", "", "is not valid TOML"),
    ],
)
def test_wrong_content_is_named(folder, before, after, key, allowed):
    """File, key and what is allowed."""
    _spoil(folder, before, after)
    with pytest.raises(ContentError, match=r"multi-head-attention/exercise\.toml") as caught:
        load_exercise(folder, PROJECT / "reference")
    assert key in caught.value.key
    assert allowed in caught.value.problem


@pytest.mark.parametrize("name", ["statement.md", "starter.py"])
def test_missing_file_is_named(folder, name):
    """Every part of an exercise must be there."""
    (folder / name).unlink()
    with pytest.raises(ContentError, match=name):
        load_exercise(folder, PROJECT / "reference")


def test_missing_reference_is_named(folder, tmp_path):
    """The reference lies in its own folder, with underscores."""
    with pytest.raises(ContentError, match=r"reference/multi_head_attention\.py"):
        load_exercise(folder, tmp_path)


def test_unknown_slug_in_the_curriculum(tmp_path):
    """A curriculum that lists what is not there says so."""
    (tmp_path / "curriculum.toml").write_text(
        'format = 2\n[[lessons]]\ntitle = "L"\nabout = "A"\nexercises = [{ slug = "nothing" }]\n'
    )
    with pytest.raises(
        ContentError, match=r"curriculum\.toml: lessons\.0\.exercises\.0\.slug: “nothing” has no folder"
    ):
        load_catalog(Shelf(tmp_path, PROJECT / "reference"))
