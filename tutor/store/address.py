"""The address of a database as an operator writes it, read without ever repeating a password."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from tutor.errors import StoreError

SETTING = "TUTOR_DATABASE_URL"
EXAMPLES = "sqlite:////folder/tutor.db or postgresql://user:password@host/name"

# What may stand before “://” → the driver that is meant. Others are not tried by our tests, so they are not taken.
_SQLITE, _POSTGRESQL = "sqlite", "postgresql+psycopg"
_DRIVERS: Mapping[str, str] = {
    "sqlite": _SQLITE,
    "sqlite+pysqlite": _SQLITE,
    "postgres": _POSTGRESQL,
    "postgresql": _POSTGRESQL,
    "postgresql+psycopg": _POSTGRESQL,
}


def read_address(url: str, name: str = SETTING) -> URL:
    """Read an address.

    Args:
        url: what was written.
        name: what it is called in a complaint.

    Raises:
        StoreError: it is no address of SQLite or PostgreSQL.
    """
    try:
        address = make_url(url)
        driver = _DRIVERS[address.drivername]
    except (ArgumentError, ValueError, KeyError):
        # What SQLAlchemy says of an address may quote a part of its password.
        raise StoreError(f"{name} is not a database address. It looks like {EXAMPLES}.") from None
    if driver == _POSTGRESQL and url.count("@") > 1:
        # The first one ends the password, so a part of it would be taken for the host, and shown.
        raise StoreError(
            f"{name} has more than one @, so it is not clear where the password ends. "
            "Inside a user name or a password write @ as %40, : as %3A, / as %2F and % as %25."
        )
    if driver == _SQLITE and address.database in {None, "", ":memory:"}:
        raise StoreError(
            f"A SQLite database in memory cannot be shared by the page and the checker. "
            f"Set {name} to a file, such as sqlite:////folder/tutor.db."
        )
    return address.set(drivername=driver)


def shown(address: URL) -> str:
    """The address with stars for the password, and without the options behind it, one of which may be a password."""
    return address.set(drivername=address.get_backend_name(), query={}).render_as_string(hide_password=True)


def is_sqlite(address: URL) -> bool:
    """It names a file, not a server."""
    return address.drivername == _SQLITE


def file_of(address: URL) -> Path:
    """The file of a SQLite database."""
    return Path(str(address.database))
