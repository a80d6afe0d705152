"""Runs an attack without any wall, bounded only in time and size, beside a judge as naive as one can be.

The positive control of the suite. ``Outside`` is what tests use; the process it starts imports torch once and forks for each
attack, so that a control costs milliseconds. The forked child judges as a careless grader would: the right answers lie in
the same process, ``torch.allclose`` decides, and "PASSED" on the output or exit code 0 counts as a pass.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMORY_BYTES = 2 << 30
OUTPUT_BYTES = 64 << 20
KEPT_BYTES = 4 << 20
GRADER = "grader.py"
GRADER_SOURCE = """
import sys, types
import torch

def grade(source, expected, inputs):
    module = types.ModuleType("submission")
    sys.modules["submission"] = module
    exec(compile(source, "submission.py", "exec"), module.__dict__)
    torch.manual_seed(1)
    output, weights = module.MultiHeadAttention(12, 3).eval()(*inputs)
    return torch.allclose(output, expected[0]) and torch.allclose(weights, expected[1])

passed = grade(source, expected, inputs)
print("PASSED" if passed else "FAILED")
sys.exit(0 if passed else 1)
"""


@dataclass(frozen=True)
class Outcome:
    text: str
    printed_bytes: int
    timed_out: bool
    exit_code: int | None

    @property
    def passed(self) -> bool:
        return not self.timed_out and (self.exit_code == 0 or "PASSED" in self.text)


class Outside:
    """The trusted end: hands sources over and says what became of them."""

    def __init__(self, environment: str, other: str, folder: Path) -> None:
        variables = os.environ | {"TUTOR_CANARY": environment, "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), other],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables, cwd=folder,
        )  # fmt: skip

    def run(self, source: str, seconds: float) -> Outcome:
        self._process.stdin.write(json.dumps([source, seconds]) + "\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def main(other: str) -> None:
    """Serve until the trusted end closes."""
    import torch  # noqa: PLC0415 - the trusted end has no use for it here

    torch.set_num_threads(1)
    right = (Path(__file__).resolve().parents[2] / "reference" / "multi_head_attention.py").read_text()
    space: dict[str, Any] = {"__name__": "reference"}
    exec(compile(right, "reference.py", "exec"), space)  # noqa: S102
    inputs = torch.randn(3, 2, 5, 12).unbind()
    torch.manual_seed(1)
    expected = [tensor.detach() for tensor in space["MultiHeadAttention"](12, 3)(*inputs)]
    earlier = (
        f"# {other}: the submission of another student\n"  # stays in memory, as in a server that runs everything itself
    )
    for line in sys.stdin:
        source, seconds = json.loads(line)
        answer = _watched(source, seconds, {"expected": expected, "inputs": inputs, "earlier": earlier})
        print(json.dumps(answer), flush=True)


def _watched(source: str, seconds: float, space: dict[str, Any]) -> dict[str, Any]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _live(write, {"__name__": "grader", "source": source, **space})
    os.close(write)
    deadline, kept, count, timed_out = time.monotonic() + seconds, bytearray(), 0, False
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or count > OUTPUT_BYTES:
                timed_out = True
                break
            if select.select([pipe], [], [], min(left, 0.05))[0]:
                chunk = pipe.read(1 << 16)
                count += len(chunk)
                kept += chunk[: max(0, KEPT_BYTES - len(kept))]
                if chunk:
                    continue
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return _answer(kept, count, timed_out, os.waitstatus_to_exitcode(status))
            time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _answer(kept, count, timed_out, None)


def _answer(kept: bytes, count: int, timed_out: bool, code: int | None) -> dict[str, Any]:
    text = bytes(kept).decode("utf-8", "backslashreplace")
    return {"text": text, "printed_bytes": count, "timed_out": timed_out, "exit_code": code}


def _live(write: int, space: dict[str, Any]) -> None:
    code = 70
    try:
        os.setsid()
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.closerange(3, 256)
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY_BYTES, mapped + MEMORY_BYTES))
        for limit, value in ((resource.RLIMIT_CPU, 20), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 512)):
            resource.setrlimit(limit, (value, max(value, 1024) if limit == resource.RLIMIT_NOFILE else value))
        sys.stdout = open(1, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
        code = _graded(space)
    finally:
        os._exit(code)


def _graded(space: dict[str, Any]) -> int:
    import atexit  # noqa: PLC0415
    import traceback  # noqa: PLC0415

    code = 1
    try:
        exec(compile(GRADER_SOURCE, GRADER, "exec"), space)  # noqa: S102
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    with suppress(Exception):
        sys.stdout.flush()
    return code


if __name__ == "__main__":
    main(sys.argv[1])
