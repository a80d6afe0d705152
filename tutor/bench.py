"""Measures what a verdict costs, in one run, beside the same work without walls. Nothing here is asserted; it is printed."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tutor.bench_walls import WallTimes, milliseconds
from tutor.checking import Checker
from tutor.content import Exercise
from tutor.errors import SandboxError
from tutor.expected import Reference
from tutor.judge import assess
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.proof import changed
from tutor.stages import Stages
from tutor.traps import Variant

WARM_UP = 10
SLEEPER = "\n_forward = MultiHeadAttention.forward\n\ndef _slow(self, *args, **kwargs):\n    import time\n    time.sleep(0.4)\n    return _forward(self, *args, **kwargs)\n\nMultiHeadAttention.forward = _slow\n"


class Times(BaseModel):
    """Milliseconds."""

    model_config = ConfigDict(frozen=True)

    median: float
    p95: float


class Report(BaseModel):
    """Everything one run of ``bench`` measured. ``None`` = this machine does not let it be measured."""

    model_config = ConfigDict(frozen=True)

    format: int = 1
    exercise: str
    runs: int
    device: str
    isolation: tuple[str, ...]
    floor_ms: Times
    verdict_ms: Times
    verdict_to_floor: float
    failing_ms: Times
    failing_minus_passing_ms: float
    unknown_fault_ms: Times
    verdicts_per_second: dict[int, float]
    waiting_worker_mib: float | None
    running_worker_mib: float | None
    zygote_mib: float | None
    start_to_first_verdict_seconds: float
    walls: WallTimes


def measure(
    checker: Checker, exercise: Exercise, zygote_pid: int | None, walls: WallTimes, *, workers: int, runs: int
) -> Report:
    """Measure with the reference as the submission.

    Args:
        checker: warm, with ``workers`` places.
        exercise: what is checked.
        zygote_pid: parent of the workers, for memory.
        walls: what they cost, measured before.
        workers: most verdicts at once.
        runs: verdicts and floors, taken in turn so that noise meets both alike.
    """
    floor, source = _floor(exercise), exercise.reference.encode()
    wrong, unknown = cycle(_wrong(exercise)), _unknown(exercise)
    jobs = (
        floor,
        lambda: checker.check(exercise, source),
        lambda: checker.check(exercise, next(wrong)),
        lambda: checker.check(exercise, unknown),
    )
    rounds = [[milliseconds(job) for job in jobs] for _ in range(runs + WARM_UP)][WARM_UP:]
    floors, verdicts, failing, unexplained = (list(column) for column in zip(*rounds, strict=True))
    floor_ms, verdict_ms = _times(floors), _times(verdicts)
    return Report(
        exercise=exercise.slug,
        runs=runs,
        device=checker.device,
        isolation=checker.proof.isolation,
        floor_ms=floor_ms,
        verdict_ms=verdict_ms,
        verdict_to_floor=round(verdict_ms.median / floor_ms.median, 2),
        failing_ms=_times(failing),
        failing_minus_passing_ms=round(statistics.median(failing) - verdict_ms.median, 1),
        unknown_fault_ms=_times(unexplained),
        verdicts_per_second={at_once: _rate(checker, exercise, at_once, runs) for at_once in range(1, workers + 1)},
        waiting_worker_mib=_workers_mib(zygote_pid),
        running_worker_mib=_running_mib(checker, exercise, zygote_pid),
        zygote_mib=_pss_mib(zygote_pid) if zygote_pid else None,
        start_to_first_verdict_seconds=_from_cold(exercise),
        walls=walls,
    )


def _floor(exercise: Exercise) -> Callable[[], object]:
    """The same cases, reference and judgement in this warm process: what a verdict cannot be quicker than."""
    reference, seeds = Reference(exercise), iter(range(1_000_000))

    def once() -> object:
        planned = plan(exercise, next(seeds))
        return assess(
            exercise, exercise.reference, observe_here(planned, exercise.reference), reference.observe(planned)
        )

    return once


def _wrong(exercise: Exercise) -> list[bytes]:
    """The reference with a known fault, or with two of different kinds, in turn through the whole dictionary."""
    variants = [variant for trap in exercise.traps for variant in trap.variants]
    half = len(variants) // 2
    sources = []
    for number, (one, other) in enumerate(zip(variants, variants[half:] + variants[:half], strict=True)):
        single = changed(exercise.reference, one, exercise)
        apart = not one.replace.keys() & other.replace.keys()
        sources.append(changed(single, other, exercise) if number % 3 == 0 and apart else single)
    return [source.encode() for source in sources]


def _unknown(exercise: Exercise) -> bytes:
    """A fault that nobody has catalogued: the whole dictionary is searched in vain."""
    stage = Stages(exercise, {}).names[0]
    return changed(exercise.reference, Variant(replace={stage: "1.07 * {}"}), exercise).encode()


def _times(values: list[float]) -> Times:
    return Times(median=round(statistics.median(values), 2), p95=round(statistics.quantiles(values, n=20)[-1], 2))


def _rate(checker: Checker, exercise: Exercise, at_once: int, runs: int) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as threads:
        list(threads.map(lambda _: checker.check(exercise, exercise.reference.encode()), range(runs)))
    return round(runs / (time.perf_counter() - started), 1)


def _running_mib(checker: Checker, exercise: Exercise, zygote_pid: int | None) -> float | None:
    """The largest worker while one of them is in the middle of a check."""
    thread = threading.Thread(target=checker.check, args=(exercise, (exercise.reference + SLEEPER).encode()))
    thread.start()
    largest = None
    while thread.is_alive():
        time.sleep(0.1)
        found = _workers_mib(zygote_pid, most=True)
        largest = max(filter(None, (largest, found)), default=None)
    return largest


def _workers_mib(zygote_pid: int | None, *, most: bool = False) -> float | None:
    """PSS of the zygote's children: the median, or the most."""
    if zygote_pid is None:
        return None
    try:
        pids = Path(f"/proc/{zygote_pid}/task/{zygote_pid}/children").read_text().split()
    except OSError:
        return None
    sizes = [size for size in (_pss_mib(int(pid)) for pid in pids) if size is not None]
    return (max(sizes) if most else statistics.median(sizes)) if sizes else None


def _pss_mib(pid: int) -> float | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        # A worker is not dumpable, so only root may look.
        return None
    return round(sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1_024, 1)


def _from_cold(exercise: Exercise) -> float:
    """Seconds from starting a new process to its first verdict, with everything it needs to import and start."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(exercise.reference)
        file.flush()
        command = [sys.executable, "-m", "tutor", "check", exercise.slug, file.name, "--json"]
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            first = process.stdout.readline() if process.stdout else b""
            seconds = time.perf_counter() - started
    if not first:
        raise SandboxError("A new process gave no verdict; python -m tutor doctor says why.")
    return round(seconds, 2)
