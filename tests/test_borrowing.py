"""Traps that one exercise borrows from another: a hint is written once and holds in both, with the names of each."""

from __future__ import annotations

import shutil

import pytest

from tutor.catalog import load_exercise
from tutor.errors import ContentError
from tutor.settings import PROJECT

SLUG, LENDER = "multi-head-attention", "lender"


@pytest.fixture
def borrow(tmp_path):
    """The tables ``borrows`` → the exercise as it is loaded; beside it an exercise that lends ``missing-scale`` and ``mask-added``."""
    shutil.copytree(PROJECT / "exercises" / SLUG, tmp_path / SLUG)
    lent = tmp_path / LENDER / "traps"
    lent.mkdir(parents=True)
    for name in ("missing-scale", "mask-added"):
        shutil.move(tmp_path / SLUG / "traps" / f"{name}.toml", lent)

    def load(tables):
        file = tmp_path / SLUG / "exercise.toml"
        file.write_text(file.read_text() + tables)
        return load_exercise(tmp_path / SLUG, PROJECT / "reference")

    return load


def _table(more, traps=("missing-scale", "mask-added")):
    return f'\n[[borrows]]\nfrom = "{LENDER}"\ntraps = {list(traps)}\n{more}\n'


def test_borrowed_traps_stand_among_the_own_ones(borrow):
    """The same traps as before, in the same order, and a complaint about one names the file it lies in."""
    exercise = borrow(_table(""))
    assert [trap.id for trap in exercise.traps] == sorted(
        path.stem for path in (PROJECT / "exercises" / SLUG / "traps").iterdir()
    )
    assert exercise.file_of("missing-scale") == "lender/traps/missing-scale.toml (borrowed by multi-head-attention)"
    assert exercise.file_of("query-with-query") == "multi-head-attention/traps/query-with-query.toml"


def test_names_are_exchanged_as_whole_words_and_at_once(borrow):
    """Two names may change places, and a part of a longer name stays."""
    traps = {
        trap.id: trap for trap in borrow(_table('names = { scaled = "scores", scores = "scaled", d_ = "x" }')).traps
    }
    assert traps["missing-scale"].variants[0].replace == {"scores": "scaled"}
    assert "math.sqrt(self.d_k)" in traps["missing-scale"].hints[2]


@pytest.mark.parametrize(
    ("tables", "key", "problem"),
    [
        (_table("", ["no-scale"]), "borrows.0.traps", "“no-scale” is no trap of lender; allowed: mask-added, missing-scale."),
        (_table("").replace(LENDER, "nobody"), "borrows.0.traps", "none, since no such exercise has traps"),
        (_table("") + _table(""), "borrows", "mask-added, missing-scale appears more than once"),
        (_table("", []), "borrows.0.traps", "at least 1 item"),
        (_table("name = 1"), "borrows.0.name", "unknown key; allowed: from, names, traps"),
        (_table("").replace("from", "form"), "borrows.0.from", "is missing"),
    ],
)  # fmt: skip
def test_what_cannot_be_borrowed_is_named(borrow, tables, key, problem):
    """File, key, what is wrong and what is allowed."""
    with pytest.raises(ContentError) as told:
        borrow(tables)
    assert (told.value.file, told.value.key) == (f"{SLUG}/exercise.toml", key)
    assert problem in told.value.problem


def test_a_trap_that_is_there_already_is_not_borrowed(borrow, tmp_path):
    """An own file and a borrowed one of the same id would leave open which one holds."""
    lent = tmp_path / LENDER / "traps"
    shutil.copy(tmp_path / SLUG / "traps" / "query-with-query.toml", lent)
    with pytest.raises(ContentError, match="query-with-query appears more than once"):
        borrow(_table("", ["query-with-query"]))
