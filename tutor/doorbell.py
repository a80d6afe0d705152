"""The process around a ``Worker``: ids come in on stdin, events go out on stdout, and it ends when stdin closes."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import IO

from tutor.dispatch.wire import Done, Event, Ready, Refused, write_event
from tutor.errors import TutorError, WallMissing
from tutor.store.protocol import Store
from tutor.walls import Proof
from tutor.worker import Checking, Worker

log = logging.getLogger(__name__)

ENDED, DIED, REFUSED = 0, 1, 3


def serve_doorbell(
    open_store: Callable[[], Store],
    open_checking: Callable[[], Checking],
    *,
    concurrency: int,
    lease_seconds: float,
    each: int | None = None,
    bells: IO[bytes] | None = None,
    events: IO[bytes] | None = None,
) -> int:
    """Be a checking process until stdin ends, Ctrl-C or SIGTERM; gives the exit code: 0, 1 if it died, 3 if it refused to work.

    From here on this process's stdout leads to stderr, so that a stray print is never taken for an event.

    Args:
        open_store: opens the store; closed at the end.
        open_checking: builds the sandbox and all around it; closed at the end. A ``TutorError`` becomes a "refused" event.
        concurrency: checks at once.
        lease_seconds: see ``Worker``.
        each: see ``Worker``.
        bells: ids as lines, instead of stdin.
        events: takes the events, instead of stdout; unbuffered.
    """
    report = _reporter(events or _take_stdout())
    with contextlib.ExitStack() as stack:
        try:
            store = open_store()
            stack.callback(store.close)
            checking = open_checking()
            stack.callback(checking.close)
        except TutorError as error:
            found = error.proof if isinstance(error, WallMissing) else None
            report(Refused(problem=str(error), proof=found or Proof()))
            return REFUSED
        except Exception as error:
            log.exception("The checker could not start.")
            what = type(error).__name__
            report(Refused(problem=f"The checker could not start ({what}). The terminal of the app shows the reason."))
            return REFUSED
        worker = Worker(
            store,
            checking.check,
            checking.broken,
            name=f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}",
            concurrency=concurrency,
            lease_seconds=lease_seconds,
            on_done=lambda submission_id: report(Done(id=submission_id)),
            each=each,
        )
        report(Ready(device=checking.device, proof=checking.proof))
        return _work(worker, bells or sys.stdin.buffer)


def _work(worker: Worker, bells: IO[bytes]) -> int:
    stop, died = threading.Event(), threading.Event()

    def run() -> None:
        try:
            worker.run(stop)
        except Exception:
            log.exception("The checker ends, so that a new one can be started.")
            died.set()
            # A process that listens but checks nothing would never be replaced; only a signal ends the waiting for stdin.
            if not stop.is_set():
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    loop = threading.Thread(target=run, name="worker-loop")
    with _signals_interrupt():
        try:
            loop.start()
            for line in bells:
                try:
                    worker.ring(int(line))
                except ValueError:
                    log.warning("A line on stdin is not the number of a submission: %r", line[:80])
        except KeyboardInterrupt:
            log.info("The checker was asked to end.")
        stop.set()
        while loop.is_alive():
            with contextlib.suppress(KeyboardInterrupt):
                loop.join()
    return DIED if died.is_set() else ENDED


@contextlib.contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Let SIGTERM end the reading of stdin the way Ctrl-C does."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _take_stdout() -> IO[bytes]:
    sys.stdout.flush()
    # The copy is not inherited by programs started from here, and descriptor 1, which is, no longer reaches the page.
    own = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return own


def _reporter(events: IO[bytes]) -> Callable[[Event], None]:
    lock = threading.Lock()

    def report(event: Event) -> None:
        # A page that is gone hears nothing; its end also closes stdin, which ends this process.
        with lock, contextlib.suppress(OSError):
            events.write(write_event(event))

    return report
