"""Drives one worker through its one job: writes, reads, keeps the deadlines, ends it. All limits are enforced from out here."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tutor.errors import SandboxError
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.tensors import from_wire
from tutor.sandbox.inside.wire import Buffer, Caps, FrameReader, Kind, RawFrame, TooBig, WireError
from tutor.sandbox.inside.zygote import STATUS
from tutor.sandbox.launcher import Worker
from tutor.sandbox.run import Frame, Printed, Run, RunEnding

_DRAIN_READS = 32


@dataclass(frozen=True, slots=True)
class Limits:
    """Wall-clock seconds per case and per run, bytes of tensors in all frames together, bytes of printed text kept."""

    case_seconds: float
    check_seconds: float
    body_bytes: int
    print_bytes: int


class Conversation:
    """One run. The worker is dead and closed when ``run`` returns or raises."""

    def __init__(self, worker: Worker, payload: Sequence[Buffer], limits: Limits) -> None:
        self._worker, self._limits = worker, limits
        self._payload = [memoryview(part).cast("B") for part in payload if len(part)]
        self._reader = FrameReader(Caps(body_bytes=limits.body_bytes))
        self._printed = Printed(limits.print_bytes)
        self._frames: list[RawFrame] = []
        self._header_bytes = 0
        self._ending: RunEnding | None = None
        self._signal: int | None = None
        self._exit_code: int | None = None
        self._timed_out_after: float | None = None
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}

    def run(self) -> Run:
        """Have the job done.

        Raises:
            SandboxError: the zygote died meanwhile, so nothing can be said about the job.
        """
        started = time.monotonic()
        try:
            self._register()
            self._loop(started)
            self._worker.kill()
            self._drain_printed()
        finally:
            self._worker.close()
        frames = tuple(Frame(raw.header, tuple(map(from_wire, raw.tensors))) for raw in self._frames)
        return Run(
            frames=frames,
            ending=self._ending or "garbage",
            signal=self._signal,
            exit_code=self._exit_code,
            out_of_memory=self._ending == "exited" and self._exit_code == policy.EXIT_OUT_OF_MEMORY,
            printed=self._printed.text(),
            seconds=time.monotonic() - started,
            timed_out_after=self._timed_out_after,
        )

    def _register(self) -> None:
        worker = self._worker
        self._handlers = {
            worker.job_fd: self._write_job,
            worker.result_fd: self._read_result,
            worker.printed_fd: self._read_printed,
            worker.pidfd: self._ended,
        }
        for fd in self._handlers:
            self._poll.register(fd, select.POLLOUT if fd == worker.job_fd else select.POLLIN)

    def _loop(self, started: float) -> None:
        limits, last_frame, seen = self._limits, started, 0
        while self._ending is None:
            now = time.monotonic()
            if len(self._frames) > seen:
                seen, last_frame = len(self._frames), now
            case_left, check_left = last_frame + limits.case_seconds - now, started + limits.check_seconds - now
            if min(case_left, check_left) <= 0:
                self._ending = "timed_out"
                self._timed_out_after = limits.case_seconds if case_left <= check_left else limits.check_seconds
                return
            for fd, _ in self._poll.poll(int(min(case_left, check_left) * 1_000) + 1):
                if self._ending is None:
                    self._handlers[fd]()

    def _write_job(self) -> None:
        try:
            sent = os.write(self._worker.job_fd, self._payload[0][: policy.PIPE_BYTES])
        except BlockingIOError:
            return
        except BrokenPipeError:
            sent, self._payload = 0, []
        if sent:
            rest = self._payload[0][sent:]
            self._payload[:1] = [rest] if len(rest) else []
        if not self._payload:
            self._poll.unregister(self._worker.job_fd)
            self._worker.close_job()

    def _read_result(self) -> None:
        chunk = _read(self._worker.result_fd)
        if chunk == b"":
            self._poll.unregister(self._worker.result_fd)
        elif chunk is not None:
            self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        try:
            frames = self._reader.feed(chunk)
        except TooBig:
            self._ending = "too_big"
            return
        except WireError:
            self._ending = "garbage"
            return
        for frame in frames:
            if frame.kind not in (Kind.CASE, Kind.LAST):
                self._ending = "garbage"
                return
            self._frames.append(frame)
            self._header_bytes += len(frame.header)
            if self._header_bytes > policy.ALL_HEADERS_BYTES:
                self._ending = "too_big"
                return
            if frame.kind is Kind.LAST:
                self._ending = "done"
                return

    def _read_printed(self) -> None:
        chunk = _read(self._worker.printed_fd)
        if chunk == b"":
            self._poll.unregister(self._worker.printed_fd)
        elif chunk is not None:
            self._printed.add(chunk)

    def _ended(self) -> None:
        """The process is dead: what it wrote before counts, then how it ended."""
        while self._ending is None and (chunk := _read(self._worker.result_fd)):
            self._take(chunk)
        if self._ending is None:
            status = self._wait_status()
            if os.WIFSIGNALED(status):
                self._ending, self._signal = "signalled", os.WTERMSIG(status)
            else:
                self._ending, self._exit_code = "exited", os.WEXITSTATUS(status)

    def _wait_status(self) -> int:
        poll = select.poll()
        poll.register(self._worker.status_fd, select.POLLIN)
        if poll.poll(policy.STATUS_SECONDS * 1_000):
            data = os.read(self._worker.status_fd, STATUS.size)
            if len(data) == STATUS.size:
                return int(STATUS.unpack(data)[0])
        # Workers die with their zygote, so this end says nothing about the job.
        raise SandboxError("The sandbox process ended while a check was running. Nothing is lost; run the check again.")

    def _drain_printed(self) -> None:
        # Bounded: a process that is being killed may still write for a moment.
        for _ in range(_DRAIN_READS):
            chunk = _read(self._worker.printed_fd)
            if not chunk or self._printed.cut:
                return
            self._printed.add(chunk)


def _read(fd: int) -> bytes | None:
    """Up to ``READ_BYTES``; b"" at the end, None while there is nothing."""
    with suppress(BlockingIOError):
        return os.read(fd, policy.READ_BYTES)
    return None
