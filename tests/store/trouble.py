"""Databases in real trouble: a full disk and a lock that somebody else holds, each for as long as a test wants it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event

from tutor.errors import StoreError
from tutor.model import Submission, Verdict
from tutor.store.sql import SqlStore

ROOMY = 1 << 30
LARGE = "x" * 100_000  # fits into no page that is there already


class Disk:
    """The disk under a SQLite database. While it is full, SQLite itself refuses whatever needs one more page."""

    def __init__(self, engine: Engine) -> None:
        self._pages = ROOMY
        event.listen(engine, "checkout", self._limit)

    def fill(self) -> None:
        self._pages = 1  # SQLite takes the pages that are there for the least

    def empty(self) -> None:
        self._pages = ROOMY

    def _limit(self, connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {self._pages}").fetchall()


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another connection holds an exclusive transaction; it gives it back unchanged."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


class WatchedStore(SqlStore):
    """Counts how often the database refused what a worker asked of it."""

    refused: Counter[str]

    @contextmanager
    def _watch(self, call: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            self.refused[call] += 1
            raise

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        with self._watch("claim"):
            return super().claim(submission_id, worker, lease_seconds)

    def renew(self, submission_id: int, worker: str, lease_seconds: float) -> bool:
        with self._watch("renew"):
            return super().renew(submission_id, worker, lease_seconds)

    def finish(self, submission_id: int, worker: str, verdict: Verdict) -> bool:
        with self._watch("finish"):
            return super().finish(submission_id, worker, verdict)


def watched(store: SqlStore) -> WatchedStore:
    """The same database, watched."""
    made = WatchedStore(store._engine, store._clock)
    made.refused = Counter()
    return made
