"""``Pool``: keeps confined workers waiting and gives each exactly one job."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

import torch

from tutor.errors import SandboxError
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.tensors import bundle
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.lanes import Lanes
from tutor.sandbox.proof import prove_walls
from tutor.sandbox.run import Frame, Run, RunEnding
from tutor.sandbox.worker import Source, Worker
from tutor.walls import Proof

__all__ = ["Frame", "Pool", "Run", "RunEnding"]


class Pool:
    """Runs jobs behind walls, from any number of threads.

    A background thread is the only one that talks to the source of workers: it has them made ahead of need, and starts the source again
    when it has died. Use it as a context manager, or call ``start`` and ``close``.

    Args:
        make_source: starts a source of workers; one that needs some seconds returns at once.
        workers: jobs that run at once, and confined workers kept waiting.
        print_bytes: printed text kept per job, bytes.
        slow: jobs that run beside these once they have taken long.
        first: a source that the caller has started already, so that its imports run beside the caller's own.
        unsafe: run student code even where the walls have holes.
    """

    def __init__(
        self,
        make_source: Callable[[], Source],
        *,
        workers: int,
        print_bytes: int,
        slow: int = 0,
        first: Source | None = None,
        unsafe: bool = False,
    ) -> None:
        self._make_source, self._wanted, self._print_bytes, self._unsafe = make_source, workers, print_bytes, unsafe
        self._lanes = Lanes(workers, slow)
        self._changed = threading.Condition()
        self._idle: deque[Worker] = deque()
        self._failures, self._problem = 0, SandboxError("The sandbox has not been started.")
        self._source = first
        self._proof = Proof()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._woken = threading.Event()

    @property
    def proof(self) -> Proof:
        """The layers and what the start-up test found; empty before ``start``."""
        return self._proof

    @property
    def zygote_pid(self) -> int | None:
        """For measurements: the process that workers are forked from."""
        return None if self._source is None else self._source.pid

    def start(self) -> Pool:
        """Let the walls prove themselves. Blocks for the seconds that importing torch takes.

        Raises:
            WallMissing: this system has no such walls, or they do not hold. Nothing will be run.
            SandboxError: the source did not start.
        """
        self._boot()
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
            SandboxError: ours: no worker could be had, or where it came from died during the run.
        """
        flat, shapes = bundle(tensors)
        payload = pieces({**job, "shapes": shapes}, flat, Kind.JOB)
        limits = Limits(case_seconds, check_seconds, max_body_bytes, self._print_bytes)
        asked = time.monotonic()
        place = self._lanes.enter()
        try:
            worker = self._take()
            waited = time.monotonic() - asked
            run = Conversation(worker, payload, limits, when_slow=place.step_aside).run()
        finally:
            place.leave()
        return replace(run, waited=run.waited + waited)

    def close(self) -> None:
        """End all workers and where they come from. A run in progress raises ``SandboxError``. May be called twice."""
        with self._changed:
            self._closed = True
            self._problem = SandboxError("The sandbox has been closed.")
            self._changed.notify_all()
            self._woken.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
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
                self._woken.set()
            # A worker whose zygote has died is about to.
            source = self._source
            if worker.alive and source is not None and source.alive:
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
        source = self._source
        if source is None or not source.alive:
            self._let_go()
            self._boot()
        elif len(self._idle) < self._wanted:
            if self._idle:
                # A fork competes with the job that was just taken; while another worker waits it can come a moment later.
                self._rest(policy.LULL_SECONDS)
            self._add(source.fork())
        else:
            self._rest(policy.LOOK_SECONDS)

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
        self._rest(min(policy.BACKOFF_FIRST_SECONDS * 2**self._failures, policy.BACKOFF_LAST_SECONDS))

    def _rest(self, seconds: float) -> None:
        """Until woken, or so many seconds."""
        self._woken.wait(seconds)
        self._woken.clear()

    # --- the source ----------------------------------------------------------------------------------------------------

    def _boot(self) -> None:
        if self._source is None:
            self._source = self._make_source()
        try:
            self._source.wait_until_ready()
            self._proof = prove_walls(self._source, unsafe=self._unsafe)
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        with self._changed:
            workers = list(self._idle)
            self._idle.clear()
        for worker in workers:
            worker.close()
        if self._source is not None:
            self._source.close()
            self._source = None
