"""The trusted side of the zygote: starts it, asks it for workers, ends it. Not thread-safe; the pool uses it from one thread."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from fcntl import F_SETPIPE_SZ, fcntl
from pathlib import Path
from typing import Any

from tutor.errors import SandboxError, WallMissing
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Caps, FrameReader, Kind, RawFrame, WireError

INSIDE = Path(__file__).resolve().parent / "inside"


@dataclass(frozen=True, slots=True)
class Configuration:
    """How to start a zygote. ``without`` and ``observer`` exist for tests of the walls; no setting leads to them."""

    memory_bytes: int
    without: frozenset[str] = frozenset()
    observer: Path | None = None


@dataclass(slots=True)
class Worker:
    """A confined worker that waits for its one job. Every descriptor in here is ours to close."""

    pid: int
    pidfd: int
    job_fd: int
    result_fd: int
    printed_fd: int
    status_fd: int
    layers: tuple[str, ...] = ()
    _closed: bool = field(default=False, repr=False)

    @property
    def alive(self) -> bool:
        return not _readable(self.pidfd, 0.0)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process, if it still is, and let go of everything."""
        if not self._closed:
            self._closed = True
            self.kill()
            for fd in (self.pidfd, self.result_fd, self.printed_fd, self.status_fd):
                os.close(fd)
            self.close_job()

    def close_job(self) -> None:
        if self.job_fd >= 0:
            os.close(self.job_fd)
            self.job_fd = -1


class Zygote:
    """A zygote process, started at once; it needs some seconds before ``wait_until_ready`` returns."""

    def __init__(self, configuration: Configuration) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = _start(configuration, theirs.fileno())

    def wait_until_ready(self) -> None:
        """Wait for its imports and warm-up.

        Raises:
            WallMissing: it says that a wall cannot be built here.
            SandboxError: it did not start. In both cases it is closed.
        """
        try:
            answer = self._receive(policy.BOOT_SECONDS)[0]
            if "problem" in answer:
                raise WallMissing(f"The sandbox did not start. {answer['problem']}")
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        """The control socket: readable while nothing was asked means that the zygote is gone."""
        return self._control.fileno()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None and not _readable(self._control.fileno(), 0.0)

    def fork(self) -> Worker:
        """A new worker, confined and waiting.

        Raises:
            SandboxError: the zygote is gone or silent, or the worker could not confine itself.
        """
        worker = self._ask()
        try:
            _await_ready(worker)
        except BaseException:
            worker.close()
            raise
        return worker

    def _ask(self) -> Worker:
        job, result, printed, status = _pipes(4)
        theirs = [job[0], result[1], printed[1], status[1]]
        ours = [job[1], result[0], printed[0], status[0]]
        try:
            for fd in (job[1], result[0]):
                with suppress(OSError):  # beyond the user's share of pipe memory the default size does, only slower
                    fcntl(fd, F_SETPIPE_SZ, policy.PIPE_BYTES)
            for fd in ours:
                os.set_blocking(fd, False)
            socket.send_fds(self._control, [b"fork"], theirs)
            answer, pidfd = self._receive(policy.FORK_SECONDS)
        except BaseException as error:
            for fd in ours:
                os.close(fd)
            if isinstance(error, OSError):
                raise SandboxError("The sandbox process is gone; it is started again.") from error
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        if "problem" in answer:
            for fd in ours:
                os.close(fd)
            raise SandboxError(f"The sandbox is short of something: {answer['problem']}.")
        job_fd, result_fd, printed_fd, status_fd = ours
        return Worker(answer["pid"], pidfd, job_fd, result_fd, printed_fd, status_fd)

    def _receive(self, seconds: float) -> tuple[dict[str, Any], int]:
        if not _readable(self._control.fileno(), seconds):
            # A late answer would be taken for that to a later question, so this process is done.
            self._process.kill()
            raise SandboxError(f"The sandbox process did not answer within {seconds:g} s; it is started again.")
        message, fds, _, _ = socket.recv_fds(self._control, 65_536, 1)
        if not message:
            raise SandboxError("The sandbox process ended unexpectedly; its own messages are in the log.")
        return json.loads(message), fds[0] if fds else -1

    def close(self) -> None:
        """End the zygote and with it every worker."""
        self._control.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _pipes(count: int) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    try:
        for _ in range(count):
            made.append(os.pipe2(os.O_CLOEXEC))
    except OSError as error:
        for end in (end for pipe in made for end in pipe):
            os.close(end)
        raise SandboxError(f"The sandbox is short of something: {error.strerror}.") from error
    return made


def _start(configuration: Configuration, control_fd: int) -> subprocess.Popen[bytes]:
    settings = {
        "control": control_fd,
        "memory_bytes": configuration.memory_bytes,
        "without": sorted(configuration.without),
        "observer": None if configuration.observer is None else str(configuration.observer),
    }
    return subprocess.Popen(
        [sys.executable, "-I", str(INSIDE), json.dumps(settings)],
        env=_clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd="/",
        pass_fds=[control_fd],
    )


def _clean_environment() -> dict[str, str]:
    """Nothing of ours: no secret reaches a worker. One thread per library, or a fork of it would hang."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")}
    if "LD_LIBRARY_PATH" in os.environ:  # some installations find libpython or libstdc++ only through it
        environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return environment


def _await_ready(worker: Worker) -> None:
    frame = _first_frame(worker)
    header = {} if frame is None else json.loads(frame.header)
    if frame is None or frame.kind is not Kind.READY:
        raise SandboxError(f"A worker could not confine itself ({header.get('problem', 'it ended')}); it ran nothing.")
    worker.layers = tuple(header["layers"])


def _first_frame(worker: Worker) -> RawFrame | None:
    """READY or REFUSED; no student code exists in the worker yet, so it is exactly one frame, or an early end."""
    reader, deadline = FrameReader(Caps(body_bytes=0)), time.monotonic() + policy.FORK_SECONDS
    while _readable(worker.result_fd, deadline - time.monotonic()):
        chunk = os.read(worker.result_fd, policy.READ_BYTES)
        try:
            frames = reader.feed(chunk)
        except WireError as error:
            raise SandboxError("A worker said something else than that it is confined.") from error
        if frames or not chunk:
            return frames[0] if frames else None
    raise SandboxError(f"A worker did not confine itself within {policy.FORK_SECONDS:g} s.")


def _readable(fd: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(max(0, round(seconds * 1_000))))
