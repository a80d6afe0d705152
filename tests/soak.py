"""Many mixed checks through the real checker, to see that nothing grows and every verdict is right: ``python tests/soak.py --checks 2000``.

A third of the checks are attacks; those that burn their whole time limit get a small, fixed share of them. Every report is taken at rest,
with nothing running but the workers that wait. Exit code: 0 if all is as it should be, 1 if not.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression

if __name__ == "__main__":  # run by its path, it finds neither the project nor the other tests by itself
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.attacking.canaries import Canaries, token
from tests.mixture import Job, drawn
from tutor.catalog import Catalog
from tutor.checking import Checker
from tutor.engine import open_catalog, open_checker
from tutor.settings import Settings

WORKERS, THREADS = 2, 2
GROWTH_MIB = {"app": 8.0, "zygote": 4.0}  # what the last quarter may lie above the second
SETTLED = 500  # checks
STEADY_SECONDS = 0.5
REST_SECONDS = 20.0


@dataclass(frozen=True)
class Sample:
    """What there is of everything after so many checks: resident MiB and open descriptors of app and zygote, and the processes."""

    checks: int
    app_mib: float
    app_files: int
    zygote_mib: float
    zygote_files: int
    children: int
    zombies: int
    tmp: int
    shm: int


class Soak:
    """The checker, what is sent through it, and what is seen of it."""

    def __init__(self, checker: Checker, catalog: Catalog, canaries: Canaries) -> None:
        self._checker, self._catalog, self._canaries = checker, catalog, canaries
        self._threads = ThreadPoolExecutor(THREADS)
        self.checks = 0
        self.samples: list[Sample] = []
        self.faults: list[str] = []

    def send(self, jobs: list[Job]) -> None:
        said = "".join(self._threads.map(self._one, jobs))
        self.checks += len(jobs)
        reached = self._canaries.tripped(said)
        if reached:
            self.faults.append(f"by check {self.checks}: reached {', '.join(sorted(reached))}")

    def _one(self, job: Job) -> str:
        try:
            verdict = self._checker.check(self._catalog[job.slug], job.source.encode(errors="surrogateescape"))
        except Exception as error:
            self.faults.append(f"{job.name}: {type(error).__name__}: {error}")
            return ""
        if not job.fits(verdict):
            self.faults.append(f"{job.name}: {verdict.status.value}, {verdict.ending.value}, seed {verdict.seed}")
        return repr(verdict.model_dump()).replace("\\n", "\n")

    def measure(self) -> Sample:
        """Wait until only the idle workers are there, then look."""
        children = self._rest()
        # What the allocator keeps for later comes and goes by tens of MiB; what is held is what could leak.
        ctypes.CDLL(None).malloc_trim(0)
        sample = Sample(
            self.checks,
            _resident_mib(os.getpid()),
            _files(os.getpid()),
            _resident_mib(self._zygote),
            _files(self._zygote),
            len(children),
            sum(_state(pid) == "Z" for pid in (*children, *_children(os.getpid()))),
            *(len(list(Path(folder).iterdir())) for folder in ("/tmp", "/dev/shm")),
        )
        self.samples.append(sample)
        return sample

    def _rest(self) -> list[int]:
        """The zygote's children, once they have been the same idle workers for a while: one on its way out counts as a child, too."""
        deadline = time.monotonic() + REST_SECONDS
        children, since = _children(self._zygote), time.monotonic()
        while time.monotonic() < deadline and (len(children) != WORKERS or time.monotonic() - since < STEADY_SECONDS):
            time.sleep(0.05)
            now = _children(self._zygote)
            if now != children:
                children, since = now, time.monotonic()
        return children

    @property
    def _zygote(self) -> int:
        pid = self._checker._pool.zygote_pid
        assert pid is not None
        return pid

    def close(self) -> None:
        self._threads.shutdown()
        zygote = self._zygote
        self._checker.close()
        if zygote in _children(os.getpid()):
            self.faults.append("the zygote outlived its checker")


def judged(samples: list[Sample]) -> list[str]:
    """What is not as it should be, by the figures alone."""
    found = []
    for name in ("app_files", "zygote_files", "children"):
        seen = sorted({getattr(sample, name) for sample in samples})
        if len(seen) > 1:
            found.append(f"{name} was not the same all the time: {seen}")
    if any(sample.zombies for sample in samples):
        found.append("there were zombies")
    if samples[-1].children != WORKERS:
        found.append(f"{samples[-1].children} children of the zygote at rest, not {WORKERS}")
    if samples[-1].checks < SETTLED:
        print(f"Memory is judged from {SETTLED} checks on: before, much is made that is made once.")
        return found
    for name, allowed in GROWTH_MIB.items():
        growth = _growth(samples, f"{name}_mib")
        print(f"{name}: {growth:+.1f} MiB from the second quarter to the last, {allowed:.0f} allowed")
        if growth > allowed:
            found.append(f"the memory of the {name} grew by {growth:.1f} MiB")
    return found


def _growth(samples: list[Sample], name: str) -> float:
    """By a straight line through all samples after the first quarter, between the middles of the second and of the last."""
    total = samples[-1].checks
    later = [sample for sample in samples if sample.checks > total / 4]
    slope, _ = linear_regression([sample.checks for sample in later], [getattr(sample, name) for sample in later])
    return slope * total / 2


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def _resident_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--checks", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    asked = parser.parse_args()
    each = max(5, min(100, asked.checks // 12))
    os.environ["TUTOR_CANARY"] = token("environment")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        canaries = Canaries(folder, None, os.environ["TUTOR_CANARY"], token("submission"))
        catalog = open_catalog(Settings())
        soak = Soak(
            open_checker(Settings(workers=WORKERS, case_seconds=0.8, check_seconds=2.0), catalog), catalog, canaries
        )
        jobs = drawn(canaries, asked.seed)
        started = time.monotonic()
        print(f"seed {asked.seed}; {asked.checks} checks, a report every {each}")
        print("checks  app MiB  files  zygote MiB  files  children  zombies  /tmp  /dev/shm  seconds")
        while soak.checks < asked.checks:
            soak.send([next(jobs) for _ in range(min(each, asked.checks - soak.checks))])
            s = soak.measure()
            print(
                f"{s.checks:6} {s.app_mib:8.1f} {s.app_files:6} {s.zygote_mib:11.1f} {s.zygote_files:6} {s.children:9} {s.zombies:8} "
                f"{s.tmp:5} {s.shm:9} {time.monotonic() - started:8.0f}",
                flush=True,
            )
        faults = judged(soak.samples)
        soak.close()
        canaries.close()
    faults = soak.faults + faults
    print(
        *faults,
        "All is as it should be." if not faults else f"{len(faults)} things are not as they should be.",
        sep="\n",
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
