"""The ways to back up and restore of docs/operating.md: what was saved while the tutor went on is a whole database."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path

from tests.postgres import Postgres
from tests.store.samples import SLUG
from tests.store.test_copying import lived_in, rows
from tutor.store.sql import open_store


def test_a_file_is_saved_while_it_is_in_use(sqlite_url: str, tmp_path: Path) -> None:
    """Without its companions and in the middle of the work; what is handed in afterwards is not in it."""
    lived_in(sqlite_url)
    before, store = rows(sqlite_url), open_store(sqlite_url)
    with sqlite3.connect(tmp_path / "tutor.db") as connection:
        connection.execute("VACUUM INTO ?", [str(tmp_path / "saved.db")])
    connection.close()
    store.add_submission(store.local_learner().id, SLUG, 1, "after")
    store.close()
    assert rows(f"sqlite:///{tmp_path / 'saved.db'}") == before


def test_a_server_is_saved_while_it_is_in_use(
    postgres: Postgres, postgresql_url: str, empty_postgresql_url: str, tmp_path: Path
) -> None:
    """The owner of the database may do all of it; numbers go on where they were."""
    lived_in(postgresql_url)
    before, store = rows(postgresql_url), open_store(postgresql_url)
    saved = str(tmp_path / "tutor.dump")
    run(postgres, "pg_dump", "--format=custom", f"--file={saved}", postgresql_url)
    store.add_submission(store.local_learner().id, SLUG, 1, "after")
    store.close()
    whole = ("--exit-on-error", "--single-transaction", "--no-owner")
    run(postgres, "pg_restore", *whole, f"--dbname={empty_postgresql_url}", saved)
    assert rows(empty_postgresql_url) == before
    restored = open_store(empty_postgresql_url)
    assert restored.add_submission(1, SLUG, 1, "next").id == 6
    restored.close()


def run(server: Postgres, program: str, *arguments: str) -> None:
    subprocess.run([str(server.programs / program), *arguments], check=True, timeout=60)
