"""Every conformance test runs on the fake and on a real SQLite file alike."""

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


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> Iterator[AnyStore]:
    kind: str = request.param
    made = MemoryStore(clock) if kind == "memory" else open_store(f"sqlite:///{tmp_path / 'tutor.db'}", clock)
    yield made
    made.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a database may be made: the folders do not exist yet, and the name needs care in an address."""
    return tmp_path / "made" / "on demand" / "tutor 50%.db"
