"""The table of what is practised where names nothing that is not there, and leaves no question out."""

from __future__ import annotations

import re
import tomllib

import pytest

from tutor.settings import PROJECT

PAGE = (PROJECT / "docs" / "lessons.md").read_text()
FOLDERS = sorted(path.parent for path in (PROJECT / "exercises").glob("*/quiz.toml"))
SLUGS = [folder.name for folder in FOLDERS]
NAMED = {name for name in re.findall(r"`([a-z0-9-]+(?:[/:][a-z0-9-]+)*)`", PAGE) if re.split("[/:]", name)[0] in SLUGS}
# Exercises beyond the three lessons have questions of their own.
COVERED = [folder for folder in FOLDERS if any(re.split("[/:]", name)[0] == folder.name for name in NAMED)]


def _there() -> set[str]:
    """All ids that may be named: exercises, their milestones and checks, their questions."""
    found: set[str] = set()
    for folder in FOLDERS:
        found |= {
            f"{folder.name}:{one['id']}" for one in tomllib.loads((folder / "quiz.toml").read_text())["questions"]
        }
        file = folder / "exercise.toml"
        milestones = tomllib.loads(file.read_text())["milestones"] if file.exists() else []
        found |= {folder.name} if file.exists() else set()
        for milestone in milestones:
            found.add(f"{folder.name}/{milestone['id']}")
            found |= {f"{folder.name}/{milestone['id']}/{check['id']}" for check in milestone["checks"]}
    return found


def test_all_that_is_named_is_there() -> None:
    """Every exercise, milestone, check and question in the table exists."""
    assert sorted(NAMED - _there()) == []
    assert len(NAMED) > 100
    assert len(COVERED) == 6


@pytest.mark.parametrize("folder", COVERED, ids=lambda folder: folder.name)
def test_every_question_is_for_something_in_the_lessons(folder) -> None:
    """No question stands outside the table."""
    ids = [one["id"] for one in tomllib.loads((folder / "quiz.toml").read_text())["questions"]]
    assert [name for name in ids if f"{folder.name}:{name}" not in NAMED] == []


def test_every_row_says_where() -> None:
    """A row names a place, or says when it comes."""
    rows = [
        line
        for line in PAGE.splitlines()
        if line.startswith("| ") and "---" not in line and "in the lesson" not in line
    ]
    assert len(rows) > 90
    assert [row for row in rows if not re.search(r"`[a-z0-9-]+[`/:]", row.split("|")[2]) and "to come" not in row] == []
