"""Drives one worker through its one job: sends, listens, keeps the deadlines, ends it. All limits are enforced from out here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.sandbox.inside import policy
from tutor.sandbox.inside.tensors import from_wire
from tutor.sandbox.inside.wire import Buffer, Caps, FrameReader, Kind, RawFrame, TooBig, WireError
from tutor.sandbox.run import Frame, Printed, Run, RunEnding
from tutor.sandbox.worker import Ended, Said, Worker, Wrote


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
        self._worker, self._payload, self._limits = worker, payload, limits
        self._reader = FrameReader(Caps(body_bytes=limits.body_bytes))
        self._printed = Printed(limits.print_bytes)
        self._frames: list[RawFrame] = []
        self._header_bytes = 0
        self._ending: RunEnding | None = None
        self._ended = Ended()
        self._timed_out_after: float | None = None

    def run(self) -> Run:
        """Have the job done.

        Raises:
            SandboxError: the sandbox itself failed meanwhile, so nothing can be said about the job.
        """
        started = time.monotonic()
        try:
            self._worker.send(self._payload)
            self._loop(started)
            self._worker.kill()
            for event in self._worker.last_printed():
                self._printed.add(event.data)
        finally:
            self._worker.close()
        frames = tuple(Frame(raw.header, tuple(map(from_wire, raw.tensors))) for raw in self._frames)
        return Run(
            frames=frames,
            ending=self._ending or "garbage",
            signal=self._ended.signal,
            exit_code=self._ended.exit_code,
            out_of_memory=self._out_of_memory(),
            printed=self._printed.text(),
            seconds=time.monotonic() - started,
            timed_out_after=self._timed_out_after,
        )

    def _out_of_memory(self) -> bool:
        said_so = self._ended.exit_code == policy.EXIT_OUT_OF_MEMORY
        return self._ending == "exited" and (said_so or self._ended.too_much_memory)

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
            for event in self._worker.events(min(case_left, check_left)):
                self._handle(event)

    def _handle(self, event: Said | Wrote | Ended) -> None:
        if isinstance(event, Wrote):
            self._printed.add(event.data)
        elif self._ending is not None:
            return
        elif isinstance(event, Said):
            self._ending = self._take(event.data)
        else:
            self._ended = event
            self._ending = "signalled" if event.signal is not None else "exited"

    def _take(self, chunk: bytes) -> RunEnding | None:
        try:
            frames = self._reader.feed(chunk)
        except TooBig:
            return "too_big"
        except WireError:
            return "garbage"
        for frame in frames:
            if frame.kind not in (Kind.CASE, Kind.LAST):
                return "garbage"
            self._frames.append(frame)
            self._header_bytes += len(frame.header)
            if self._header_bytes > policy.ALL_HEADERS_BYTES:
                return "too_big"
            if frame.kind is Kind.LAST:
                return "done"
        return None
