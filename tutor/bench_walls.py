"""Measures what the walls cost, and how soon hostile code is ended. Printed by ``bench``, never asserted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict

from tutor.checking import Checker
from tutor.content import Exercise
from tutor.sandbox.worker import Source

WARM_UP, HOSTILE_RUNS = 20, 5
ENDLESS = b"while True:\n    pass\n"
BOMB = b"keep = []\nwhile True:\n    keep.append(bytearray(1 << 20))\n"


class WallTimes(BaseModel):
    """Milliseconds, medians. ``None`` where workers are not forked.

    Args:
        bare_fork_ms: a worker without any wall, until it says that it is ready.
        confined_fork_ms: the same with all of them.
        confinement_ms: the median difference of the two, forked one after the other.
        after_time_limit_ms: from the time limit of an endless loop to its verdict.
        memory_bomb_ms: from handing in a text that takes ever more memory to its verdict.
    """

    model_config = ConfigDict(frozen=True)

    bare_fork_ms: float | None
    confined_fork_ms: float | None
    confinement_ms: float | None
    after_time_limit_ms: float
    memory_bomb_ms: float


def measure_walls(source: Source, checker: Checker, exercise: Exercise, *, case_seconds: float, runs: int) -> WallTimes:
    """Measure on a quiet machine.

    Args:
        source: ready, and used by nobody else.
        checker: warm.
        exercise: what is checked.
        case_seconds: the checker's limit for one case.
        runs: pairs of workers forked.
    """
    bare, confined = _forks(source, runs) if source.cheap else ([], [])
    late = [milliseconds(lambda: checker.check(exercise, ENDLESS)) - case_seconds * 1_000 for _ in range(HOSTILE_RUNS)]
    bombs = [milliseconds(lambda: checker.check(exercise, BOMB)) for _ in range(HOSTILE_RUNS)]
    added = [all_ - none for none, all_ in zip(bare, confined, strict=True)]
    return WallTimes(
        bare_fork_ms=_median(bare),
        confined_fork_ms=_median(confined),
        confinement_ms=_median(added),
        after_time_limit_ms=round(statistics.median(late), 1),
        memory_bomb_ms=round(statistics.median(bombs), 1),
    )


def _forks(source: Source, runs: int) -> tuple[list[float], list[float]]:
    """A worker without walls and one with all of them in turn, so that noise meets both alike."""
    found = [(_fork(source, ()), _fork(source, None)) for _ in range(runs + WARM_UP)][WARM_UP:]
    bare, confined = (list(column) for column in zip(*found, strict=True))
    return bare, confined


def _fork(source: Source, only: Sequence[str] | None) -> float:
    started = time.perf_counter()
    worker = source.fork(only)
    taken = (time.perf_counter() - started) * 1_000
    worker.close()
    return taken


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1_000


def _median(values: Sequence[float]) -> float | None:
    return round(statistics.median(values), 2) if values else None
