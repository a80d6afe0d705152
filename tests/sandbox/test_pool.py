"""The pool: one job per worker, every way a job can end, and what happens when processes die."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from tests.sandbox.conftest import PRINT_BYTES, Ask, forking, header
from tests.waiting import eventually
from tutor.errors import SandboxError
from tutor.sandbox.inside import policy
from tutor.sandbox.pool import Pool, Run

pytestmark = pytest.mark.sandbox


def test_tensors_and_header_make_the_round_trip(ask: Ask) -> None:
    """What the job carries arrives in the worker, and what comes back is what the worker computed."""
    q, k = torch.randn(2, 3, 4, dtype=torch.float64), torch.randn(2, 5, 4, dtype=torch.float64)
    run = ask("results = [tensors[0] @ tensors[1].mT]\nanswer = 'ä'", q, k)
    assert run.ending == "done"
    assert header(run) == {"answer": "ä"}
    assert torch.allclose(run.frames[0].tensors[0], q @ k.mT)
    assert header(run, 1) == {"done": True}
    assert (run.signal, run.exit_code, run.timed_out_after, run.out_of_memory) == (None, None, None, False)


def test_a_job_larger_than_every_pipe_arrives(ask: Ask) -> None:
    """Neither side waits for the other for ever when job and result are both large."""
    big = torch.randn(3_000_000)
    run = ask("print('x' * 200_000)\nresults = [tensors[0] + 1]", big, body=13_000_000)
    assert run.ending == "done"
    assert torch.equal(run.frames[0].tensors[0], big + 1)


def test_each_job_has_a_fresh_worker(ask: Ask) -> None:
    """Nothing one job leaves behind is seen by the next."""
    ask("import torch, builtins\nbuiltins.left = 1\ntorch.allclose = None")
    assert header(ask("import torch, builtins\nanswer = [hasattr(builtins, 'left'), torch.allclose is None]")) == {
        "answer": [False, False]
    }


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("while True: pass", id="loop"),
        pytest.param("import signal\nfor n in range(1, 65):\n try: signal.signal(n, signal.SIG_IGN)\n except Exception: pass\nwhile True: pass", id="signals ignored"),
        pytest.param("import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')", id="regular expression"),
        pytest.param("import time\ntime.sleep(60)", id="sleep"),
        pytest.param("import os\nos.close(201)\nwhile True: pass", id="result pipe closed"),
    ],
)  # fmt: skip
def test_what_never_ends_is_ended_at_the_limit(ask: Ask, source: str) -> None:
    """The deadline is kept from outside, soon after the limit."""
    run = ask(source, seconds=0.4)
    assert (run.ending, run.timed_out_after) == ("timed_out", 0.4)
    assert run.seconds < 2.0


def test_each_frame_restarts_the_clock_of_a_case_but_not_of_the_check(pool: Pool) -> None:
    """Many quick cases are stopped by the limit of the whole check."""
    source = "import time\nwhile True:\n    emit({}, [])\n    time.sleep(0.02)"
    run = pool.run({"source": source}, [], case_seconds=1.0, check_seconds=1.5, max_body_bytes=1_000)
    assert (run.ending, run.timed_out_after) == ("timed_out", 1.5)
    assert len(run.frames) > 3


@pytest.mark.parametrize(
    ("source", "error"),
    [
        pytest.param("bytearray(1 << 40)", "MemoryError", id="bytes"),
        pytest.param("keep = []\nwhile True: keep.append(bytearray(1 << 20))", "MemoryError", id="growing"),
        pytest.param("keep = []\nwhile True: keep.append([0] * 1000)", "MemoryError", id="small objects"),
        pytest.param("import torch\ntorch.ones(1 << 34)", "RuntimeError", id="tensor"),
        pytest.param("import torch\nresults = [torch.ones(1).expand(1 << 40)]", "MemoryError", id="result"),
    ],
)
def test_a_memory_bomb_is_a_clean_error_of_the_student(ask: Ask, source: str, error: str) -> None:
    """More than the budget raises in the student's code and is reported, quickly."""
    run = ask(source)
    assert run.ending == "done"
    assert header(run)["error"] == error


def test_a_budget_that_is_left_empty_is_told_by_the_exit_code(ask: Ask) -> None:
    """If not even the report fits, the run still says that it was memory."""
    run = ask(f"import os\nos._exit({policy.EXIT_OUT_OF_MEMORY})")
    assert (run.ending, run.out_of_memory) == ("exited", True)


@pytest.mark.parametrize(
    ("source", "ending", "code", "number"),
    [
        pytest.param("import os\nos._exit(0)", "exited", 0, None, id="os._exit(0)"),
        pytest.param("import os\nos._exit(7)", "exited", 7, None, id="os._exit(7)"),
        pytest.param("import sys\nsys.exit(0)", "exited", 98, None, id="sys.exit past the observer"),
        pytest.param("import ctypes\nctypes.string_at(0)", "signalled", None, signal.SIGSEGV, id="null pointer"),
    ],
)
def test_a_process_that_ends_early_is_never_done(
    ask: Ask, source: str, ending: str, code: int | None, number: int | None
) -> None:
    """Exit code 0 without a last frame is an end, not a result."""
    run = ask(source)
    assert (run.ending, run.exit_code, run.signal) == (ending, code, number)
    assert run.frames == ()


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        pytest.param("import os\nos.write(201, b'{\"done\": true}' * 9)\nos._exit(0)", "garbage", id="text"),
        pytest.param("import os\nos.write(201, b'TUT1\\6' + bytes(3) + b'\\xff' * 12)", "too_big", id="huge frame"),
        pytest.param("import torch\nresults = [torch.ones(1_000_000)]", "too_big", id="huge result"),
        pytest.param("emit({'x': 'y' * 1_000_000}, [])", "too_big", id="huge header"),
        pytest.param("import os\nos.write(201, b'TUT1\\1' + bytes(15))\nwhile True: pass", "garbage", id="forged kind"),
    ],
)
def test_bytes_beyond_the_protocol_end_the_run(ask: Ask, source: str, ending: str) -> None:
    """Whatever is written into the result pipe, it is cut off and named."""
    assert ask(source).ending == ending


def test_printed_text_is_kept_up_to_the_cap_and_cleaned(ask: Ask) -> None:
    """Printing is shown as text: no control characters, surrogates written out, the rest said to be cut."""
    run = ask("import sys\nprint('a\\tb\\x1b[31m\\x00 \\ud800 é')\nprint('warn', file=sys.stderr)")
    assert run.printed == "a\tb[31m \\ud800 é\nwarn\n"
    run = ask("print('x' * 100_000)")
    assert run.ending == "done"
    assert run.printed.startswith("x" * PRINT_BYTES + "\n[…")


def test_endless_printing_neither_blocks_nor_grows(ask: Ask) -> None:
    """A flood is read and thrown away until the deadline."""
    run = ask("while True: print('x' * 10_000)", seconds=0.5)
    assert run.ending == "timed_out"
    assert len(run.printed) < PRINT_BYTES + 200


def test_ordinary_torch_works_behind_the_walls(ask: Ask) -> None:
    """What demo code below a class may do: train, transform, print, compare, compile."""
    source = """
import torch
from torch import nn
torch.set_num_threads(8)
@torch.compile
def double(x): return x * 2
layer = torch.compile(nn.Linear(4, 4))
for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
    step = make(layer.parameters(), lr=0.1)
    step.zero_grad()
    layer(torch.randn(3, 4)).square().sum().backward()
    step.step()
x = torch.randn(3, 4)
torch.func.vmap(torch.func.grad(lambda row: double(row).sum()))(x)
torch.testing.assert_close(double(x), x + x)
torch.autograd.gradcheck(lambda v: v ** 3, torch.randn(2, dtype=torch.float64, requires_grad=True))
nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
torch.optim.lr_scheduler.StepLR(step, 1).step()
print(x, layer, nn.TransformerEncoderLayer(8, 2, batch_first=True)(torch.randn(1, 3, 8)).shape)
try:
    open('x')
except OSError as error:
    answer = str(error)
"""
    run = ask(source)
    assert header(run) == {"answer": "[Errno 13] Permission denied: 'x'"}


def test_a_worker_killed_from_outside_is_reported_as_such(ask: Ask, pool: Pool) -> None:
    """SIGKILL by somebody else is an end by signal 9; who did it is for the caller to decide."""
    runs: list[Run] = []
    runner = threading.Thread(target=lambda: runs.append(ask("import time\ntime.sleep(20)", seconds=15)))
    assert eventually(lambda: len(idle_pids(pool)) == 2)
    busy = idle_pids(pool)[0]  # the worker that has waited longest takes the job
    runner.start()
    assert eventually(lambda: busy not in idle_pids(pool))
    time.sleep(0.2)
    os.kill(busy, signal.SIGKILL)
    runner.join(10)
    assert (runs[0].ending, runs[0].signal) == ("signalled", signal.SIGKILL)


def test_a_waiting_worker_that_dies_is_replaced(ask: Ask, pool: Pool) -> None:
    """A job never lands on a dead worker."""
    assert eventually(lambda: len(idle_pids(pool)) == 2)
    waiting = list(pool._idle)
    for worker in waiting:
        os.kill(worker.pid, signal.SIGKILL)
    assert eventually(lambda: not any(worker.alive for worker in waiting))
    assert header(ask("answer = 1")) == {"answer": 1}


def test_a_killed_zygote_costs_the_run_in_progress_and_nothing_else(ask: Ask, pool: Pool) -> None:
    """The run is reported as ours, its worker dies too, and the next run finds a new zygote."""
    problems: list[BaseException] = []

    def endless() -> None:
        try:
            ask("while True: pass", seconds=20)
        except SandboxError as error:
            problems.append(error)

    assert eventually(lambda: len(idle_pids(pool)) == 2)
    zygote, busy = pool.zygote_pid, idle_pids(pool)[0]
    assert zygote is not None
    runner = threading.Thread(target=endless)
    runner.start()
    assert eventually(lambda: busy not in idle_pids(pool))
    time.sleep(0.1)
    os.kill(zygote, signal.SIGKILL)
    runner.join(10)
    assert len(problems) == 1
    assert "run the check again" in str(problems[0])
    assert eventually(lambda: not running(busy))
    assert header(ask("answer = 1")) == {"answer": 1}
    assert pool.zygote_pid != zygote


def test_a_zygote_that_hangs_is_replaced(ask: Ask, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is treated like death: the next run finds a new zygote instead of waiting for ever."""
    monkeypatch.setattr(policy, "FORK_SECONDS", 1.5)
    assert eventually(lambda: len(idle_pids(pool)) == 2)
    zygote = pool.zygote_pid
    assert zygote is not None
    os.kill(zygote, signal.SIGSTOP)
    assert header(ask("answer = 1")) == {"answer": 1}  # a waiting worker needs no zygote
    assert eventually(lambda: pool.zygote_pid not in {None, zygote}, 30)
    assert header(ask("answer = 2")) == {"answer": 2}


def test_many_runs_leave_no_descriptor_and_no_process_behind(ask: Ask, pool: Pool) -> None:
    """Descriptors, threads and children are the same after many runs of every ending."""
    sources = ["answer = 1", "import os\nos._exit(1)", "import os\nos.write(201, b'x' * 99)"]
    ask(sources[0])
    assert eventually(lambda: len(idle_pids(pool)) == 2)
    before = open_files()
    for index in range(60):
        ask(sources[index % 3])
    assert eventually(lambda: len(idle_pids(pool)) == 2)
    assert open_files() == before
    assert eventually(lambda: len(children(pool)) == 2)


def test_runs_from_many_threads_do_not_mix(ask: Ask) -> None:
    """Each thread gets the answer to its own job, however many wait."""
    answers: dict[int, object] = {}
    threads = [
        threading.Thread(target=lambda n=n: answers.update({n: header(ask(f"answer = {n}"))["answer"]}))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == {n: n for n in range(8)}


def test_a_job_tensor_without_numbers_is_our_mistake(ask: Ask) -> None:
    """A sparse tensor in a job is refused before a worker is spent."""
    with pytest.raises(TypeError, match="sparse"):
        ask("", torch.eye(2).to_sparse())


def test_a_pool_that_is_not_running_says_so() -> None:
    """Running before the start, or after the end, is an error in words and does not hang."""
    pool = forking()
    with pytest.raises(SandboxError, match="has not been started"):
        pool.run({"source": ""}, [], case_seconds=1, check_seconds=1, max_body_bytes=1)
    pool.close()
    pool.close()
    with pytest.raises(SandboxError, match="has been closed"):
        pool.run({"source": ""}, [], case_seconds=1, check_seconds=1, max_body_bytes=1)


def idle_pids(pool: Pool) -> list[int]:
    return [worker.pid for worker in list(pool._idle)]


def children(pool: Pool) -> list[int]:
    pid = pool.zygote_pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def running(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False
