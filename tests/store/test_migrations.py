"""The schema on SQLite and on PostgreSQL: up from nothing, down again step by step, with rows in the tables."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from tests.store.samples import SLUG, statuses, verdict
from tutor.errors import StoreError
from tutor.model import Mark, Status
from tutor.store import migrate
from tutor.store.connect import connect
from tutor.store.sql import open_store
from tutor.store.tables import metadata
from tutor.trials import Scratch

PROJECT = Path(__file__).resolve().parents[2]
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
WHEN = "2026-01-02 03:04:05.678901"

# What the version of each revision could have written, as it would have.
ROWS = {
    "0001": (
        "INSERT INTO learners (id, name, created_at) VALUES (1, 'Local learner', :when)",
        "INSERT INTO drafts (learner_id, slug, source, saved_at) VALUES (1, :slug, 'draft √', :when)",
        "INSERT INTO submissions (id, learner_id, slug, exercise_version, source, state, submitted_at, finished_at, tries, verdict) "
        "VALUES (7, 1, :slug, 1, 'oldest', 'done', :when, :when, 1, :verdict)",
        "INSERT INTO milestone_results (submission_id, milestone, status) VALUES (7, 'skeleton', 'passed')",
    ),
    "0002": (
        "INSERT INTO submissions (id, learner_id, slug, exercise_version, source, state, submitted_at, tries, hints_taken) "
        "VALUES (8, 1, :slug, 1, 'with hints', 'queued', :when, 0, 2)",
    ),
    "0004": (
        "INSERT INTO answers (id, learner_id, slug, question, answer, mark, answered_at) "
        "VALUES (3, 1, :slug, 'count', '4·256²', 'right', :when)",
    ),
    "0005": (
        "INSERT INTO submissions (id, learner_id, slug, exercise_version, source, state, submitted_at, tries, purpose, trial) "
        "VALUES (9, 1, :slug, 1, 'a look', 'queued', :when, 0, 'scratch', :trial)",
    ),
}
GIVEN = {
    "when": WHEN,
    "slug": SLUG,
    "verdict": verdict().model_dump_json(),
    "trial": Scratch().model_dump_json(),
}


@contextmanager
def opened(address: str) -> Iterator[Connection]:
    """One transaction in a database, whatever its tables."""
    engine = connect(address)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def step(address: str, revision: str, *, down: bool = False) -> None:
    with opened(address) as connection:
        move = command.downgrade if down else command.upgrade
        move(migrate.alembic_config(connection), revision)


def climb(address: str, revisions: tuple[str, ...] = REVISIONS) -> None:
    """One revision after the other, each with rows as its version would have written them."""
    for revision in revisions:
        step(address, revision)
        with opened(address) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL TIME ZONE 'UTC'")
            for row in ROWS.get(revision, ()):
                connection.execute(text(row), GIVEN)


def sources(connection: Connection) -> list[tuple[int, str]]:
    return [(row.id, row.source) for row in connection.execute(text("SELECT id, source FROM submissions ORDER BY id"))]


def test_the_migrations_build_exactly_the_tables_of_the_code(address: str) -> None:
    """Alembic sees no difference between a migrated database and the metadata, and HEAD is the newest revision."""
    open_store(address).close()
    with opened(address) as connection:
        assert difference(connection) == []
        script = ScriptDirectory.from_config(migrate.alembic_config(connection))
        assert [one.revision for one in script.walk_revisions()] == list(reversed(REVISIONS))
        assert migrate.revision(connection) == migrate.HEAD == REVISIONS[-1]


def difference(connection: Connection) -> list[object]:
    options = {"compare_type": True, "compare_server_default": True, "render_as_batch": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def test_every_step_up_keeps_the_rows(address: str) -> None:
    """What each version wrote is read by this one, and can be written on."""
    climb(address)
    with opened(address) as connection:
        assert sources(connection) == [(7, "oldest"), (8, "with hints"), (9, "a look")]
        assert difference(connection) == []
    store = open_store(address)
    assert store.local_learner().id == 1
    oldest, draft = store.submission(7), store.save_draft(1, SLUG, "new", base=1)
    assert oldest is not None
    assert (oldest.verdict, oldest.hints_taken) == (verdict(), 0)
    assert oldest.submitted_at.isoformat(sep=" ") == f"{WHEN}+00:00"
    assert draft is not None
    assert draft.revision == 2
    assert statuses(store.progress(1)) == {SLUG: {"skeleton": Status.PASSED}}
    assert [one.id for one in store.history(1, SLUG, 10)] == [8, 7]
    store.close()


def test_every_step_down_keeps_what_it_can(address: str) -> None:
    """Only trials go, which a version that knows none would take for attempts, and what has no column any more."""
    climb(address)
    kept = [(7, "oldest"), (8, "with hints"), (9, "a look")]
    for before, revision in zip(REVISIONS[-2::-1], REVISIONS[:0:-1], strict=True):
        step(address, before, down=True)
        if revision == "0005":
            kept.pop()
        with opened(address) as connection:
            assert migrate.revision(connection) == before
            assert sources(connection) == kept
            assert connection.execute(text("SELECT source FROM drafts")).scalars().all() == ["draft √"]
            assert connection.execute(text("SELECT milestone FROM milestone_results")).scalars().all() == ["skeleton"]
            assert inspect(connection).has_table("answers") is (before >= "0004")
    store = open_store(address)
    draft = store.draft(1, SLUG)
    assert draft is not None
    assert (draft.source, draft.revision, draft.aside) == ("draft √", 1, None)
    store.close()


def test_the_migrations_can_be_undone_and_done_again(address: str) -> None:
    """Downgrading to base leaves no table of ours, and opening builds them again."""
    open_store(address).close()
    step(address, "base", down=True)
    with opened(address) as connection:
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}
    store = open_store(address)
    assert store.local_learner().id == 1
    store.close()


def test_a_database_of_an_older_version_is_brought_up_to_date_by_opening_it(address: str) -> None:
    """Nothing but the start of the new version is needed; attempts, drafts and answers are as they were."""
    climb(address, REVISIONS[:4])
    store = open_store(address)
    assert [(one.id, one.hints_taken) for one in store.history(1, SLUG, 10)] == [(8, 2), (7, 0)]
    assert store.answers(1, SLUG)["count"].mark is Mark.RIGHT
    assert store.waiting() == (8,)
    assert store.add_submission(1, SLUG, 1, "next").id > 0
    store.close()


def test_hints_of_the_version_before_count_from_their_verdict(address: str) -> None:
    """Nobody kept when a hint was taken; a milestone that failed then and was passed afterwards is passed with hints."""
    store = open_store(address)
    me = store.local_learner().id
    for status in (Status.FAILED, Status.PASSED):
        number = store.add_submission(me, SLUG, 1, "x").id
        store.claim(number, "a", 60)
        store.finish(number, "a", verdict({"skeleton": status, "forward": Status.PASSED}, status))
        if status is Status.FAILED:
            store.take_hint(number, 0)
    before = store.progress(me)
    store.close()
    step(address, "0006", down=True)
    again = open_store(address)
    assert again.progress(me) == before
    assert {name: one.hinted for name, one in before[SLUG].items()} == {"skeleton": True, "forward": False}
    again.close()


def test_taking_trials_back_leaves_no_attempt_that_was_none(address: str) -> None:
    """A version that knows no trial runs would take them for attempts, so they go with the revision."""
    store = open_store(address)
    me = store.local_learner().id
    check = store.add_submission(me, SLUG, 1, "x")
    store.add_submission(me, SLUG, 1, "y", Scratch(lines="1"))
    store.close()
    step(address, "0004", down=True)
    with opened(address) as connection:
        assert sources(connection) == [(check.id, "x")]


def test_a_migration_that_is_cut_short_leaves_nothing_behind(address: str) -> None:
    """A migration is one transaction: an interruption in it leaves the database as it was, and the next start works."""
    engine = connect(address)
    with engine.connect() as connection:
        transaction = connection.begin()
        command.upgrade(migrate.alembic_config(connection), "head")
        assert inspect(connection).has_table("submissions")
        transaction.rollback()
    with engine.begin() as connection:
        assert inspect(connection).get_table_names() == []
    engine.dispose()
    open_store(address).close()


def test_a_database_of_a_newer_version_is_left_alone(address: str) -> None:
    """A revision this code does not know is refused in a sentence that says so."""
    open_store(address).close()
    with opened(address) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"written by a newer version.*'9999'.*Nothing was changed") as caught:
        open_store(address)
    assert "s3cret" not in str(caught.value)


OPEN_AND_ADD = """
import sys
from tutor.store.sql import open_store
sys.stdin.readline()
store = open_store(sys.argv[1])
store.add_submission(store.local_learner().id, "a", 1, "x")
store.close()
"""


def test_processes_that_start_at_the_same_moment_share_one_database(address: str) -> None:
    """Three processes open a new database at once; all succeed, with one learner and three submissions."""
    command_line = [sys.executable, "-W", "error", "-c", OPEN_AND_ADD, address]
    processes = [subprocess.Popen(command_line, stdin=subprocess.PIPE, cwd=PROJECT) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()
    assert [process.wait(20) for process in processes] == [0, 0, 0]
    store = open_store(address)
    owners = [found.learner_id for found in map(store.submission, store.waiting()) if found is not None]
    assert owners == [store.local_learner().id] * 3
    store.close()


def test_a_start_that_never_ends_does_not_block_the_next_for_ever(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When another start holds the lock for too long, the next says so instead of waiting silently."""
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 0.1)
    inside, may_end = threading.Event(), threading.Event()

    def never_ends(*_: object) -> None:
        inside.set()
        may_end.wait(20)

    monkeypatch.setattr(migrate, "_upgrade", never_ends)
    first = threading.Thread(target=lambda: open_store(address).close())
    first.start()
    try:
        assert inside.wait(10)
        with pytest.raises(StoreError, match=r"Another start of the tutor has held|lock timeout.*stop other programs"):
            open_store(address)
    finally:
        may_end.set()
        first.join(10)
