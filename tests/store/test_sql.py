"""What only a real database can get wrong: what outlives a process, and how it finds its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event

from tests.store.samples import SLUG, statuses, url, verdict
from tutor.model import Mark, Status
from tutor.store.connect import connect
from tutor.store.sql import open_store
from tutor.store.tables import metadata
from tutor.trials import Purpose


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
    assert len(queries) == 14
    tables = tuple(f"SCAN {name}" for name in metadata.tables)
    with sqlite3.connect(file) as connection:
        for statement, parameters in queries:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            assert plan, statement
            # What a subquery gave is walked through; no table is.
            scans = [step for step in plan if step.startswith(tables)]
            assert not scans, (statement, plan)
    connection.close()
