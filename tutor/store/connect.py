"""Opening a database, and saying in plain words what went wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from tutor.errors import StoreError

BUSY_SECONDS = 10.0

_PRAGMAS = (
    f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)

# What a database says → what to do about it; the first phrase that occurs wins.
_NEXT_STEPS = (
    ("locked", "Try again in a moment; if it stays so, close other programs that have the database file open."),
    ("disk is full", "Free some disk space and try again."),
    (
        "disk i/o error",
        "See whether the disk of the database file is well, and has room and quota left; then try again.",
    ),
    ("readonly", "Make the database file and its folder writable for this user."),
    ("unable to open", "Check that the folder of the database file exists and is writable for this user."),
    ("not a database", "The file is damaged or something else; move it away or set TUTOR_DATABASE_URL to another one."),
    ("constraint", "Nothing was stored. Reload the page, so that it shows what is there, and try again."),
)
_ANY_NEXT_STEP = "Check that the database runs and that TUTOR_DATABASE_URL is right, then try again."


def connect(url: str) -> Engine:
    """Make the engine for a SQLAlchemy URL; for SQLite also the folder of the file. Nothing is opened yet.

    Raises:
        StoreError: the URL is wrong, its driver is not installed, or the folder cannot be made.
    """
    try:
        address = make_url(url)
        backend = address.get_backend_name()
        if backend == "sqlite":
            _make_folder(address)
        # A server may have closed a pooled connection overnight; a file cannot.
        engine = create_engine(address, pool_pre_ping=backend != "sqlite")
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            "TUTOR_DATABASE_URL is not a database address. It looks like sqlite:////folder/tutor.db "
            "or postgresql://user:password@host/name."
        ) from error
    except ImportError as error:
        raise StoreError(
            f"The driver for this kind of database is not installed ({error}). "
            "Install that driver, or leave TUTOR_DATABASE_URL empty to use a SQLite file."
        ) from error
    if backend == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def plain_errors(engine: Engine, task: str) -> Iterator[None]:
    """Turn whatever the database raises inside into a ``StoreError`` that says what could not be done and what to do.

    Args:
        engine: whose address the sentence names, without the password.
        task: completes "The database could not …".
    """
    try:
        yield
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        said = (str(cause).strip() or type(cause).__name__).splitlines()[0]
        next_step = next((step for phrase, step in _NEXT_STEPS if phrase in said.lower()), _ANY_NEXT_STEP)
        where = engine.url.render_as_string(hide_password=True)
        raise StoreError(f"The database {where} could not {task}: {said}. {next_step}") from error


def _make_folder(address: URL) -> None:
    if address.database in (None, "", ":memory:"):
        raise StoreError(
            "A SQLite database in memory cannot be shared by the page and the checker. "
            "Set TUTOR_DATABASE_URL to a file, such as sqlite:////folder/tutor.db."
        )
    folder = Path(str(address.database)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} for the database cannot be made: {error.strerror}. "
            "Set TUTOR_HOME to a folder that this user may write to."
        ) from error


def _prepare_sqlite(connection: SqliteConnection, record: object) -> None:
    # Python's driver opens transactions late and never around CREATE TABLE; with None it leaves BEGIN to us.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
