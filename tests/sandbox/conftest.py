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
from tutor.sandbox.zygote import Zygote

HERE = Path(__file__).resolve().parent
MEMORY_MIB = 256
PRINT_BYTES = 2_000

Ask = Callable[..., Run]


def configuration(missing: Sequence[str] = (), idle: Sequence[str] = ()) -> Configuration:
    return Configuration(MEMORY_MIB * MIB, frozenset(missing), frozenset(idle), HERE / "observer.py")


def forking(workers: int = 1, missing: Sequence[str] = (), idle: Sequence[str] = (), *, unsafe: bool = False) -> Pool:
    """A pool on a zygote with the stand-in observer, not yet started."""
    chosen = configuration(missing, idle)
    return Pool(lambda: Zygote(chosen), workers=workers, print_bytes=PRINT_BYTES, unsafe=unsafe)


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with forking(workers=2) as started:
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
