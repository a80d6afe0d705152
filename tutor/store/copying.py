"""Every row of one database into another, empty one, all of them or none: from a SQLite file to a server, or back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Table, func, insert, select

from tutor.errors import StoreError
from tutor.store.address import file_of, is_sqlite, read_address, shown
from tutor.store.connect import connect, plain_errors
from tutor.store.migrate import HEAD, bring_up_to_date, revision
from tutor.store.tables import metadata

BATCH = 200  # rows at once; a submission with its verdict may have 100 KB
FIRST, SECOND = "The first address", "The second address"


def copy_database(source_url: str, target_url: str, told: Callable[[str, int], None]) -> tuple[str, str]:
    """Copy the rows as they are at one moment; the first database is only read.

    Args:
        source_url: where the rows are.
        target_url: an empty database, whose tables are made.
        told: hears the name of each table and how many rows were copied.

    Returns:
        Both addresses as they may be shown.

    Raises:
        StoreError: an address is wrong, a database refuses, the first is of another version, or the second has rows. Nothing is stored then.
    """
    _require_source(source_url)
    with ExitStack() as stack:
        source, target = connect(source_url, FIRST), connect(target_url, SECOND)
        for engine in (source, target):
            stack.callback(engine.dispose)
        with _snapshot(source) as old:
            _require_version(old)
            bring_up_to_date(target)
            with plain_errors(target, "take the copy"), target.begin() as new:
                _require_empty(new)
                for table in metadata.sorted_tables:
                    told(table.name, _copy(table, old, new))
        return shown(source.url), shown(target.url)


def _require_source(url: str) -> None:
    address = read_address(url, FIRST)
    # To open a file that is not there would make it.
    if is_sqlite(address) and not file_of(address).is_file():
        raise StoreError(
            f"There is no database file {file_of(address)}, so there is nothing to copy. Correct the first address."
        )


@contextmanager
def _snapshot(source: Engine) -> Iterator[Connection]:
    """One transaction that sees every table at the same moment. A file always does so."""
    server = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    engine = source if source.dialect.name == "sqlite" else source.execution_options(**server)
    with plain_errors(source, "be copied"), engine.begin() as connection:
        yield connection


def _require_version(old: Connection) -> None:
    found = revision(old)
    if found != HEAD:
        what = "no table of the tutor" if found is None else f"the schema {found!r}"
        raise StoreError(
            f"The database {shown(old.engine.url)} has {what}, and only the schema {HEAD!r} is copied. Nothing was changed. "
            "Start the tutor with it once: that brings an older one up to date."
        )


def _require_empty(new: Connection) -> None:
    full = [table.name for table in metadata.sorted_tables if new.execute(select(table).limit(1)).first() is not None]
    if full:
        raise StoreError(
            f"The database {shown(new.engine.url)} has rows already ({', '.join(full)}). Nothing was changed. "
            "Only an empty database takes a copy: make a new one, or remove that one."
        )


def _copy(table: Table, old: Connection, new: Connection) -> int:
    """Copy one table and count it on both sides."""
    to_server = new.dialect.name == "postgresql"
    for rows in _batches(table, old):
        new.execute(insert(table), [_without_nul(row) for row in rows] if to_server else rows)
    if to_server:
        _prepare(table, new)
    wanted, found = _count(table, old), _count(table, new)
    if wanted != found:
        raise StoreError(f"Of {wanted} rows of {table.name} {found} arrived. Nothing was stored. Please report this.")
    return found


def _batches(table: Table, old: Connection) -> Iterator[list[dict[str, Any]]]:
    chosen = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=BATCH)
    with plain_errors(old.engine, "be read"), old.execute(chosen) as result:
        for rows in result.mappings().partitions():
            yield [dict(row) for row in rows]


def _count(table: Table, connection: Connection) -> int:
    with plain_errors(connection.engine, "be counted"):
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _without_nul(row: dict[str, Any]) -> dict[str, Any]:
    """A server keeps no NUL. No text of the tutor should have one; if one has, its database must be able to move all the same."""
    return {
        name: value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
        for name, value in row.items()
    }


def _prepare(table: Table, new: Connection) -> None:
    """Let the server count on behind the highest number, and look at the table, so that it knows from the start how to search it."""
    counter = table.autoincrement_column
    if counter is not None:
        sequence = func.pg_get_serial_sequence(table.name, counter.name)
        new.execute(select(func.setval(sequence, func.max(counter))))
    new.exec_driver_sql(f"ANALYZE {table.name}")
