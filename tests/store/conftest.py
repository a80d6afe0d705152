"""Every conformance test runs on the fake, on a real SQLite file and on a real PostgreSQL server alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.samples import AnyStore, ManualClock
from tutor.store.memory import MemoryStore
from tutor.store.sql import open_store


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, clock: ManualClock) -> Iterator[AnyStore]:
    kind: str = request.param
    made = MemoryStore(clock) if kind == "memory" else open_store(request.getfixturevalue(f"{kind}_url"), clock)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """The address of a database with nothing in it, of each kind."""
    found: str = request.getfixturevalue(f"empty_{request.param}_url")
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a database may be made: the folders do not exist yet, and the name needs care in an address."""
    return tmp_path / "made" / "on demand" / "tutor 50%.db"
