"""A database that moves: to a server, and back, with every row as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select, text

from tests.postgres import Postgres
from tests.store.samples import SLUG, verdict
from tutor.errors import StoreError
from tutor.model import Mark, Status
from tutor.store import copying
from tutor.store.connect import connect
from tutor.store.copying import copy_database
from tutor.store.sql import open_store
from tutor.store.tables import drafts, metadata
from tutor.trials import Looked, Scratch

PROJECT = Path(__file__).resolve().parents[2]
Rows = dict[str, list[tuple[object, ...]]]


def ignore(*_: object) -> None:
    """What the command would print."""


def lived_in(address: str) -> None:
    """Two learners and something of everything, with a gap in the numbers and a check that is under way."""
    store = open_store(address)
    me, ada = store.local_learner().id, store.learner_named("Ada ✓ 漢字").id
    store.save_draft(me, SLUG, "draft √\n", base=0, aside="before", writer="w")
    store.add_answer(me, SLUG, "count", "4·256²\n2", Mark.PARTLY)
    numbers = [store.add_submission(one, SLUG, 1, f"{one} 🦀").id for one in (me, ada, me, ada)]
    for number in numbers[:2]:
        store.claim(number, "a", 60)
    store.finish(numbers[0], "a", verdict({"skeleton": Status.PASSED, "forward": Status.FAILED}, Status.FAILED, "ä\0"))
    store.take_hint(numbers[0], 0)
    trial = store.add_submission(me, SLUG, 1, "look", Scratch(lines="1\0")).id
    store.claim(trial, "a", 60)
    store.finish(trial, "a", Looked(printed="1", seconds=0.25))
    with store._engine.begin() as connection:
        connection.execute(text("DELETE FROM submissions WHERE id = :id"), {"id": numbers[2]})
    store.close()


def rows(address: str) -> Rows:
    engine = connect(address)
    with engine.begin() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(select(table))] for table in metadata.sorted_tables
        }
    engine.dispose()
    return {name: sorted(some, key=str) for name, some in found.items()}


def test_from_a_file_to_a_server_and_back_every_row_is_the_same(
    sqlite_url: str, empty_postgresql_url: str, empty_sqlite_url: str
) -> None:
    """Values, times and numbers; each table is told with its count; the first database is as it was."""
    lived_in(sqlite_url)
    before, told = rows(sqlite_url), {}
    shown = copy_database(sqlite_url, empty_postgresql_url, told.__setitem__)
    assert shown[0] == sqlite_url
    assert shown[1].startswith("postgresql://tutor:***@127.0.0.1:")
    assert told == {name: len(some) for name, some in before.items()}
    assert set(told) == {"learners", "drafts", "submissions", "answers", "milestone_results"}
    assert all(told.values())
    assert rows(empty_postgresql_url) == rows(sqlite_url) == before
    copy_database(empty_postgresql_url, empty_sqlite_url, ignore)
    assert rows(empty_sqlite_url) == before


@pytest.mark.parametrize("back", [False, True])
def test_the_numbers_go_on_where_they_were(
    sqlite_url: str, empty_postgresql_url: str, empty_sqlite_url: str, *, back: bool
) -> None:
    """After a copy new learners, submissions and answers come behind the old ones, and what was under way is checked."""
    lived_in(sqlite_url)
    copy_database(sqlite_url, empty_postgresql_url, ignore)
    if back:
        copy_database(empty_postgresql_url, empty_sqlite_url, ignore)
    store = open_store(empty_sqlite_url if back else empty_postgresql_url)
    assert store.learner_named("next").id == 3
    me = store.local_learner().id
    assert store.add_submission(me, SLUG, 1, "next").id == 6
    store.add_answer(me, SLUG, "other", "x", Mark.RIGHT)
    assert set(store.answers(me, SLUG)) == {"count", "other"}
    assert store.finish(2, "a", verdict())
    store.close()


def test_an_empty_database_is_copied_and_counts_from_one(sqlite_url: str, empty_postgresql_url: str) -> None:
    """Nothing to copy is no fault."""
    open_store(sqlite_url).close()
    copy_database(sqlite_url, empty_postgresql_url, ignore)
    store = open_store(empty_postgresql_url)
    assert store.local_learner().id == 1
    store.close()


def test_more_rows_than_are_held_at_once(sqlite_url: str, postgresql_url: str) -> None:
    """They come in pieces, in both directions."""
    store = open_store(sqlite_url)
    me, when = store.local_learner().id, store._clock()
    many = [
        {"learner_id": me, "slug": f"slug-{number}", "source": "x" * 999, "saved_at": when} for number in range(1_001)
    ]
    with store._engine.begin() as connection:
        connection.execute(insert(drafts), many)
    store.close()
    copy_database(sqlite_url, postgresql_url, ignore)
    assert rows(postgresql_url) == rows(sqlite_url)


def test_a_nul_that_a_file_kept_keeps_no_database_from_moving(sqlite_url: str, postgresql_url: str) -> None:
    """A server takes none, so it becomes a visible character."""
    store = open_store(sqlite_url)
    me = store.local_learner().id
    store.save_draft(me, SLUG, "text", aside="a\0b")
    store.close()
    copy_database(sqlite_url, postgresql_url, ignore)
    moved = open_store(postgresql_url)
    draft = moved.draft(me, SLUG)
    assert draft is not None
    assert draft.aside == "a\ufffdb"
    moved.close()


@pytest.mark.parametrize(("old", "new"), [("sqlite_url", "postgresql_url"), ("postgresql_url", "sqlite_url")])
def test_a_database_with_rows_takes_no_copy(request: pytest.FixtureRequest, old: str, new: str) -> None:
    """It is told which tables have some, and nothing changes on either side."""
    source, target = request.getfixturevalue(old), request.getfixturevalue(new)
    lived_in(source)
    store = open_store(target)
    store.learner_named("somebody else")
    store.close()
    before = rows(source), rows(target)
    with pytest.raises(
        StoreError, match=r"has rows already \(learners\)\. Nothing was changed\. Only an empty database"
    ):
        copy_database(source, target, ignore)
    assert (rows(source), rows(target)) == before


def test_a_database_does_not_take_itself(sqlite_url: str) -> None:
    """The same address twice is refused like any database with rows."""
    lived_in(sqlite_url)
    before = rows(sqlite_url)
    with pytest.raises(StoreError, match="has rows already"):
        copy_database(sqlite_url, sqlite_url, ignore)
    assert rows(sqlite_url) == before


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path, postgresql_url: str) -> None:
    """A mistyped address is named, and leaves no empty file behind."""
    with pytest.raises(StoreError, match=f"There is no database file {tmp_path / 'typo.db'}"):
        copy_database(f"sqlite:///{tmp_path / 'typo.db'}", postgresql_url, ignore)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("version", "says"), [(None, "no table of the tutor"), ("0001", "the schema '0001'")])
def test_a_database_of_another_version_is_not_copied(
    sqlite_url: str, empty_postgresql_url: str, version: str | None, says: str
) -> None:
    """What brings it up to date is told; nothing is made in the second database."""
    engine = connect(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE other (a INTEGER)"))
        if version is not None:
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR)"))
            connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": version})
    engine.dispose()
    with pytest.raises(StoreError, match=f"has {says}.*Start the tutor with it once"):
        copy_database(sqlite_url, empty_postgresql_url, ignore)
    assert tables(connect(empty_postgresql_url)) == []


def tables(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        found = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars().all()
    engine.dispose()
    return list(found)


def test_a_copy_that_breaks_off_leaves_nothing(
    postgres: Postgres, sqlite_url: str, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows or none: a connection that is lost before the last table undoes those before, and the next try works."""
    lived_in(sqlite_url)

    def cut(table: str, _: int) -> None:
        if table == "submissions":
            postgres.disconnect(postgresql_url.rsplit("/", 1)[1])

    with pytest.raises(StoreError, match="could not take the copy: "):
        copy_database(sqlite_url, postgresql_url, cut)
    assert not any(rows(postgresql_url).values())
    copy_database(sqlite_url, postgresql_url, ignore)
    assert rows(postgresql_url) == rows(sqlite_url)


def test_a_row_that_does_not_arrive_is_noticed(
    sqlite_url: str, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts are those of the databases, not of what was sent."""
    lived_in(sqlite_url)
    whole = copying._batches
    monkeypatch.setattr(copying, "_batches", lambda table, old: (some[:-1] or some for some in whole(table, old)))
    with pytest.raises(StoreError, match=r"Of 2 rows of learners 1 arrived\. Nothing was stored"):
        copy_database(sqlite_url, postgresql_url, ignore)
    assert not any(rows(postgresql_url).values())


def test_the_copy_is_of_one_moment(sqlite_url: str, postgresql_url: str, empty_sqlite_url: str) -> None:
    """What is stored on a server while it is copied is in no table of the copy, and the copy is none the worse."""
    lived_in(sqlite_url)
    copy_database(sqlite_url, postgresql_url, ignore)
    before, busy = rows(postgresql_url), open_store(postgresql_url)

    def hand_in(table: str, _: int) -> None:
        if table == "learners":
            busy.add_submission(busy.learner_named("late").id, SLUG, 1, "late")

    copy_database(postgresql_url, empty_sqlite_url, hand_in)
    busy.close()
    assert rows(empty_sqlite_url) == before


def run(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "copy-database", *arguments],
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "200"}, cwd=PROJECT, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).decode()


def test_the_command_reports_every_table(sqlite_url: str, empty_postgresql_url: str) -> None:
    """Counts, both addresses without a password, and the next step."""
    lived_in(sqlite_url)
    code, told = run(sqlite_url, empty_postgresql_url)
    assert code == 0
    for line in ("learners 2", "drafts 1", "submissions 4", "answers 1", "milestone_results 2"):
        assert line in " ".join(told.split())
    assert f"10 rows of {sqlite_url} are in postgresql://tutor:***@127.0.0.1:" in told
    assert "Set TUTOR_DATABASE_URL to the second address" in told
    assert "s3cret" not in told
    code, told = run(sqlite_url, empty_postgresql_url)
    assert code == 3
    assert "has rows already" in told
    assert "Traceback" not in told


def test_the_command_says_which_address_is_wrong() -> None:
    """It has two, and neither is that of the setting."""
    assert "The first address is not a database address" in run("here", "sqlite:////there.db")[1]
    assert "The second address has more than one @" in run(f"sqlite:///{__file__}", "postgresql://a:b@c@d/e")[1]
