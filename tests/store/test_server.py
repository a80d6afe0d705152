"""What only a server can do to a store: not be there, not let in, go away in the middle, or hold a row for too long."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from tests.postgres import PASSWORD, Postgres
from tests.store.samples import SLUG, queue_one, verdict
from tutor.errors import StoreError
from tutor.model import SubmissionState
from tutor.settings import Settings
from tutor.store.connect import connect, plain_errors
from tutor.store.sql import SqlStore, open_store


@pytest.fixture
def store(postgresql_url: str) -> Iterator[SqlStore]:
    made = open_store(postgresql_url)
    yield made
    made.close()


def database_of(store: SqlStore) -> str:
    return str(store._engine.url.database)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("tutor:s3cret-wrong@127.0.0.1:{port}/{name}", r"password authentication failed.*Check the user and the password"),
        ("tutor@127.0.0.1:{port}/{name}", r"no password supplied.*Check the user and the password"),
        ("stranger:{secret}@127.0.0.1:{port}/{name}", r"failed for user \"stranger\".*Check the user and the password"),
        ("tutor:{secret}@127.0.0.1:{port}/not_made", r"database \"not_made\" does not exist.*CREATE DATABASE"),
        ("tutor:{secret}@127.0.0.1:1/{name}", r"Connection refused.*Check that the database runs"),
        ("tutor@127.0.0.1:1/{name}?password={secret}", r"Connection refused.*Check that the database runs"),
        ("tutor:{secret}@nowhere.invalid/{name}", r"nowhere\.invalid.*Check that the database runs"),
        ("tutor:{secret}@127.0.0.1:{port}/{name}?sslmode=require", "SSL was required"),
        ("tutor:more@s3cret@127.0.0.1:{port}/{name}", r"more than one @.*%40"),
        ("tutor:s3cret@127.0.0.1:s3cret/{name}", "not a database address"),
    ],
)  # fmt: skip
def test_an_address_that_does_not_work_is_explained_and_no_password_repeated(
    postgres: Postgres, empty_postgresql_url: str, caplog: pytest.LogCaptureFixture, place: str, says: str
) -> None:
    """One sentence with a next step; neither it nor what a log would show of it has the password, or a part of it."""
    caplog.set_level("DEBUG")
    name, secret = empty_postgresql_url.rsplit("/", 1)[1], quote(PASSWORD, safe="")
    address = "postgresql://" + place.format(name=name, secret=secret, port=postgres.port)
    with pytest.raises(StoreError, match=says) as caught:
        open_store(address)
    assert "\n" not in str(caught.value)
    logged = "".join(traceback.format_exception(caught.value))
    assert "s3cret" not in f"{logged} {caplog.text} {Settings(database_url=address)!r}"


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (errors.DiskFull("Festplatte voll"), "Free some disk space on the machine of the database"),
        (errors.LockNotAvailable("Sperre nicht verfügbar"), "stop other programs that use this database"),
        (errors.InsufficientPrivilege("keine Berechtigung"), "Let this user own the database"),
        (errors.ReadOnlySqlTransaction("nur lesen"), "This server only lets itself be read"),
        (errors.ForeignKeyViolation("Fremdschlüssel"), "Nothing was stored"),
        (psycopg.OperationalError("FATAL:  sorry, too many clients already"), "raise its max_connections"),
        (psycopg.OperationalError("FATAL:  remaining connection slots are reserved"), "raise its max_connections"),
        (psycopg.OperationalError("server closed the connection unexpectedly\nThis means"), "It is connected to anew by itself"),
        (psycopg.OperationalError("unheard of"), "Check that the database runs and that its address is right"),
    ],
)  # fmt: skip
def test_what_a_server_says_is_followed_by_what_to_do(cause: psycopg.Error, says: str) -> None:
    """In whatever language it says it; a sentence of the database, then one of ours."""
    engine = connect("postgresql://tutor:s3cret@db.school.example/tutor?password=s3cret")
    with pytest.raises(StoreError) as caught, plain_errors(engine, "save the draft"):
        raise OperationalError("UPDATE", {}, cause)
    said = str(caught.value)
    what = str(cause).splitlines()[0]
    assert said.startswith(
        f"The database postgresql://tutor:***@db.school.example/tutor could not save the draft: {what}. "
    )
    assert says in said.removeprefix(what)
    assert "s3cret" not in said


@pytest.mark.parametrize("begin", ["postgresql", "postgres", "postgresql+psycopg"])
def test_an_address_is_taken_however_it_begins(postgresql_url: str, begin: str) -> None:
    """All lead to the same driver."""
    store = open_store(postgresql_url.replace("postgresql", begin, 1))
    assert store.waiting() == ()
    store.close()


def test_without_the_driver_the_next_step_is_told(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laptop need not have it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"driver for PostgreSQL is not installed.*requirements-server\.txt"):
        open_store(postgresql_url)


def test_options_of_the_address_are_kept(postgres: Postgres, postgresql_url: str) -> None:
    """A schema of its own, and a name in the server's list of connections, beside what the tutor asks for itself."""
    postgres.run("CREATE SCHEMA own AUTHORIZATION tutor", postgresql_url.rsplit("/", 1)[1])
    store = open_store(f"{postgresql_url}?options=-csearch_path%3Down&application_name=mine")
    queue_one(store)
    with store._engine.begin() as connection:
        found = [
            connection.exec_driver_sql(f"SHOW {name}").scalar()
            for name in ("search_path", "lock_timeout", "application_name")
        ]
    assert found == ["own", "10s", "mine"]
    store.close()
    plain = open_store(postgresql_url)
    assert plain.waiting() == ()
    plain.close()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_text_is_refused(postgres: Postgres, encoding: str) -> None:
    """Before anything is made in it, with what to do."""
    name = postgres.fresh(options=f"ENCODING '{encoding}' LOCALE 'C'")
    with pytest.raises(StoreError, match=f"has the encoding {encoding}.*Nothing was changed.*ENCODING 'UTF8'"):
        open_store(postgres.url(name))
    postgres.drop(name)


def test_a_user_who_may_make_no_tables_is_told_so(postgres: Postgres) -> None:
    """A database that somebody else owns."""
    name = postgres.fresh()
    postgres.run(f"ALTER DATABASE {name} OWNER TO postgres")
    postgres.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", name)
    with pytest.raises(StoreError, match=r"permission denied for schema public.*Let this user own the database"):
        open_store(postgres.url(name))
    postgres.drop(name)


def test_a_server_that_was_started_anew_is_not_noticed(postgres: Postgres, store: SqlStore) -> None:
    """It went away and came back between two calls: the next call works, and everything is there."""
    number = queue_one(store)
    postgres.crash()
    postgres.start()
    assert store.claim(number, "a", 60) is not None
    postgres.crash()
    postgres.start()
    assert store.finish(number, "a", verdict())


def test_while_the_server_is_away_it_is_said_and_afterwards_all_is_well(postgres: Postgres, store: SqlStore) -> None:
    """Every call ends at once in a sentence; the first one after the server is back works."""
    me, number = store.local_learner().id, queue_one(store)
    store.save_draft(me, SLUG, "kept")
    postgres.crash()
    try:
        for call in (store.waiting, lambda: store.draft(me, SLUG), lambda: store.add_submission(me, SLUG, 1, "lost")):
            with pytest.raises(StoreError, match=r"could not .* Check that the database runs"):
                call()
    finally:
        postgres.start()
    assert store.waiting() == (number,)
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert draft.source == "kept"


def test_a_connection_that_is_lost_in_the_middle_costs_one_call(postgres: Postgres, store: SqlStore) -> None:
    """Nothing is half stored, the sentence says what could not be done, and the next call has a new connection."""
    number = queue_one(store)
    store.claim(number, "a", 60)

    def cut(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO milestone_results"):
            event.remove(store._engine, "before_cursor_execute", cut)
            postgres.disconnect(database_of(store))

    event.listen(store._engine, "before_cursor_execute", cut)
    with pytest.raises(StoreError, match=r"could not save the result: .*terminating connection"):
        store.finish(number, "a", verdict())
    found = store.submission(number)
    assert found is not None
    assert (found.state, found.verdict) == (SubmissionState.RUNNING, None)
    assert store.finish(number, "a", verdict())


def test_a_row_that_somebody_holds_for_too_long_is_explained(
    postgres: Postgres, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is waited for, but not for ever, and nothing is half stored."""
    monkeypatch.setattr("tutor.store.connect._OPTIONS", "-c lock_timeout=50")
    store = open_store(postgresql_url)
    number = queue_one(store)
    with psycopg.connect(postgresql_url) as other:
        other.execute("SELECT 1 FROM submissions FOR UPDATE")
        with pytest.raises(StoreError, match=r"could not claim a submission: .*lock timeout\. Try again in a moment"):
            store.claim(number, "a", 60)
    assert store.claim(number, "a", 60) is not None
    store.close()


def test_nobody_is_asked_to_try_again_where_the_server_is_strict(postgres: Postgres, postgresql_url: str) -> None:
    """A server whose default is to refuse what does not fit in a row gives each of many claims and saves all the same."""
    name = postgresql_url.rsplit("/", 1)[1]
    postgres.run(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    store = open_store(postgresql_url)
    me = store.local_learner().id
    numbers = [queue_one(store) for _ in range(20)]

    def work(name: str) -> list[int]:
        won = []
        for number in numbers:
            store.save_draft(me, SLUG, name)
            if store.claim(number, name, 60) is not None:
                assert store.finish(number, name, verdict())
                won.append(number)
        return won

    with ThreadPoolExecutor(8) as pool:
        done = [number for won in pool.map(work, "abcdefgh") for number in won]
    assert sorted(done) == numbers
    draft = store.draft(me, SLUG)
    assert draft is not None
    assert draft.revision == 8 * len(numbers)
    store.close()


def test_what_a_page_asks_over_and_over_is_one_journey_each(postgres: Postgres, store: SqlStore) -> None:
    """A statement alone is sent alone, without a BEGIN before it and a COMMIT behind it."""
    me, number = store.local_learner().id, queue_one(store)
    postgres.run(f"ALTER DATABASE {database_of(store)} SET log_statement = 'all'")
    store._engine.dispose()
    before = len(postgres.log())
    store.local_learner()
    store.draft(me, SLUG)
    store.save_draft(me, SLUG, "x")
    store.latest_submission(me, SLUG)
    store.submissions_ahead(number)
    store.load(me, 60)
    store.progress(me)
    store.history(me, SLUG, 10)
    store.answers(me, SLUG)
    store.waiting(each=1)
    store.claim(number, "a", 60)
    store.renew(number, "a", 60)
    told = [line for line in postgres.log()[before:].splitlines() if "LOG:  " in line]
    assert sum("SELECT submissions" in line for line in told) > 1
    assert [line for line in told if "BEGIN" in line or "COMMIT" in line] == []
