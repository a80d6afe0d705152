"""``new`` writes an exercise that works at once, wherever the author keeps exercises."""

from __future__ import annotations

import pytest

from tutor.authoring import write_skeleton
from tutor.catalog import load_catalog
from tutor.curriculum import Shelf
from tutor.errors import ContentError
from tutor.lint import lint, lint_path
from tutor.settings import Settings


@pytest.fixture
def shelf(tmp_path):
    """A folder that is still empty."""
    return Shelf(tmp_path / "school", tmp_path / "school" / "reference")


def test_the_skeleton_proves_itself(shelf):
    """Lint has nothing to say about it: the reference passes, every fault fails and is known, no check is idle."""
    write_skeleton("running-mean", shelf)
    found, matrix = lint(shelf.folder / "running-mean", shelf.references)
    assert found == []
    assert matrix is not None


def test_it_bears_its_name_and_can_be_listed(shelf):
    """Nothing is left of the skeleton's own name; the curriculum that is written offers nothing until the author says so."""
    written = write_skeleton("running-mean", shelf)
    assert not [path for path in written if "my-exercise" in path.read_text() or "my_exercise" in path.read_text()]
    assert lint_path([*Settings().shelves, shelf]) == []
    path = shelf.folder / "curriculum.toml"
    path.write_text(
        'format = 2\n[[lessons]]\ntitle = "A"\nabout = "B"\nexercises = [{ slug = "running-mean", after = ["multi-head-attention"] }]\n'
    )
    exercise = load_catalog(*Settings().shelves, shelf)["running-mean"]
    assert (exercise.title, exercise.entry.name) == ("Running mean", "running_mean")


def test_nothing_is_written_over(shelf):
    """A second exercise goes beside the first and leaves the curriculum alone; the same name is refused."""
    write_skeleton("one", shelf)
    curriculum = (shelf.folder / "curriculum.toml").read_text()
    write_skeleton("two", shelf)
    assert (shelf.folder / "curriculum.toml").read_text() == curriculum
    assert shelf.there() == ["one", "two"]
    with pytest.raises(ContentError, match="is there already; nothing was written"):
        write_skeleton("one", shelf)


@pytest.mark.parametrize("slug", ["Running Mean", "../up", "", "a_b"])
def test_a_name_that_is_none_is_refused(shelf, slug):
    """With what is allowed, and before anything is written."""
    with pytest.raises(ContentError, match="small letters and digits with hyphens between"):
        write_skeleton(slug, shelf)
    assert not shelf.folder.exists()
