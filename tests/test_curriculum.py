"""The path through the exercises, and exercises that lie outside the project: the same rules, and every mistake is named."""

from __future__ import annotations

import shutil

import pytest

from tutor.catalog import load_catalog
from tutor.curriculum import Shelf
from tutor.errors import ContentError, SettingsError
from tutor.lint import lint_path
from tutor.settings import PROJECT, Settings, load_settings

FIRST, SECOND = "scaled-dot-product-attention", "multi-head-attention"


def _lesson(*steps):
    return '[[lessons]]\ntitle = "One"\nabout = "Two."\nexercises = [' + ", ".join(steps) + "]\n"


def _step(slug, after=()):
    return f'{{ slug = "{slug}", after = {list(after)} }}'


@pytest.fixture
def shelf(tmp_path):
    """A shelf with two exercises, one a copy under another name; ``write`` gives it a curriculum."""
    folder = tmp_path / "school"
    for slug in (FIRST, SECOND):
        shutil.copytree(PROJECT / "exercises" / slug, folder / slug)
    shutil.copytree(PROJECT / "reference", folder / "reference")

    def write(*lessons):
        (folder / "curriculum.toml").write_text("format = 2\n" + "\n".join(lessons))
        return Shelf(folder, folder / "reference")

    return write


def _renamed(shelf, slug):
    """The second exercise under a name of the school's own, so that it may stand beside the project's."""
    (shelf.folder / SECOND).rename(shelf.folder / slug)
    (shelf.references / "multi_head_attention.py").rename(shelf.references / f"{slug.replace('-', '_')}.py")
    file = shelf.folder / slug / "exercise.toml"
    file.write_text(file.read_text().replace(f'slug = "{SECOND}"', f'slug = "{slug}"'))


def test_the_projects_path_is_in_order():
    """Every exercise that is there lies on the path."""
    own = Settings().shelves[0]
    assert lint_path([own]) == []
    assert sorted(exercise.slug for exercise in load_catalog(own).exercises) == own.there()


def test_lessons_and_steps_keep_their_order(shelf):
    """Exercises come in the order of the lessons, whatever their folders are called."""
    catalog = load_catalog(shelf(_lesson(_step(FIRST)), _lesson(_step(SECOND, [FIRST]))))
    assert [exercise.slug for exercise in catalog.exercises] == [FIRST, SECOND]
    assert [step.after for lesson in catalog.lessons for step in lesson.exercises] == [(), (FIRST,)]


@pytest.mark.parametrize(
    ("lessons", "key", "problem"),
    [
        ([_lesson(_step("gone"))], "lessons.0.exercises.0.slug", "“gone” has no folder with an exercise.toml; there are: multi-head"),
        ([_lesson(_step(FIRST)), _lesson(_step(FIRST))], "lessons.1.exercises.0.slug", f"{FIRST} appears more than once"),
        ([_lesson(_step(FIRST, [SECOND]), _step(SECOND))], "lessons.0.exercises.0.after", f"“{SECOND}” does not come before; allowed: none"),
        ([_lesson(_step(FIRST), _step(SECOND, [SECOND]))], "lessons.0.exercises.1.after", f"does not come before; allowed: {FIRST}"),
        ([_lesson(_step("It"))], "lessons.0.exercises.0.slug", "small letters and digits"),
        ([_lesson().replace("about", "text")], "lessons.0.about", "is missing"),
        ([_lesson(_step(FIRST).replace("after", "before"))], "lessons.0.exercises.0.before", "unknown key; allowed: after, slug"),
        (["x = 1"], "lessons", "is missing"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_path_is_named(shelf, lessons, key, problem):
    """File, key, what is wrong and what is allowed; lint says the same."""
    written = shelf(*lessons)
    with pytest.raises(ContentError) as told:
        load_catalog(written)
    assert (told.value.file, told.value.key) == ("school/curriculum.toml", key)
    assert problem in told.value.problem
    assert [str(one) for one in lint_path([written])] == [str(told.value)]


def test_a_shelf_outside_the_project_comes_behind_it(shelf):
    """Its exercises may come after the project's, and borrow traps from these."""
    school = shelf(_lesson(_step("ours", [SECOND])))
    _renamed(school, "ours")
    (school.folder / "ours" / "traps" / "missing-scale.toml").unlink()
    file = school.folder / "ours" / "exercise.toml"
    file.write_text(file.read_text() + f'\n[[borrows]]\nfrom = "{SECOND}"\ntraps = ["missing-scale"]\n')
    catalog = load_catalog(*Settings().shelves, school)
    assert catalog.exercises[-1].slug == "ours"
    assert catalog["ours"].traps == catalog[SECOND].traps


def test_no_two_shelves_hold_the_same_slug(shelf):
    """Attempts are stored under it."""
    with pytest.raises(ContentError, match=rf"school/curriculum\.toml: .*{FIRST} appears more than once"):
        load_catalog(*Settings().shelves, shelf(_lesson(_step(FIRST))))


def test_further_folders_are_a_setting(shelf, monkeypatch):
    """Each brings its curriculum and its folder of references."""
    school = shelf(_lesson())
    monkeypatch.setenv("TUTOR_EXERCISES", str(school.folder))
    assert load_settings().shelves == (Shelf(PROJECT / "exercises", PROJECT / "reference"), school)


def test_a_folder_that_is_not_there_is_named(monkeypatch):
    """In the message are the variable, the folder and what is wanted."""
    monkeypatch.setenv("TUTOR_EXERCISES", "/none/such")
    with pytest.raises(
        SettingsError, match=r"TUTOR_EXERCISES=.*“/none/such” is no folder; name folders that are there"
    ):
        load_settings()
