"""The trusted side of the zygote, on Linux: starts it, asks it for workers, ends it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl
from typing import Any

from tutor.errors import SandboxError
from tutor.sandbox.forked import ForkedWorker, hung_up, readable
from tutor.sandbox.inside import policy
from tutor.sandbox.launcher import Configuration, await_ready, clean_environment, command


class Zygote:
    """A zygote process, started at once; it needs some seconds before ``wait_until_ready`` returns."""

    def __init__(self, configuration: Configuration) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = _start(configuration, theirs.fileno())

    def wait_until_ready(self) -> None:
        """Wait for its imports and warm-up.

        Raises:
            SandboxError: it did not start; it is closed then.
        """
        try:
            answer = self._receive(policy.BOOT_SECONDS)[0]
            if "problem" in answer:
                raise SandboxError(f"The sandbox did not start. {answer['problem']}")
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        control = self._control.fileno()  # below zero once it is closed
        return self._process.poll() is None and control >= 0 and not hung_up(control)

    @property
    def cheap(self) -> bool:
        return True

    def fork(self, only: Sequence[str] | None = None) -> ForkedWorker:
        """A new worker, confined and waiting; ``only`` names layers to put up for proving them alone.

        Raises:
            SandboxError: the zygote is gone or silent, or the worker could not confine itself.
        """
        worker = self._ask(only)
        try:
            worker.layers = await_ready(worker, policy.FORK_SECONDS)
        except BaseException:
            worker.close()
            raise
        return worker

    def _ask(self, only: Sequence[str] | None) -> ForkedWorker:
        job, result, printed, status = _pipes(4)
        theirs = [job[0], result[1], printed[1], status[1]]
        ours = [job[1], result[0], printed[0], status[0]]
        try:
            for fd in (job[1], result[0]):
                with suppress(OSError):  # beyond the user's share of pipe memory the default size does, only slower
                    fcntl(fd, F_SETPIPE_SZ, policy.PIPE_BYTES)
            for fd in ours:
                os.set_blocking(fd, False)
            socket.send_fds(self._control, [json.dumps({"only": only}).encode()], theirs)
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
        return ForkedWorker(answer["pid"], pidfd, ours)

    def _receive(self, seconds: float) -> tuple[dict[str, Any], int]:
        if not readable(self._control.fileno(), seconds):
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
    return subprocess.Popen(
        command(configuration.described() | {"role": "zygote", "control": control_fd}),
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd="/",
        pass_fds=[control_fd],
    )
