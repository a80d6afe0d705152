"""Drives one worker through its one job: sends, listens, keeps the deadlines, ends it. All limits are enforced from out here."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tutor.errors import SandboxError
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
    """One run. The worker is dead and closed when ``run`` returns or raises.

    Args:
        worker: ready, and for this job alone.
        payload: the parts of the job's frame.
        limits: what it may take.
        when_slow: told the worker's pid again and again while it takes longer than a check usually does.
    """

    def __init__(
        self,
        worker: Worker,
        payload: Sequence[Buffer],
        limits: Limits,
        when_slow: Callable[[int], None] | None = None,
    ) -> None:
        self._worker, self._payload, self._limits, self._when_slow = worker, payload, limits, when_slow
        self._reader = FrameReader(Caps(body_bytes=limits.body_bytes))
        self._printed = Printed(limits.print_bytes)
        self._frames: list[RawFrame] = []
        self._header_bytes, self._heard = 0, 0
        self._ending: RunEnding | None = None
        self._ended = Ended()
        self._timed_out_after: float | None = None
        self._too_big = ""

    def run(self) -> Run:
        """Have the job done.

        Raises:
            SandboxError: the sandbox itself failed meanwhile, so nothing can be said about the job.
        """
        started, waited = time.monotonic(), self._worker.waited_seconds()
        try:
            self._worker.send(self._payload)
            self._loop(started)
            waited = self._worker.waited_seconds() - waited
            self._worker.kill()
            for event in self._worker.last_printed():
                self._printed.add(event.data)
        finally:
            self._worker.close()
        seconds = time.monotonic() - started
        frames = tuple(Frame(raw.header, tuple(map(from_wire, raw.tensors))) for raw in self._frames)
        return Run(
            frames=frames,
            ending=self._ending or "garbage",
            signal=self._ended.signal,
            exit_code=self._ended.exit_code,
            out_of_memory=self._ended.exit_code == policy.EXIT_OUT_OF_MEMORY,
            printed=self._printed.text(),
            seconds=seconds,
            timed_out_after=self._timed_out_after,
            # Two clocks need not agree to the millisecond.
            waited=min(max(0.0, waited), seconds),
            too_big=self._too_big,
        )

    def _loop(self, started: float) -> None:
        clock = _Clock(self._worker, self._limits, started)
        seen = 0
        while self._ending is None:
            if len(self._frames) > seen:
                seen = len(self._frames)
                clock.next_case()
            left = clock.left()
            if left <= 0:
                self._ending, self._timed_out_after = "timed_out", clock.exceeded
                return
            self._listen(clock, min(left, self._quick_left(clock.worked())))

    def _listen(self, clock: _Clock, seconds: float) -> None:
        """Wait for events and handle them, unhurriedly if there are very many, and forgive what nobody could run in."""
        asked = time.monotonic()
        if self._heard > policy.BRISK_EVENTS:
            time.sleep(min(policy.UNHURRIED_SECONDS, max(0.0, seconds)))
        events = self._worker.events(max(0.0, seconds - (time.monotonic() - asked)))
        self._heard += len(events)
        clock.forgive(time.monotonic() - asked, seconds)
        for event in events:
            self._handle(event)

    def _quick_left(self, worked: float) -> float:
        """Seconds until it is to be asked again whether it counts as slow; says so if it does."""
        if self._when_slow is None:
            return math.inf
        if worked >= policy.QUICK_SECONDS:
            self._when_slow(self._worker.pid)
            return policy.QUICK_SECONDS
        return policy.QUICK_SECONDS - worked

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
        except TooBig as error:
            self._too_big = str(error)
            return "too_big"
        except WireError:
            return "garbage"
        for frame in frames:
            if frame.kind not in (Kind.CASE, Kind.LAST):
                return "garbage"
            self._frames.append(frame)
            self._header_bytes += len(frame.header)
            if self._header_bytes > policy.ALL_HEADERS_BYTES:
                self._too_big = (
                    f"{self._header_bytes:,} bytes of descriptions; at most {policy.ALL_HEADERS_BYTES:,} are taken"
                )
                return "too_big"
            if frame.kind is Kind.LAST:
                return "done"
        return None


class _Clock:
    """Keeps the two time limits of a run. A busy machine is not the student's fault: what the worker waited for a processor does not count.

    Args:
        worker: whose run it is.
        limits: seconds per case and per run.
        started: when it began.
    """

    def __init__(self, worker: Worker, limits: Limits, started: float) -> None:
        self._worker, self._limits = worker, limits
        self._at_start = worker.waited_seconds()
        self._case_started, self._run_started = started, started
        # What is added to each deadline.
        self._case_extra, self._run_extra = 0.0, 0.0
        self._frozen, self._frozen_at_case = 0.0, 0.0
        self._at_case = self._at_start
        self._glance: float | None = None
        self.exceeded = 0.0

    def next_case(self) -> None:
        self._case_started, self._case_extra = time.monotonic(), 0.0
        self._at_case, self._frozen_at_case = self._worker.waited_seconds(), self._frozen

    def forgive(self, took: float, asked: float) -> None:
        """If waiting took far longer than asked, the machine itself stood still, a container was paused say; since when is not known."""
        if took - asked > policy.STANDSTILL_SECONDS:
            self._frozen += took

    def worked(self) -> float:
        """Seconds since it began that it did not wait for a processor in."""
        return time.monotonic() - self._run_started - (self._worker.waited_seconds() - self._at_start)

    def left(self) -> float:
        """Seconds until it is to be looked at again, 0 or less if a limit is exceeded.

        Raises:
            SandboxError: the machine is so busy that the worker hardly came to run.
        """
        now = time.monotonic()
        left = self._left(now)
        if left > policy.STARVING_SECONDS:
            self._glance = None
            return left - policy.STARVING_SECONDS
        if left > 0:
            self._glance = self._worker.ran_seconds()
            return left
        waited = self._worker.waited_seconds()
        self._case_extra, self._run_extra = waited - self._at_case, waited - self._at_start
        starving = self._is_starving()
        most = policy.MOST_WAITING * self._limits.check_seconds
        lost = now - self._run_started - self._worker.ran_seconds() if starving else self._run_extra
        # Who has had a good part of a check's time comes to its end in time, and is no victim of the load.
        if lost > most and self._worker.ran_seconds() < self._limits.check_seconds * policy.GOOD_PART:
            raise SandboxError(
                f"The machine is too busy: within {now - self._run_started:.0f} s a check had to wait {lost:.0f} s for a processor."
            )
        return max(self._left(now), policy.STARVING_SECONDS) if starving else self._left(now)

    def _is_starving(self) -> bool:
        """Whether it wants to run and has not come to since the last glance: how long it has waited is counted only once it does."""
        before, self._glance = self._glance, self._worker.ran_seconds()
        return self._worker.is_runnable() and (before is None or before == self._glance > 0)

    def _left(self, now: float) -> float:
        case_extra, run_extra = self._case_extra + self._frozen - self._frozen_at_case, self._run_extra + self._frozen
        case = self._case_started + case_extra + self._limits.case_seconds - now
        run = self._run_started + run_extra + self._limits.check_seconds - now
        self.exceeded = self._limits.case_seconds if case <= run else self._limits.check_seconds
        return min(case, run)
