"""Opening a database, and saying in plain words what went wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from tutor.errors import StoreError
from tutor.store.address import SETTING, file_of, is_sqlite, read_address, shown

BUSY_SECONDS = 10.0

_PRAGMAS = (
    f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)

# A server may be far away and fall silent; nobody waits for it for minutes. What the address itself says goes before.
_ARGUMENTS: Mapping[str, str | int] = {
    "application_name": "attention-tutor",
    "client_encoding": "utf8",
    "connect_timeout": int(BUSY_SECONDS),
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": int(BUSY_SECONDS * 1000),
}
# Every statement of the store is right at this level, and at no other is it never told to try again.
_OPTIONS = rf"-c default_transaction_isolation=read\ committed -c lock_timeout={int(BUSY_SECONDS * 1000)}"

# What a database says, or its SQLSTATE in brackets, since a server may speak any language → what to do about it.
# The first that occurs wins.
_NEXT_STEPS = (
    ("[55p03]", "Try again in a moment; if it stays so, stop other programs that use this database."),
    ("[53100]", "Free some disk space on the machine of the database and try again."),
    ("[42501]", "Let this user own the database: ALTER DATABASE name OWNER TO user."),
    ("[25006]", "This server only lets itself be read. Name the one that takes what is written."),
    ("[23", "Nothing was stored. Reload the page, so that it shows what is there, and try again."),
    ("locked", "Try again in a moment; if it stays so, close other programs that have the database file open."),
    ("disk is full", "Free some disk space and try again."),
    (
        "disk i/o error",
        "See whether the disk of the database file is well, and has room and quota left; then try again.",
    ),
    ("readonly", "Make the database file and its folder writable for this user."),
    ("unable to open", "Check that the folder of the database file exists and is writable for this user."),
    ("not a database", f"The file is damaged or something else; move it away or set {SETTING} to another one."),
    ("constraint", "Nothing was stored. Reload the page, so that it shows what is there, and try again."),
    ("password", "Check the user and the password in the address; there, @ : / and % are written %40 %3A %2F and %25."),
    ("does not exist", "Make it (CREATE USER name PASSWORD '…'; CREATE DATABASE name OWNER user), or correct the address."),
    ("too many", "Close other programs that use this server, or raise its max_connections."),
    ("remaining connection slots", "Close other programs that use this server, or raise its max_connections."),
    ("closed", "It is connected to anew by itself; try again in a moment. If it stays so, see whether the server runs."),
)  # fmt: skip
_ANY_NEXT_STEP = "Check that the database runs and that its address is right, then try again."


def connect(url: str, name: str = SETTING) -> Engine:
    """Make the engine for an address; for SQLite also the folder of the file. Nothing is opened yet.

    Args:
        url: a SQLAlchemy URL of SQLite or PostgreSQL.
        name: what the address is called in a complaint.

    Raises:
        StoreError: the address is wrong, its driver is not installed, or the folder cannot be made.
    """
    address = read_address(url, name)
    return _file(address) if is_sqlite(address) else _server(address)


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
        sign = f"{said} [{getattr(cause, 'sqlstate', None)}]".lower()
        next_step = next((step for phrase, step in _NEXT_STEPS if phrase in sign), _ANY_NEXT_STEP)
        raise StoreError(f"The database {shown(engine.url)} could not {task}: {said}. {next_step}") from error


def _file(address: URL) -> Engine:
    folder = file_of(address).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} for the database cannot be made: {error.strerror}. "
            "Set TUTOR_HOME to a folder that this user may write to."
        ) from error
    engine = create_engine(address)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _server(address: URL) -> Engine:
    arguments = {name: value for name, value in _ARGUMENTS.items() if name not in address.query}
    asked = address.query.get("options", ())
    options = " ".join([_OPTIONS, *([asked] if isinstance(asked, str) else asked)])
    try:
        # A server may have closed a connection that was kept: each is tried before it is used.
        return create_engine(
            address, pool_pre_ping=True, pool_timeout=BUSY_SECONDS, connect_args={**arguments, "options": options}
        )
    except ImportError as error:
        raise StoreError(
            f"The driver for PostgreSQL is not installed ({error}). Install it with "
            f"“pip install -r requirements-server.txt”, or leave {SETTING} empty to use a SQLite file."
        ) from error


def _prepare_sqlite(connection: SqliteConnection, record: object) -> None:
    # Python's driver opens transactions late and never around CREATE TABLE; with None it leaves BEGIN to us.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
