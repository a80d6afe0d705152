"""Workers without a zygote, as macOS, Windows and CUDA need them, tried on Linux: the same walls, endings and limits."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import psutil
import pytest
import torch

from tests.sandbox.conftest import PRINT_BYTES, configuration, forking, header
from tests.waiting import eventually
from tutor.errors import SandboxError, WallMissing
from tutor.sandbox import spawned
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside.policy import MIB
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.launcher import Configuration
from tutor.sandbox.pool import Pool, Run
from tutor.sandbox.spawned import Spawner
from tutor.sandbox.worker import Worker

pytestmark = pytest.mark.sandbox


def spawning(workers: int = 1, chosen: Configuration | None = None) -> Pool:
    chosen = chosen or configuration()
    return Pool(lambda: Spawner(chosen), workers=workers, print_bytes=PRINT_BYTES)


@pytest.fixture(scope="module")
def spawn_pool() -> Iterator[Pool]:
    with spawning(workers=2) as started:
        yield started


def asked(pool: Pool, source: str, *tensors: torch.Tensor, seconds: float = 10.0) -> Run:
    return pool.run(
        {"source": source}, tensors, case_seconds=seconds, check_seconds=2 * seconds, max_body_bytes=20_000_000
    )


def test_the_walls_are_those_of_a_forked_worker(spawn_pool: Pool) -> None:
    """What forking shares, each process has for itself."""
    with forking() as other:
        assert spawn_pool.proof.isolation == other.proof.isolation
        assert (spawn_pool.proof.each_alone, other.proof.each_alone) == (False, True)


def test_jobs_and_results_of_any_size_make_the_round_trip(spawn_pool: Pool) -> None:
    """More than any pipe holds in both directions, with printed text beside it."""
    big = torch.randn(3_000_000)
    run = asked(spawn_pool, "print('x' * 100_000)\nresults = [tensors[0] + 1]", big)
    assert run.ending == "done"
    assert torch.equal(run.frames[0].tensors[0], big + 1)
    assert run.printed.startswith("x" * PRINT_BYTES + "\n[…")


@pytest.mark.parametrize(
    ("source", "ending", "code", "number"),
    [
        pytest.param("import os\nos._exit(7)", "exited", 7, None, id="exit"),
        pytest.param("import ctypes\nctypes.string_at(0)", "signalled", None, signal.SIGSEGV, id="null pointer"),
        pytest.param("while True: pass", "timed_out", None, None, id="loop"),
        pytest.param("while True: print('x' * 10_000)", "timed_out", None, None, id="flood"),
        pytest.param("import os\nos.write(201, b'x' * 99)", "garbage", None, None, id="garbage"),
        pytest.param("import os\nos.write(201, b'TUT1\\6' + bytes(3) + b'\\xff' * 12)", "too_big", None, None, id="huge"),
    ],
)  # fmt: skip
def test_every_ending_is_told_apart(
    spawn_pool: Pool, source: str, ending: str, code: int | None, number: int | None
) -> None:
    """The same words for the same ends as of a forked worker."""
    run = asked(spawn_pool, source, seconds=1.0)
    assert (run.ending, run.exit_code, run.signal) == (ending, code, number)


def test_a_memory_bomb_is_a_clean_error(spawn_pool: Pool) -> None:
    """On Linux the limit is the system's own."""
    assert header(asked(spawn_pool, "bytearray(1 << 40)"))["error"] == "MemoryError"


def test_a_worker_whose_system_sets_no_bound_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: who holds more memory than allowed is ended, and it is told as memory."""
    monkeypatch.setattr(spawned, "_hold", lambda process, memory_bytes: False)
    unbounded = replace(configuration(missing=["rlimits"]), memory_bytes=64 * MIB)
    run = conversed(Spawner(unbounded).fork(), "keep = []\nwhile True: keep.append(bytearray(b'x' * (1 << 20)))")
    assert (run.ending, run.out_of_memory) == ("exited", True)


def test_a_worker_that_nobody_can_watch_over_is_ended_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system stops telling how much memory it holds, it is not run on, and not at the student's cost."""
    worker = Spawner(configuration()).fork()
    worker.watch_over(64 * MIB)
    told = iter([worker._held()])

    def held() -> int:
        for size in told:
            return size
        raise SandboxError("not told")

    monkeypatch.setattr(worker, "_held", held)
    with pytest.raises(SandboxError, match="run the check again"):
        conversed(worker, "import time\ntime.sleep(20)")


def test_a_pool_that_is_closed_ends_what_it_runs() -> None:
    """As with a zygote: the run in progress is told as ours, and its process is gone."""
    pool = spawning().start()
    pids: list[int] = []
    problems: list[BaseException] = []

    def endless() -> None:
        try:
            asked(pool, "while True: pass", seconds=60)
        except SandboxError as error:
            problems.append(error)

    assert eventually(lambda: len(pool._idle) == 1)
    pids.append(pool._idle[0].pid)
    runner = threading.Thread(target=endless)
    runner.start()
    assert eventually(lambda: pids[0] not in [worker.pid for worker in pool._idle])
    pool.close()
    runner.join(10)
    assert len(problems) == 1
    assert not psutil.pid_exists(pids[0])


def conversed(worker: Worker, source: str) -> Run:
    payload = pieces({"source": source, "shapes": []}, [], Kind.JOB)
    return Conversation(worker, payload, Limits(5, 5, 1_000, 1_000)).run()


def test_a_worker_killed_from_outside_is_reported_as_such(spawn_pool: Pool) -> None:
    """SIGKILL by somebody else is an end by signal 9; who did it is for the caller to decide."""
    runs: list[Run] = []
    worker = spawn_pool._take()
    runner = threading.Thread(target=lambda: runs.append(conversed(worker, "import time\ntime.sleep(20)")))
    runner.start()
    time.sleep(0.3)
    os.kill(worker.pid, signal.SIGKILL)
    runner.join(10)
    assert (runs[0].ending, runs[0].signal) == ("signalled", signal.SIGKILL)


def test_nothing_is_left_of_a_closed_pool(spawn_pool: Pool) -> None:
    """Neither a process nor a descriptor nor a thread."""
    assert eventually(lambda: len(spawn_pool._idle) == 2)  # it starts no more meanwhile
    before = possessions()
    with spawning() as pool:
        asked(pool, "answer = 1")
    # What was still ending before may have ended meanwhile.
    assert eventually(lambda: all(now <= was for now, was in zip(possessions(), before, strict=True)))


def possessions() -> tuple[int, int, int]:
    own = psutil.Process()
    return own.num_fds(), len(own.children()), threading.active_count()


def test_a_missing_wall_refuses_here_too() -> None:
    """The start-up test is the same."""
    with pytest.raises(WallMissing, match="no student code will be run"):
        spawning(chosen=configuration(missing=["seccomp"])).start()
