"""The default doorbell: one checking process beside the page, started here and restarted whenever it stops."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from tutor.dispatch.protocol import CheckerState
from tutor.dispatch.wire import Done, Ready, Refused, read_event

log = logging.getLogger(__name__)

STOPPED = "The checker stopped and is being restarted; your attempt is safe."
DONE_IDS_KEPT = 1024
FIRST_DELAY, LONGEST_DELAY = 0.25, 30.0
STEADY_SECONDS = 30.0  # a checker that lived so long is restarted without any growing delay
CLOSE_SECONDS = 3.0
DEATHS_BEFORE_ADVICE = 3


class LocalDispatch:
    """Runs ``command`` as the checker: ids go to its stdin as lines, events come from its stdout (see ``wire``).

    The checker ends when its stdin closes, so it also ends when this process is killed. Nothing here raises to the page.

    Args:
        command: program and arguments.
        cwd: folder to start it in; None = that of this process. ``python -m tutor`` needs the project's.
    """

    def __init__(self, command: Sequence[str], cwd: Path | None = None) -> None:
        self._command, self._cwd = tuple(command), cwd
        self._changed = threading.Condition()
        self._state = CheckerState(ready=False)
        self._done: OrderedDict[int, None] = OrderedDict()
        self._process: subprocess.Popen[bytes] | None = None
        self._deaths = 0
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep_running, name="checker-keeper", daemon=True)
        self._keeper.start()

    def ring(self, submission_id: int) -> None:
        with self._changed:
            if self._process is None or self._process.stdin is None:
                return
            # The pipe does not block: with a full or broken one the ring is lost, and the checker's sweep finds the row.
            with contextlib.suppress(OSError, ValueError):
                os.write(self._process.stdin.fileno(), b"%d\n" % submission_id)

    def wait(self, submission_id: int, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: submission_id in self._done, timeout=max(0.0, seconds))

    def state(self) -> CheckerState:
        with self._changed:
            return self._state

    def close(self) -> None:
        """Let the checker end by itself, then end it. May be called twice."""
        self._closing.set()
        with self._changed:
            _close_stdin(self._process)
        self._keeper.join(CLOSE_SECONDS)
        for end in (subprocess.Popen.terminate, subprocess.Popen.kill):
            process = self._process
            if process is not None and self._keeper.is_alive():
                end(process)
                self._keeper.join(1.0)
        self._set_state(
            CheckerState(ready=False, problem="The checker has been closed. Start the app again to use it.")
        )

    def _keep_running(self) -> None:
        delay = FIRST_DELAY
        while not self._closing.is_set():
            started = time.monotonic()
            self._run_once()
            if time.monotonic() - started > STEADY_SECONDS:
                delay = FIRST_DELAY
            self._closing.wait(delay)
            delay = min(2 * delay, LONGEST_DELAY)

    def _run_once(self) -> None:
        """Start the checker, follow it to its end, and leave a state that says what happened."""
        try:
            process = self._start()
        except OSError as error:
            log.exception("The checker could not be started: %s", self._command)
            reason = (
                f"The checker could not be started ({error.strerror}). It is being tried again; your attempt is safe."
            )
            self._set_state(CheckerState(ready=False, problem=reason))
            return
        refused = self._follow(process)
        code = _bury(process)
        with self._changed:
            self._process = None
            _close_stdin(process)
        if not self._closing.is_set() and not refused:
            self._set_state(CheckerState(ready=False, problem=self._obituary(code)))

    def _start(self) -> subprocess.Popen[bytes]:
        # A group of its own keeps Ctrl-C in the terminal away from it: it ends by its stdin, tidily. It stays in the session, since
        # Linux shares processors among sessions first and heeds priorities only within each.
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self._cwd, process_group=0
        )
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
        with self._changed:
            self._process = process
            if self._closing.is_set():
                _close_stdin(process)
        return process

    def _follow(self, process: subprocess.Popen[bytes]) -> bool:
        """Take events until stdout ends; True if the checker refused to work."""
        refused = False
        with process.stdout or contextlib.nullcontext(()) as lines:
            for line in lines:
                event = read_event(line)
                if isinstance(event, Ready):
                    self._deaths = 0
                    self._set_state(CheckerState(ready=True, device=event.device, proof=event.proof))
                elif isinstance(event, Refused):
                    refused = True
                    self._set_state(CheckerState(ready=False, problem=event.problem, proof=event.proof))
                elif isinstance(event, Done):
                    self._note_done(event.id)
                else:
                    log.warning("The checker printed a line that is no event: %r", line[:200])
        return refused

    def _note_done(self, submission_id: int) -> None:
        with self._changed:
            self._done[submission_id] = None
            if len(self._done) > DONE_IDS_KEPT:
                self._done.popitem(last=False)
            self._changed.notify_all()

    def _obituary(self, code: int) -> str:
        self._deaths += 1
        log.error("The checker stopped with exit code %d.", code)
        if self._deaths < DEATHS_BEFORE_ADVICE:
            return STOPPED
        return (
            f"The checker has stopped {self._deaths} times in a row while starting (exit code {code}). It is tried again "
            "and your attempt is safe. The terminal of the app shows why; `python -m tutor doctor` says what is missing."
        )

    def _set_state(self, state: CheckerState) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()


def _close_stdin(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _bury(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end and take along what the checker left in its process group; gives the exit code."""
    # While the dead leader is not yet reaped its number cannot be given to another group. Windows knows no groups.
    with contextlib.suppress(ChildProcessError, ProcessLookupError, PermissionError, AttributeError):
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()
