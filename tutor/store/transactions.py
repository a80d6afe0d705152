"""What every part of the store in a database stands on: one short transaction per method."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, Table, Update, insert
from sqlalchemy.exc import IntegrityError

from tutor.store.connect import plain_errors
from tutor.store.rules import Clock, utc_now


class Transactions:
    """An engine and a clock, and the ways to use them."""

    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self._engine, self._clock = engine, clock
        # A statement alone is a transaction; to begin and end it would be two more journeys to a server.
        alone = {} if engine.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
        self._alone = engine.execution_options(**alone)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _transaction(self, task: str) -> Iterator[Connection]:
        with plain_errors(self._engine, task), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _statement(self, task: str) -> Iterator[Connection]:
        """A transaction of one statement."""
        with plain_errors(self._engine, task), self._alone.begin() as connection:
            yield connection

    def _changes_one(self, change: Update, task: str) -> bool:
        with self._statement(task) as connection:
            return connection.execute(change).rowcount == 1

    def _insert_or_lose(self, table: Table, **values: object) -> bool:
        """Insert a row; False if another process was faster (or the row points nowhere)."""
        try:
            with self._alone.begin() as connection:
                connection.execute(insert(table).values(values))
        except IntegrityError:
            return False
        return True
