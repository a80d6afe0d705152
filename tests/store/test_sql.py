"""What only a real database can get wrong: files, migrations, several processes, and how it finds its rows."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, inspect

from tests.store.samples import SLUG, statuses, url, verdict
from tutor.errors import StoreError
from tutor.model import Mark, Status
from tutor.store import migrate
from tutor.store.connect import connect
from tutor.store.sql import open_store
from tutor.store.tables import metadata
from tutor.trials import Purpose, Scratch

PROJECT = Path(__file__).resolve().parents[2]


def test_everything_is_there_after_opening_again(file: Path) -> None:
    """Draft, submission, verdict and progress survive a close; the folder is made on demand."""
    store = open_store(url(file))
    me = store.local_learner()
    store.save_draft(me.id, SLUG, "draft")
    store.add_answer(me.id, SLUG, "count-256", "4·256²", Mark.RIGHT)
    number = store.add_submission(me.id, SLUG, 1, "x").id
    store.claim(number, "a", 60)
    store.finish(number, "a", verdict())
    before = store.submission(number)
    store.close()
    again = open_store(url(file))
    draft = again.draft(me.id, SLUG)
    assert draft is not None
    assert (again.local_learner(), draft.source, again.submission(number)) == (me, "draft", before)
    assert statuses(again.progress(me.id)) == {SLUG: {"skeleton": Status.PASSED}}
    assert again.answers(me.id, SLUG)["count-256"].text == "4·256²"
    again.close()


def test_a_sqlite_file_is_opened_the_way_two_processes_need(file: Path) -> None:
    """WAL, a busy timeout, foreign keys and synchronous NORMAL are in force on every connection."""
    open_store(url(file)).close()
    engine = connect(url(file))
    with engine.begin() as connection:
        names = ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")
        seen = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}
    engine.dispose()
    assert seen == {"journal_mode": "wal", "busy_timeout": 10_000, "foreign_keys": 1, "synchronous": 1}


def test_the_migrations_build_exactly_the_tables_of_the_code(file: Path) -> None:
    """Alembic sees no difference between a migrated database and the metadata, and HEAD is the newest revision."""
    open_store(url(file)).close()
    engine = connect(url(file))
    with engine.begin() as connection:
        options = {"compare_type": True, "compare_server_default": True, "render_as_batch": True}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []
        assert ScriptDirectory.from_config(migrate.alembic_config(connection)).get_current_head() == migrate.HEAD
        assert migrate.revision(connection) == migrate.HEAD
    engine.dispose()


def test_the_migrations_can_be_undone_and_done_again(file: Path) -> None:
    """Downgrading to base leaves no table of ours, and opening builds them again."""
    open_store(url(file)).close()
    engine = connect(url(file))
    with engine.begin() as connection:
        command.downgrade(migrate.alembic_config(connection), "base")
    with engine.begin() as connection:
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}
    engine.dispose()
    store = open_store(url(file))
    assert store.local_learner().id == 1
    store.close()


def test_a_database_of_the_version_before_keeps_its_rows(file: Path) -> None:
    """Taking back the newest revision and opening again keeps every attempt with its verdict; only the count of hints begins anew."""
    store = open_store(url(file))
    me = store.local_learner().id
    number = store.add_submission(me, SLUG, 1, "x").id
    store.claim(number, "a", 60)
    store.finish(number, "a", verdict())
    store.take_hint(number, 0)
    store.close()
    engine = connect(url(file))
    with engine.begin() as connection:
        command.downgrade(migrate.alembic_config(connection), "0001")
        assert "hints_taken" not in [column["name"] for column in inspect(connection).get_columns("submissions")]
        connection.exec_driver_sql(
            "INSERT INTO submissions (learner_id, slug, exercise_version, source, state, submitted_at, tries) "
            "SELECT learner_id, slug, exercise_version, 'older', 'queued', submitted_at, 0 FROM submissions"
        )
    engine.dispose()
    again = open_store(url(file))
    kept, older = again.submission(number), again.latest_submission(me, SLUG)
    assert kept is not None
    assert older is not None
    assert (kept.verdict, kept.hints_taken, older.source, older.hints_taken) == (verdict(), 0, "older", 0)
    assert statuses(again.progress(me)) == {SLUG: {"skeleton": Status.PASSED}}
    again.close()


@pytest.mark.parametrize(
    ("revision", "wanted"),
    [
        (
            "0003",
            "ALTER TABLE submissions ADD COLUMN seconds FLOAT DEFAULT '0' NOT NULL; "
            "CREATE INDEX ix_submissions_learner_id_finished_at ON submissions (learner_id, finished_at);",
        ),
        (
            "0004",
            "CREATE TABLE answers ( id SERIAL NOT NULL, learner_id INTEGER NOT NULL, slug VARCHAR(100) NOT NULL, "
            "question VARCHAR(100) NOT NULL, answer TEXT NOT NULL, mark VARCHAR(16) NOT NULL, "
            "answered_at TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT pk_answers PRIMARY KEY (id), "
            "CONSTRAINT fk_answers_learner_id FOREIGN KEY(learner_id) REFERENCES learners (id) ); "
            "CREATE INDEX ix_answers_learner_id_slug_question_id ON answers (learner_id, slug, question, id);",
        ),
        (
            "0005",
            "ALTER TABLE submissions ADD COLUMN purpose VARCHAR(16) DEFAULT 'check' NOT NULL; "
            "ALTER TABLE submissions ADD COLUMN trial TEXT; ALTER TABLE submissions ADD COLUMN outcome TEXT; "
            "CREATE INDEX ix_submissions_learner_id_slug_purpose_id ON submissions (learner_id, slug, purpose, id); "
            "DROP INDEX ix_submissions_learner_id_slug_id;",
        ),
        (
            "0006",
            "ALTER TABLE drafts ADD COLUMN revision INTEGER DEFAULT '1' NOT NULL; ALTER TABLE drafts ADD COLUMN aside TEXT; "
            "ALTER TABLE drafts ADD COLUMN writer VARCHAR(64);",
        ),
        (
            "0007",
            "ALTER TABLE submissions ADD COLUMN hinted_at TIMESTAMP WITH TIME ZONE; "
            "UPDATE submissions SET hinted_at = finished_at WHERE hints_taken > 0;",
        ),
    ],
)
def test_a_migration_speaks_postgresql_too(revision: str, wanted: str) -> None:
    """What a revision sends to PostgreSQL fills the rows that are there, and makes tables and indexes."""
    written = io.StringIO()
    context = MigrationContext.configure(dialect_name="postgresql", opts={"as_sql": True, "output_buffer": written})
    script = ScriptDirectory(str(migrate.MIGRATIONS)).get_revision(revision)
    with Operations.context(context):
        script.module.upgrade()
    assert " ".join(written.getvalue().split()) == wanted


def test_a_draft_of_the_version_before_can_be_saved_over(file: Path) -> None:
    """What was typed before revisions were counted is revision 1 and takes the next text."""
    store = open_store(url(file))
    me = store.local_learner().id
    store.save_draft(me, SLUG, "older", aside="replaced")
    store.save_draft(me, SLUG, "old")
    store.close()
    engine = connect(url(file))
    with engine.begin() as connection:
        command.downgrade(migrate.alembic_config(connection), "0005")
    engine.dispose()
    again = open_store(url(file))
    draft = again.draft(me, SLUG)
    assert draft is not None
    assert (draft.source, draft.revision, draft.aside) == ("old", 1, None)
    saved = again.save_draft(me, SLUG, "new", base=1)
    assert saved is not None
    assert (saved.source, saved.revision) == ("new", 2)
    again.close()


def test_hints_of_the_version_before_count_from_their_verdict(file: Path) -> None:
    """Nobody kept when a hint was taken; a milestone that failed then and was passed afterwards is passed with hints."""
    store = open_store(url(file))
    me = store.local_learner().id
    for status in (Status.FAILED, Status.PASSED):
        number = store.add_submission(me, SLUG, 1, "x").id
        store.claim(number, "a", 60)
        store.finish(number, "a", verdict({"skeleton": status, "forward": Status.PASSED}, status))
        if status is Status.FAILED:
            store.take_hint(number, 0)
    before = store.progress(me)
    store.close()
    engine = connect(url(file))
    with engine.begin() as connection:
        command.downgrade(migrate.alembic_config(connection), "0006")
    engine.dispose()
    again = open_store(url(file))
    assert again.progress(me) == before
    assert {name: one.hinted for name, one in before[SLUG].items()} == {"skeleton": True, "forward": False}
    again.close()


def test_taking_trials_back_leaves_no_attempt_that_was_none(file: Path) -> None:
    """A version that knows no trial runs would take them for attempts, so they go with the revision."""
    store = open_store(url(file))
    me = store.local_learner().id
    check = store.add_submission(me, SLUG, 1, "x")
    store.add_submission(me, SLUG, 1, "y", Scratch(lines="1"))
    store.close()
    engine = connect(url(file))
    with engine.begin() as connection:
        command.downgrade(migrate.alembic_config(connection), "0004")
        assert connection.exec_driver_sql("SELECT id, source FROM submissions").all() == [(check.id, "x")]
    engine.dispose()


def test_a_migration_that_is_cut_short_leaves_nothing_behind(file: Path) -> None:
    """A migration is one transaction: an interruption in it leaves the database as it was, and the next start works."""
    file.parent.mkdir(parents=True)
    engine = connect(url(file))
    with engine.connect() as connection:
        transaction = connection.begin()
        command.upgrade(migrate.alembic_config(connection), "head")
        assert inspect(connection).has_table("submissions")
        transaction.rollback()
    with engine.begin() as connection:
        assert inspect(connection).get_table_names() == []
    engine.dispose()
    open_store(url(file)).close()


def test_a_database_of_a_newer_version_is_left_alone(file: Path) -> None:
    """A revision this code does not know is refused in a sentence that says so."""
    open_store(url(file)).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreError, match=r"written by a newer version.*'9999'.*Nothing was changed"):
        open_store(url(file))


OPEN_AND_ADD = """
import sys
from tutor.store.sql import open_store
from tutor.trials import Purpose, Scratch
sys.stdin.readline()
store = open_store(sys.argv[1])
store.add_submission(store.local_learner().id, "a", 1, "x")
store.close()
"""


def test_processes_that_start_at_the_same_moment_share_one_database(file: Path) -> None:
    """Three processes open a new database at once; all succeed, with one learner and three submissions."""
    command_line = [sys.executable, "-W", "error", "-c", OPEN_AND_ADD, url(file)]
    processes = [subprocess.Popen(command_line, stdin=subprocess.PIPE, cwd=PROJECT) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.close()
    assert [process.wait(20) for process in processes] == [0, 0, 0]
    store = open_store(url(file))
    assert (store.learner_named("next").id, len(store.waiting())) == (2, 3)
    store.close()


def test_a_start_that_never_ends_does_not_block_the_next_for_ever(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When another start holds the lock for too long, the next says so instead of waiting silently."""
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 0.1)
    file.parent.mkdir(parents=True)
    engine = connect(url(file))
    with migrate._alone(engine), pytest.raises(StoreError, match="Another start of the tutor has held"):
        open_store(url(file))
    engine.dispose()


Statement = tuple[str, tuple[object, ...]]


@contextmanager
def _sent(engine: Engine) -> Iterator[list[Statement]]:
    """Collect the statements the store sends, as the driver gets them."""
    sent: list[Statement] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: tuple[object, ...], *_: object) -> None:
        sent.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def test_what_is_sent_on_every_run_is_read_by_index(file: Path) -> None:
    """No statement that a page or the worker's sweep sends over and over scans a whole table."""
    store = open_store(url(file))
    me = store.local_learner().id
    store.save_draft(me, SLUG, "x")
    number = store.add_submission(me, SLUG, 1, "x").id
    with _sent(store._engine) as sent:
        store.local_learner()
        store.save_draft(me, SLUG, "y")
        store.draft(me, SLUG)
        store.latest_submission(me, SLUG)
        store.latest_submission(me, SLUG, Purpose.SCRATCH)
        store.history(me, SLUG, 10, number)
        store.submissions_ahead(number)
        store.progress(me)
        store.take_hint(number, 0)
        store.load(me, 60)
        store.waiting(each=1)
        store.claim(number, "a", 60)
        store.renew(number, "a", 60)
        store.finish(number, "a", verdict())
    store.close()
    queries = [one for one in sent if one[0].startswith(("SELECT", "UPDATE"))]
    assert len(queries) == 15
    tables = tuple(f"SCAN {name}" for name in metadata.tables)
    with sqlite3.connect(file) as connection:
        for statement, parameters in queries:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            assert plan, statement
            # What a subquery gave is walked through; no table is.
            scans = [step for step in plan if step.startswith(tables)]
            assert not scans, (statement, plan)
    connection.close()
