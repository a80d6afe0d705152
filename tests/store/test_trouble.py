"""What is said when a database refuses, and what is read from a row that another version wrote."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.store.samples import SLUG, url, verdict
from tutor.errors import StoreError
from tutor.model import SubmissionState
from tutor.store.sql import open_store


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("no address", "TUTOR_DATABASE_URL is not a database address"),
        ("oracle9://x", "not a database address"),
        ("mysql://tutor:secret@host/name", "not a database address"),
        ("postgresql+asyncpg://tutor:secret@host/name", "not a database address"),
        ("postgresql:tutor:secret@host/name", "not a database address"),
        ("sqlite://", "in memory cannot be shared"),
        ("sqlite:///:memory:", "in memory cannot be shared"),
        ("sqlite:////dev/null/tutor/x.db", "folder /dev/null/tutor for the database cannot be made"),
        ("sqlite:////proc/x.db", "cannot be written.*TUTOR_HOME"),
    ],
)
def test_an_address_that_cannot_work_is_explained(address: str, says: str) -> None:
    """A wrong TUTOR_DATABASE_URL ends as a StoreError that says what is wrong and what to set, and repeats no password."""
    with pytest.raises(StoreError, match=says) as caught:
        open_store(address)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_explained(file: Path) -> None:
    """A damaged file is named, with what to do, and is not touched."""
    file.parent.mkdir(parents=True)
    file.write_text("I am a text file, long enough to be looked at." * 40)
    with pytest.raises(StoreError, match=r"could not be prepared: file is not a database\. The file is damaged"):
        open_store(url(file))
    assert file.read_text().startswith("I am a text file")


def test_a_database_that_stays_busy_is_explained(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that outlasts the busy timeout becomes a StoreError with a next step, and nothing is half stored."""
    monkeypatch.setattr("tutor.store.connect._PRAGMAS", ("PRAGMA busy_timeout = 50",))
    store = open_store(url(file))
    me = store.local_learner().id
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"could not store the submission: database is locked\. Try again"):
            store.add_submission(me, SLUG, 1, "x")
        other.execute("ROLLBACK")
    other.close()
    assert store.waiting() == ()
    store.close()


def test_a_verdict_of_another_format_is_explained(file: Path) -> None:
    """A stored verdict that this version cannot read is a StoreError that names the submission."""
    store = open_store(url(file))
    number = store.add_submission(store.local_learner().id, SLUG, 1, "x").id
    with sqlite3.connect(file) as connection:
        connection.execute("""UPDATE submissions SET state = 'done', verdict = '{"format": 2}'""")
    connection.close()
    with pytest.raises(StoreError, match=f"Submission {number} is stored in a form this version cannot read"):
        store.submission(number)
    store.close()


def test_a_verdict_of_another_format_hides_no_other_attempt(file: Path) -> None:
    """In the history such an attempt stands without a result, beside those that can be read."""
    store = open_store(url(file))
    me = store.local_learner().id
    numbers = [store.add_submission(me, SLUG, 1, "x").id for _ in range(2)]
    store.claim(numbers[1], "a", 60)
    store.finish(numbers[1], "a", verdict())
    with sqlite3.connect(file) as connection:
        connection.execute(
            """UPDATE submissions SET state = 'done', verdict = '{"format": 2}' WHERE id = ?""", (numbers[0],)
        )
    connection.close()
    readable, other = store.history(me, SLUG, 10)
    assert (readable.id, readable.status) == (numbers[1], verdict().status)
    assert (other.id, other.state, other.status, other.total) == (numbers[0], SubmissionState.DONE, None, 0)
    store.close()


def _with_unknown_keys(value: object) -> object:
    """The same JSON with one more key in every object."""
    if isinstance(value, dict):
        return {**{key: _with_unknown_keys(one) for key, one in value.items()}, "added_later": [1, None]}
    return [_with_unknown_keys(one) for one in value] if isinstance(value, list) else value


def test_keys_that_a_later_version_added_to_a_verdict_are_ignored(file: Path) -> None:
    """A stored verdict with a key nobody knows here, at any depth, reads back as the verdict without it."""
    store = open_store(url(file))
    me = store.local_learner().id
    number = store.add_submission(me, SLUG, 1, "x").id
    richer = _with_unknown_keys(json.loads(verdict().model_dump_json()))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE submissions SET state = 'done', verdict = ?", (json.dumps(richer),))
    connection.close()
    found = store.latest_submission(me, SLUG)
    assert found is not None
    assert (found.id, found.verdict) == (number, verdict())
    store.close()
