"""A store in memory, and sweeps that come quickly."""

from __future__ import annotations

import pytest

from tutor.store.memory import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def quick_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.worker.SWEEP_SECONDS", 0.05)
