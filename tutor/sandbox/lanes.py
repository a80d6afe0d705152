"""Who may run at once. A check that turns out slow steps aside, so that endless loops do not keep quick checks waiting."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from tutor.sandbox.inside import policy


class Lanes:
    """A few places for everybody, and some more for whoever has been running for long.

    Args:
        quick: checks that run at once.
        slow: more of them that run beside, at the lowest priority.
    """

    def __init__(self, quick: int, slow: int) -> None:
        self._quick, self._slow = threading.BoundedSemaphore(quick), threading.BoundedSemaphore(slow)

    def enter(self) -> Place:
        """Wait for a place."""
        self._quick.acquire()
        return Place(self._quick, self._slow)


class Place:
    """One check's place; ``leave`` it in the end."""

    def __init__(self, quick: threading.Semaphore, slow: threading.Semaphore) -> None:
        self._held, self._slow = quick, slow

    def step_aside(self, pid: int) -> None:
        """Make room for a quick check if there is a place for slow ones, and let everybody else go first. May be asked again."""
        if self._held is self._slow:
            return
        with suppress(OSError, AttributeError):  # it may be gone, and not every system has such calls
            os.setpriority(os.PRIO_PROCESS, pid, policy.SLOW_NICENESS)
            # Whoever else wakes up goes first at once; by niceness alone they would wait for the end of a time slice.
            os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
        if self._slow.acquire(blocking=False):
            self._held.release()
            self._held = self._slow

    def leave(self) -> None:
        self._held.release()
