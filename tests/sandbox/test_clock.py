"""The two time limits: what a worker waits for a processor does not count, but somebody must come to run in the end."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tutor.errors import SandboxError
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.scheduling import waited_seconds
from tutor.sandbox.worker import Event, Said, Wrote


class Waiting:
    """A worker that says what the test wants, in a time of the test's own making."""

    pid, layers, alive = 1, (), True

    def __init__(self, waits: float, says: dict[float, Event]) -> None:
        self.now, self._waits, self._says = 100.0, waits, says
        self.killed = 0.0

    def send(self, payload: object) -> None: ...

    def events(self, seconds: float) -> list[Event]:
        due = min([at for at in self._says if at <= self.now + seconds - 100.0], default=None)
        self.now = self.now + seconds + 0.001 if due is None else max(self.now, due + 100.0)
        return [] if due is None else [self._says.pop(due)]

    def waited_seconds(self) -> float:
        """A fixed share of all the time that has passed."""
        return self._waits * (self.now - 100.0)

    def ran_seconds(self) -> float:
        return (1 - self._waits) * (self.now - 100.0)

    def is_runnable(self) -> bool:
        return True

    def kill(self) -> None:
        self.killed = self.now - 100.0

    def last_printed(self) -> list[Event]:
        return []

    def close(self) -> None: ...


def frame(kind: Kind) -> Said:
    return Said(b"".join(map(bytes, pieces({}, [], kind))))


def run(monkeypatch: pytest.MonkeyPatch, worker: Waiting, case: float, check: float) -> tuple[str, float | None, float]:
    monkeypatch.setattr(time, "monotonic", lambda: worker.now)
    found = Conversation(worker, [], Limits(case, check, 1_000, 1_000)).run()
    return found.ending, found.timed_out_after, worker.killed


def test_without_waiting_the_limit_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop is ended when its case has had its time, as soon as that is over."""
    ending, limit, killed = run(monkeypatch, Waiting(0.0, {}), 3.0, 8.0)
    assert (ending, limit) == ("timed_out", 3.0)
    assert killed == pytest.approx(3.0, abs=0.05)


def test_what_was_waited_for_a_processor_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of the time spent waiting, a case has twice as long; the limit that is told is the same."""
    ending, limit, killed = run(monkeypatch, Waiting(0.5, {}), 3.0, 8.0)
    assert (ending, limit) == ("timed_out", 3.0)
    assert killed == pytest.approx(6.0, abs=0.1)


def test_a_slow_but_right_check_on_a_busy_machine_is_no_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers after the limit by the clock on the wall, and well within by the time it had."""
    worker = Waiting(0.6, {5.0: frame(Kind.CASE), 9.0: frame(Kind.LAST)})
    assert run(monkeypatch, worker, 3.0, 8.0)[:2] == ("done", None)


class Starving(Waiting):
    """One that runs for a while, then waits until some time, and whose system counts that only afterwards."""

    def __init__(self, since: float, until: float, says: dict[float, Event], *, sleeps: bool = False) -> None:
        super().__init__(0.0, says)
        self._since, self._until, self._sleeps = since, until, sleeps

    def waited_seconds(self) -> float:
        over = self.now - 100.0 >= self._until
        return self._until - self._since if over and not self._sleeps else 0.0

    def ran_seconds(self) -> float:
        passed = self.now - 100.0
        return min(passed, self._since) + max(0.0, passed - self._until)

    def is_runnable(self) -> bool:
        return not self._sleeps or self.now - 100.0 >= self._until


def test_who_is_waiting_still_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the lowest priority on a busy machine nobody comes to run for seconds, and the wait is counted only when it is over."""
    worker = Starving(0.4, 12.0, {13.0: frame(Kind.CASE), 13.5: frame(Kind.LAST)})
    assert run(monkeypatch, worker, 3.0, 8.0)[:2] == ("done", None)


def test_who_never_comes_to_run_again_is_no_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is given up as ours after several times the limit."""
    worker = Starving(0.4, 1_000.0, {})
    with pytest.raises(SandboxError, match="The machine is too busy"):
        run(monkeypatch, worker, 3.0, 8.0)
    assert 24 < worker.now - 100.0 < 40


def test_who_sleeps_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sleeper is stopped at its limit."""
    ending, limit, killed = run(monkeypatch, Starving(0.4, 1_000.0, {}, sleeps=True), 3.0, 8.0)
    assert (ending, limit) == ("timed_out", 3.0)
    assert killed == pytest.approx(3.0, abs=0.05)


def test_each_case_has_its_own_time_and_the_check_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames begin a new case; the limit of the whole check ends many quick ones."""
    says = {at / 10: frame(Kind.CASE) for at in range(1, 100)}
    ending, limit, killed = run(monkeypatch, Waiting(0.0, says), 3.0, 8.0)
    assert (ending, limit) == ("timed_out", 8.0)
    assert killed == pytest.approx(8.0, abs=0.11)


def test_a_machine_on_which_nothing_comes_to_run_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past several times the limit it is given up as ours, in a sentence, and never as the student's time-out."""
    worker = Waiting(0.97, {})
    with pytest.raises(SandboxError, match=r"The machine is too busy: within .* s for a processor."):
        run(monkeypatch, worker, 3.0, 8.0)
    assert worker.now - 100.0 < 60


def test_a_loop_that_had_all_its_time_is_a_time_out_however_long_it_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody gets to be called our fault by keeping the machine busy: a loop that ran for the whole limit is stopped as a loop."""
    says = {at / 2: frame(Kind.CASE) for at in range(1, 200)}
    ending, limit, killed = run(monkeypatch, Waiting(0.76, says), 3.0, 8.0)
    assert (ending, limit) == ("timed_out", 8.0)
    assert killed == pytest.approx(33.3, abs=1.0)


def test_a_machine_that_stood_still_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paused container, or a laptop that slept: time in which nobody ran does not count."""
    worker = Waiting(0.0, {9.0: frame(Kind.CASE), 9.5: frame(Kind.LAST)})
    listens = worker.events

    def frozen_once(seconds: float) -> list[Event]:
        if worker.now == 100.0:
            worker.now += seconds + 6.5
            return []
        return listens(seconds)

    monkeypatch.setattr(worker, "events", frozen_once)
    assert run(monkeypatch, worker, 3.0, 8.0)[:2] == ("done", None)


def test_who_prints_very_often_is_listened_to_unhurriedly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of small writes a second would cost the checker a core; they are read a hundred times a second at most."""
    worker, heard = Waiting(0.0, {}), 0

    def prints(_seconds: float) -> list[Event]:
        nonlocal heard
        heard, worker.now = heard + 1, worker.now + 0.0001
        return [Wrote(b"x")]

    def rest(seconds: float) -> None:
        worker.now += seconds

    monkeypatch.setattr(worker, "events", prints)
    monkeypatch.setattr(time, "sleep", rest)
    assert run(monkeypatch, worker, 3.0, 8.0)[:2] == ("timed_out", 3.0)
    assert heard < policy.BRISK_EVENTS + 3.0 / policy.UNHURRIED_SECONDS + 2


def test_the_system_counts_the_waiting() -> None:
    """Of two endless loops on one processor each waits while the other runs; who sleeps does not wait."""
    pin = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    sources = [f"{pin}while True: pass"] * 2 + ["import time\ntime.sleep(60)"]
    processes = [subprocess.Popen([sys.executable, "-c", source]) for source in sources]
    try:
        deadline = time.monotonic() + 20
        while min(waited_seconds(one.pid) for one in processes[:2]) < 0.3 and time.monotonic() < deadline:
            time.sleep(0.05)
        loops, sleeper = [waited_seconds(one.pid) for one in processes[:2]], waited_seconds(processes[2].pid)
        assert min(loops) >= 0.3
        assert sleeper < min(loops)
    finally:
        for one in processes:
            one.kill()
            one.wait()
    assert waited_seconds(processes[0].pid) == 0.0
