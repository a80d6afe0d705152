"""What only a real database can get wrong: what outlives a process, and how it finds its rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Engine, event, insert

from tests.store.samples import SLUG, statuses, url, verdict
from tutor.model import Mark, Status
from tutor.store.connect import connect
from tutor.store.sql import SqlStore, open_store
from tutor.store.tables import answers, drafts, learners, metadata, milestone_results, submissions
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


def _fill(store: SqlStore) -> None:
    """A term of a course: enough rows that to read them all would be the slower way, on a server, too."""
    ago = store._clock() - timedelta(days=60)
    people = range(1, 2_001)
    own = [{"learner_id": person, "slug": SLUG} for person in people]
    done = {"exercise_version": 1, "source": "x" * 500, "state": "done", "tries": 1, "submitted_at": ago}
    rows = {
        learners: [{"name": f"learner {person}", "created_at": ago} for person in people],
        drafts: [{**one, "source": "x", "saved_at": ago} for one in own],
        submissions: [{**one, **done, "finished_at": ago} for one in own * 3],
        milestone_results: [
            {"submission_id": number, "milestone": "skeleton", "status": "passed"} for number in range(1, 6_001)
        ],
        answers: [{**one, "question": "q", "answer": "a", "mark": "right", "answered_at": ago} for one in own * 2],
    }
    with store._engine.begin() as connection:
        for table, some in rows.items():
            connection.execute(insert(table), some)
    if store._engine.dialect.name == "postgresql":  # it does so by itself, after a while
        with store._engine.begin() as connection:
            connection.exec_driver_sql("ANALYZE")


def test_what_is_sent_on_every_run_is_read_by_index(address: str) -> None:
    """No statement that a page or the worker's sweep sends over and over scans a whole table."""
    store = open_store(address)
    _fill(store)
    me = store.local_learner().id
    store.save_draft(me, SLUG, "x")
    number = store.add_submission(me, SLUG, 1, "x").id
    with _sent(store._engine) as sent:
        store.local_learner()
        store.save_draft(me, SLUG, "y")
        store.draft(me, SLUG)
        store.latest_submission(me, SLUG)
        store.latest_submission(me, SLUG, Purpose.SCRATCH)
        store.latest_passed(me, SLUG)
        store.history(me, SLUG, 10, number)
        store.submissions_ahead(number)
        store.progress(me)
        store.take_hint(number, 0)
        store.load(me, 60)
        store.answers(me, SLUG)
        store.waiting(each=1)
        store.claim(number, "a", 60)
        store.renew(number, "a", 60)
        store.finish(number, "a", verdict())
    queries = [one for one in sent if one[0].startswith(("SELECT", "UPDATE"))]
    assert len(queries) == 16
    on_a_server = store._engine.dialect.name == "postgresql"
    explain, walk = ("EXPLAIN", "Seq Scan on {}") if on_a_server else ("EXPLAIN QUERY PLAN", "SCAN {}")
    with store._engine.begin() as connection:
        for statement, parameters in queries:
            plan = [str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters)]
            assert plan, statement
            # What a subquery gave is walked through; no table is.
            walks = [step for step in plan if any(walk.format(name) in step for name in metadata.tables)]
            assert not walks, (statement, plan)
    store.close()
