"""Bringing a database to the schema of this version, safely even when several processes start at the same moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, func, inspect, select, text

from tutor.errors import StoreError
from tutor.store.address import file_of, shown
from tutor.store.connect import plain_errors

if TYPE_CHECKING:
    from alembic.config import Config

# The newest revision under migrations/versions. Known here so that an ordinary start need not load Alembic.
HEAD = "0007"

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_SECONDS = 30.0
_ADVISORY_KEY = 0x7475746F72  # "tutor"


def bring_up_to_date(engine: Engine) -> None:
    """Create or upgrade the tables in one transaction: all of it or nothing.

    Raises:
        StoreError: the database was written by a newer version, is held by another start for too long, or refuses.
    """
    with plain_errors(engine, "be prepared"), _alone(engine), engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_SECONDS:.3f}s'")
            connection.execute(select(func.pg_advisory_xact_lock(_ADVISORY_KEY)))
        current = revision(connection)
        if current != HEAD:
            _require_unicode(connection)
            _upgrade(connection, current)


def revision(connection: Connection) -> str | None:
    """The revision the database is at; None when it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration for one open connection; there is no alembic.ini."""
    from alembic.config import Config  # noqa: PLC0415 - a third of a second that only an upgrade should cost

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _upgrade(connection: Connection, current: str | None) -> None:
    from alembic import command  # noqa: PLC0415 - as above
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = alembic_config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise StoreError(
            f"The database {shown(connection.engine.url)} was written by a newer version of the tutor: its schema is {current!r}, this version "
            f"knows up to {HEAD!r}. Nothing was changed. Install the newer version, or name another database in TUTOR_DATABASE_URL."
        )
    command.upgrade(config, "head")


def _require_unicode(connection: Connection) -> None:
    """A SQLite file always holds every character. A server may have been set up for a few, and would refuse drafts with others."""
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise StoreError(
            f"The database {shown(connection.engine.url)} has the encoding {encoding}, in which not every text can be kept. "
            "Nothing was changed. Make it anew: CREATE DATABASE name OWNER user ENCODING 'UTF8' TEMPLATE template0."
        )


@contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    """Hold a file lock beside a SQLite file. It also covers the switch to WAL, which busy_timeout does not."""
    if engine.dialect.name != "sqlite":
        yield
        return
    path = file_of(engine.url).with_name(f"{file_of(engine.url).name}.lock")
    try:
        path.touch()  # where that cannot be done, the lock would only wait in vain
        with FileLock(path, timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise StoreError(
            f"Another start of the tutor has held {path} for {LOCK_SECONDS:.0f} s. Stop it, then start again."
        ) from None
    except OSError as error:
        raise StoreError(
            f"The file {path} beside the database cannot be written: {error.strerror}. "
            "Set TUTOR_HOME to a folder that this user may write to."
        ) from error
