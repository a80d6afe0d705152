"""A worker that was forked from a zygote: four pipes and a pidfd, waited for with poll."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from tutor.errors import SandboxError
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Buffer
from tutor.sandbox.inside.zygote import STATUS
from tutor.sandbox.scheduling import is_runnable, ran_seconds, waited_seconds
from tutor.sandbox.worker import Ended, Event, Said, Wrote

_LAST_READS = 32


class ForkedWorker:
    """See ``Worker``. Every descriptor in here is ours to close.

    Args:
        pid: of the process.
        pidfd: a descriptor of the process, so that no other one is ever meant.
        ends: our ends of the pipes: the job goes into the first, what the worker says comes out of the second, what the student's
            code prints out of the third, and out of the last the wait status, once the zygote has reaped the process.
    """

    def __init__(self, pid: int, pidfd: int, ends: Sequence[int]) -> None:
        self.pid, self.layers = pid, tuple[dict[str, Any], ...]()
        self._pidfd = pidfd
        self._job, self._result, self._printed, self._status = ends
        self._payload: list[memoryview] = []
        self._closed = False
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], list[Event]]] = {
            self._result: self._read_result,
            self._printed: self._read_printed,
            pidfd: self._read_end,
        }
        for fd in self._handlers:
            self._poll.register(fd, select.POLLIN)

    @property
    def alive(self) -> bool:
        return not readable(self._pidfd, 0.0)

    def send(self, payload: Sequence[Buffer]) -> None:
        self._payload = [memoryview(part).cast("B") for part in payload if len(part)]
        self._handlers[self._job] = self._write_job
        self._poll.register(self._job, select.POLLOUT)

    def events(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        for fd, _ in self._poll.poll(max(0, int(seconds * 1_000) + 1)):
            # How it ended matters only if what it said does not settle the matter, and costs a wait for the zygote.
            if fd != self._pidfd or not found:
                found += self._handlers[fd]()
        return found

    def _write_job(self) -> list[Event]:
        try:
            sent = os.write(self._job, self._payload[0][: policy.PIPE_BYTES])
        except BlockingIOError:
            return []
        except BrokenPipeError:
            sent, self._payload = 0, []
        if sent:
            rest = self._payload[0][sent:]
            self._payload[:1] = [rest] if len(rest) else []
        if not self._payload:
            self._poll.unregister(self._job)
            self._close_job()
        return []

    def _read_result(self) -> list[Event]:
        chunk = _read(self._result)
        if chunk == b"":
            self._poll.unregister(self._result)
        return [Said(chunk)] if chunk else []

    def _read_printed(self) -> list[Event]:
        chunk = _read(self._printed)
        if chunk == b"":
            self._poll.unregister(self._printed)
        return [Wrote(chunk)] if chunk else []

    def _read_end(self) -> list[Event]:
        """The process is dead: what it said before counts, then how it ended."""
        found: list[Event] = []
        while chunk := _read(self._result):
            found.append(Said(chunk))
        self._poll.unregister(self._pidfd)
        status = self._wait_status()
        if os.WIFSIGNALED(status):
            return [*found, Ended(signal=os.WTERMSIG(status))]
        return [*found, Ended(exit_code=os.WEXITSTATUS(status))]

    def _wait_status(self) -> int:
        if readable(self._status, policy.STATUS_SECONDS):
            data = os.read(self._status, STATUS.size)
            if len(data) == STATUS.size:
                return int(STATUS.unpack(data)[0])
        # Workers die with their zygote, so this end says nothing about the job.
        raise SandboxError("The sandbox process ended while a check was running. Nothing is lost; run the check again.")

    def last_printed(self) -> list[Wrote]:
        # Bounded: a process that is being killed may still write for a moment.
        found: list[Wrote] = []
        while len(found) < _LAST_READS and (chunk := _read(self._printed)):
            found.append(Wrote(chunk))
        return found

    def waited_seconds(self) -> float:
        return waited_seconds(self.pid)

    def is_runnable(self) -> bool:
        return is_runnable(self.pid)

    def ran_seconds(self) -> float:
        return ran_seconds(self.pid)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.kill()
            for fd in (self._pidfd, self._result, self._printed, self._status):
                os.close(fd)
            self._close_job()

    def _close_job(self) -> None:
        if self._job >= 0:
            os.close(self._job)
            self._job = -1


def readable(fd: int, seconds: float) -> bool:
    """Whether there is something to read, or its end, within so many seconds."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(max(0, round(seconds * 1_000))))


def hung_up(fd: int) -> bool:
    """Whether the other end of a socket is closed. An answer that another thread is about to read is none of that."""
    poll = select.poll()
    poll.register(fd, 0)
    return bool(poll.poll(0))


def _read(fd: int) -> bytes | None:
    """Up to ``READ_BYTES``; b"" at the end, None while there is nothing."""
    with suppress(BlockingIOError):
        return os.read(fd, policy.READ_BYTES)
    return None
