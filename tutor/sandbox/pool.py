"""``Pool``: keeps confined workers waiting and gives each exactly one job."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

import torch

from tutor.errors import SandboxError, WallMissing
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.tensors import bundle
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.launcher import Configuration, Worker, Zygote
from tutor.sandbox.proof import prove_walls
from tutor.sandbox.run import Frame, Run, RunEnding

__all__ = ["Frame", "Pool", "Run", "RunEnding"]


class Pool:
    """Runs jobs behind walls, from any number of threads.

    A background thread is the only one that talks to the zygote: it forks workers ahead of need, and starts the zygote again
    when it has died. Use it as a context manager, or call ``start`` and ``close``.

    Args:
        workers: jobs that run at once, and confined workers kept waiting.
        memory_mib: address space a job may add, MiB.
        print_bytes: printed text kept per job, bytes.
        configuration: for tests of the walls only; replaces ``memory_mib``.
        zygote: one that the caller has started already with the same configuration, so that its imports run beside the
            caller's own.
    """

    def __init__(
        self,
        *,
        workers: int,
        memory_mib: int,
        print_bytes: int,
        configuration: Configuration | None = None,
        zygote: Zygote | None = None,
    ) -> None:
        self._wanted, self._print_bytes = workers, print_bytes
        self._configuration = configuration or Configuration(memory_mib * policy.MIB)
        self._places = threading.BoundedSemaphore(workers)
        self._changed = threading.Condition()
        self._idle: deque[Worker] = deque()
        self._failures, self._problem = 0, SandboxError("The sandbox has not been started.")
        self._zygote = zygote
        self._isolation: tuple[str, ...] = ()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._wake_read, self._wake_write = -1, -1

    @property
    def isolation(self) -> tuple[str, ...]:
        """The layers that are really on, in short words; empty before ``start``."""
        return self._isolation

    @property
    def zygote_pid(self) -> int | None:
        """For measurements: the process that workers are forked from."""
        return None if self._zygote is None else self._zygote.pid

    def start(self) -> Pool:
        """Start the zygote and let the walls prove themselves. Blocks for the seconds that importing torch takes.

        Raises:
            WallMissing: this system has no such walls, or they do not hold. Nothing will be run.
            SandboxError: the zygote did not start.
        """
        if sys.platform != "linux":
            raise WallMissing(
                f"Student code runs only behind Linux's seccomp, and this is {sys.platform}. Run the tutor in a Linux "
                "container, a virtual machine or WSL2."
            )
        self._boot()
        self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._thread = threading.Thread(target=self._keep_filled, name="sandbox-pool", daemon=True)
        self._thread.start()
        return self

    def run(
        self,
        job: Mapping[str, Any],
        tensors: Sequence[torch.Tensor],
        *,
        case_seconds: float,
        check_seconds: float,
        max_body_bytes: int,
    ) -> Run:
        """Have one job done by a fresh worker. Waits while as many jobs as there are places are running.

        Args:
            job: JSON header of the job; ``source`` is the submission's text.
            tensors: dense CPU tensors of the job.
            case_seconds: longest time between two frames.
            check_seconds: longest time of the whole run.
            max_body_bytes: most bytes of tensors, descriptions included, in all frames together.

        Raises:
            SandboxError: ours: no worker could be had, or the zygote died during the run.
        """
        flat, shapes = bundle(tensors)
        payload = pieces({**job, "shapes": shapes}, flat, Kind.JOB)
        limits = Limits(case_seconds, check_seconds, max_body_bytes, self._print_bytes)
        with self._places:
            return Conversation(self._take(), payload, limits).run()

    def close(self) -> None:
        """End the zygote and all workers. A run in progress raises ``SandboxError``. May be called twice."""
        with self._changed:
            self._closed = True
            self._problem = SandboxError("The sandbox has been closed.")
            self._changed.notify_all()
            if self._thread is not None:
                self._wake()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            os.close(self._wake_read)
            os.close(self._wake_write)
        self._let_go()

    def __enter__(self) -> Pool:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- taking ------------------------------------------------------------------------------------------------------

    def _take(self) -> Worker:
        deadline = time.monotonic() + policy.WORKER_WAIT_SECONDS
        while True:
            with self._changed:
                self._changed.wait_for(self._decided, max(0.0, deadline - time.monotonic()))
                if not self._idle:
                    raise SandboxError(f"No sandbox worker could be had. {self._problem}") from self._problem
                worker = self._idle.popleft()
                # Under the lock: ``close`` must not have closed the pipe, whose number may be somebody else's by then.
                if not self._closed:
                    self._wake()
            if worker.alive:
                return worker
            worker.close()

    def _decided(self) -> bool:
        hopeless = self._closed or self._thread is None or self._failures >= policy.RESTARTS_BEFORE_GIVING_UP
        return bool(self._idle) or hopeless

    # --- keeping filled, in the background thread --------------------------------------------------------------------

    def _keep_filled(self) -> None:
        while not self._closed:
            try:
                self._fill_one()
            except Exception as error:
                # Whatever it is, the pool must go on trying; whoever waits is told after a few failures.
                self._note_failure(error if isinstance(error, SandboxError) else SandboxError(str(error)))

    def _fill_one(self) -> None:
        if self._zygote is None or not self._zygote.alive:
            self._let_go()
            self._boot()
        elif len(self._idle) < self._wanted:
            if self._idle:
                # A fork competes with the job that was just taken; while another worker waits it can come a moment later.
                self._sleep(policy.LULL_SECONDS, self._zygote)
            self._add(self._zygote.fork())
        else:
            self._sleep(None, self._zygote)

    def _add(self, worker: Worker) -> None:
        with self._changed:
            self._idle.append(worker)
            self._failures = 0
            self._changed.notify()

    def _note_failure(self, problem: SandboxError) -> None:
        with self._changed:
            if self._closed:
                return
            self._failures, self._problem = self._failures + 1, problem
            self._changed.notify_all()
        pause = min(policy.BACKOFF_FIRST_SECONDS * 2**self._failures, policy.BACKOFF_LAST_SECONDS)
        self._sleep(pause, None)

    def _sleep(self, seconds: float | None, zygote: Zygote | None) -> None:
        """Until woken, until the zygote goes, or so many seconds."""
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        if zygote is not None:
            poll.register(zygote.fileno(), select.POLLIN)
        poll.poll(None if seconds is None else seconds * 1_000)
        with suppress(BlockingIOError):
            os.read(self._wake_read, 4_096)

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wake_write, b"w")

    # --- the zygote --------------------------------------------------------------------------------------------------

    def _boot(self) -> None:
        if self._zygote is None:
            self._zygote = Zygote(self._configuration)
        try:
            self._zygote.wait_until_ready()
            self._isolation = prove_walls(self._zygote)
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        with self._changed:
            workers = list(self._idle)
            self._idle.clear()
        for worker in workers:
            worker.close()
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
