"""The loop of every checking process: claim a submission, check it, save the verdict. Whoever rings, the row decides."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeAlias

from tutor.errors import SandboxError, StoreError
from tutor.model import Submission, Verdict
from tutor.store.protocol import Store
from tutor.trials import Outcome
from tutor.walls import Proof

log = logging.getLogger(__name__)

TRIES = 3  # failures of ours before a submission ends as broken
CLAIMS = 6  # starts, counting those that a crash or a shutdown cut short, before it is not started again
SAVE_SECONDS = 3_600.0  # for so long a verdict that the database refuses is kept and offered again
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
SWEEP_SECONDS = 1.0
GRACE_SECONDS = 1.5

Result: TypeAlias = Verdict | Outcome


class Checking(Protocol):
    """What does the checking in a worker process: the sandbox, the judge and the exercises behind two methods."""

    @property
    def device(self) -> str: ...

    @property
    def proof(self) -> Proof: ...

    def check(self, submission: Submission) -> Result:
        """Judge one submission, or make a trial run; called from several threads. Whatever it raises is ours, never the student's."""

    def broken(self, submission: Submission, reason: str) -> Result:
        """The result that says we could not run it; ``reason`` is a sentence."""

    def close(self) -> None: ...


class Worker:
    """Checks up to ``concurrency`` submissions at once and keeps its claims alive meanwhile.

    Args:
        store: where submissions wait and verdicts go.
        check: judges one submission, or makes a trial run.
        broken: makes the result for one that we failed to run, from a reason.
        name: unique among all running workers; a claim belongs to it.
        concurrency: number of checks at once.
        lease_seconds: a claim not renewed for so long is free again; it is renewed every third of that.
        on_done: told the id after its verdict is stored.
        each: number of checks of one learner at once; None leaves it open.
        retry_seconds: pause before the second try; doubles with each further one.
    """

    def __init__(
        self,
        store: Store,
        check: Callable[[Submission], Result],
        broken: Callable[[Submission, str], Result],
        *,
        name: str,
        concurrency: int,
        lease_seconds: float,
        on_done: Callable[[int], None],
        each: int | None = None,
        retry_seconds: float = 0.5,
    ) -> None:
        self._store, self._check, self._broken, self._on_done = store, check, broken, on_done
        self._name, self._concurrency, self._lease, self._retry = name, concurrency, lease_seconds, retry_seconds
        self._each = each
        self._bells: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._held: set[int] = set()
        self._not_before: dict[int, float] = {}
        self._stopping = threading.Event()

    def ring(self, submission_id: int) -> None:
        """Say that a submission waits. Whoever is free takes what has its turn, which may be another one."""
        log.debug("Rung for submission %d.", submission_id)
        # Once everybody is sure to look again, one more bell would change nothing.
        if self._bells.qsize() < self._concurrency:
            self._bells.put(None)

    def sweep(self) -> None:
        """Let everybody look: lost rings, retries and claims of dead workers are among what waits."""
        now = time.monotonic()
        with self._lock:
            self._not_before = {key: until for key, until in self._not_before.items() if until > now}
        for _ in range(self._concurrency - self._bells.qsize()):
            self._bells.put(None)

    def run(self, stop: threading.Event) -> None:
        """Work until ``stop`` is set; then finish what ends shortly and put the rest back into the queue.

        Raises:
            RuntimeError: a thread has died, for want of memory say. What it held is in the queue; start another worker.
        """
        threads = [self._thread(work) for work in (self._keep_claims, *[self._serve] * self._concurrency)]
        try:
            while not stop.is_set():
                if not all(thread.is_alive() for thread in threads):
                    raise RuntimeError("A thread of the checker has died.")
                self.sweep()
                stop.wait(SWEEP_SECONDS)
        finally:
            self._stopping.set()
            for _ in threads:
                self._bells.put(None)
            deadline = time.monotonic() + GRACE_SECONDS
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            self._release_all()

    def handle(self, submission_id: int) -> None:
        """Claim, check and save one submission in this thread; nothing happens if somebody else has it."""
        with self._lock:
            if submission_id in self._held:
                return
            self._held.add(submission_id)
        try:
            submission = self._store.claim(submission_id, self._name, self._lease)
            if submission is not None:
                self._settle(submission)
        except StoreError as error:
            log.warning("Submission %d stays for the next sweep: %s", submission_id, error)
        finally:
            with self._lock:
                self._held.discard(submission_id)

    def _settle(self, submission: Submission) -> None:
        if submission.tries > CLAIMS:
            reason = f"The checker was stopped each of the {CLAIMS} times it worked on this submission."
            self._save(self._broken(submission, reason), submission.id)
            return
        try:
            self._save(self._check(submission), submission.id)
        except StoreError:
            raise
        except Exception as error:
            log.exception("Submission %d, try %d, was not checked.", submission.id, submission.tries)
            self._after_failure(submission, error)

    def _after_failure(self, submission: Submission, error: Exception) -> None:
        if submission.tries >= TRIES:
            said = (
                str(error)
                if isinstance(error, SandboxError)
                else f"An unexpected {type(error).__name__} in the checker."
            )
            self._save(self._broken(submission, said), submission.id)
            return
        pause = self._retry * 2 ** (submission.tries - 1)
        with self._lock:
            self._not_before[submission.id] = time.monotonic() + pause
        self._store.release(submission.id, self._name)

    def _save(self, result: Result, submission_id: int) -> None:
        """Store the result, patiently: a check that has been made is not lost to a busy database or a full disk."""
        pause, deadline = FIRST_PAUSE, time.monotonic() + SAVE_SECONDS
        while True:
            try:
                saved = self._store.finish(submission_id, self._name, result)
                break
            except StoreError as error:
                log.warning("The result of submission %d is not saved yet: %s", submission_id, error)
                if time.monotonic() > deadline or self._stopping.wait(pause):
                    raise
                pause = min(2 * pause, LONGEST_PAUSE)
        if saved:
            try:
                self._on_done(submission_id)
            except Exception:
                log.exception("Nobody could be told that submission %d is done.", submission_id)

    def _serve(self) -> None:
        while True:
            self._bells.get()
            if self._stopping.is_set():
                return
            try:
                self._work_off()
            except StoreError as error:
                log.warning("The next sweep looks for submissions again: %s", error)
            except Exception:
                log.exception("The next sweep looks for submissions again.")

    def _work_off(self) -> None:
        """Take one submission after the other until none has its turn."""
        passed_over: set[int] = set()
        while not self._stopping.is_set():
            submission_id = self._next(passed_over)
            if submission_id is None:
                return
            self.handle(submission_id)
            passed_over.add(submission_id)

    def _next(self, passed_over: set[int]) -> int | None:
        """What has its turn, but for what was tried just now, is held here or rests before a retry."""
        waiting = self._store.waiting(each=self._each)
        with self._lock:
            now = time.monotonic()
            resting = {key for key, until in self._not_before.items() if until > now}
            return next((one for one in waiting if one not in passed_over | self._held | resting), None)

    def _keep_claims(self) -> None:
        while not self._stopping.wait(self._lease / 3):
            with self._lock:
                held = tuple(self._held)
            for submission_id in held:
                try:
                    self._store.renew(submission_id, self._name, self._lease)
                except Exception as error:
                    log.warning("The claim on submission %d was not renewed: %s", submission_id, error)

    def _release_all(self) -> None:
        with self._lock:
            held = tuple(self._held)
        for submission_id in held:
            try:
                self._store.release(submission_id, self._name)
            except StoreError as error:
                log.warning("Submission %d is free again when its lease ends: %s", submission_id, error)

    def _thread(self, target: Callable[[], None]) -> threading.Thread:
        # Daemon threads: a check that hangs must not keep the process from ending.
        thread = threading.Thread(target=target, name=f"{self._name}-{target.__name__}", daemon=True)
        thread.start()
        return thread
