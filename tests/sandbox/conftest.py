from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tutor.sandbox.inside.policy import MIB
from tutor.sandbox.launcher import Configuration
from tutor.sandbox.pool import Pool, Run

HERE = Path(__file__).resolve().parent
MEMORY_MIB = 256
PRINT_BYTES = 2_000

Ask = Callable[..., Run]


def configuration(without: Sequence[str] = ()) -> Configuration:
    return Configuration(MEMORY_MIB * MIB, frozenset(without), HERE / "observer.py")


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool(workers=2, memory_mib=MEMORY_MIB, print_bytes=PRINT_BYTES, configuration=configuration()) as started:
        yield started


@pytest.fixture
def ask(pool: Pool) -> Ask:
    """Run a piece of source in the sandbox."""

    def run(source: str, *tensors: torch.Tensor, seconds: float = 10.0, body: int = 1_000_000) -> Run:
        return pool.run(
            {"source": source}, tensors, case_seconds=seconds, check_seconds=2 * seconds, max_body_bytes=body
        )

    return run


def header(run: Run, index: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(run.frames[index].header)
    return value
