"""Workers without a zygote: each is a new Python that imports everything itself. For systems that cannot fork a process with torch in it
(macOS, Windows), for devices that must not be inherited by a fork (CUDA), and on Linux by a setting.

A worker takes a second or two to get ready, so the pool keeps some waiting; what a check costs then is the same.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any

import psutil

from tutor.errors import SandboxError
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Buffer
from tutor.sandbox.launcher import Configuration, await_ready, clean_environment, command
from tutor.sandbox.scheduling import is_runnable, ran_seconds, waited_seconds
from tutor.sandbox.worker import Ended, Event, Said, Wrote

_QUEUED_CHUNKS = 8
_LAST_READS = 32
_LAST_SECONDS = 0.2


class SpawnedWorker:
    """See ``Worker``. One thread per pipe, since not every system can wait for several pipes at once.

    Args:
        process: with pipes for its three streams: the job goes in, results come out, printed text comes as errors.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._budget = process, 0
        self.layers = tuple[dict[str, Any], ...]()
        # Bounded, so that a flood waits in the pipe and not here.
        self._events: queue.Queue[Event] = queue.Queue(_QUEUED_CHUNKS)
        self._closed = threading.Event()
        self._too_much_memory, self._abandoned = False, False
        if process.stdout is None or process.stderr is None or process.stdin is None:
            raise SandboxError("A worker was started without pipes.")
        self._job: IO[bytes] = process.stdin
        self._result = self._in_thread(self._read, process.stdout, Said)
        self._printed = self._in_thread(self._read, process.stderr, Wrote)
        self._in_thread(self._wait)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, payload: Sequence[Buffer]) -> None:
        self._in_thread(self._write, [part for part in payload if len(part)])
        if self._budget:
            self._in_thread(self._watch, self._held() + self._budget)

    def watch_over(self, memory_bytes: int) -> None:
        """End it if it comes to hold so much more than it holds when it is given its job."""
        self._budget = memory_bytes

    def events(self, seconds: float) -> list[Event]:
        event = None
        with suppress(queue.Empty):
            event = self._events.get(timeout=max(0.0, seconds))
        if self._abandoned and isinstance(event, Ended):
            raise SandboxError(
                "The sandbox was closed while a check was running. Nothing is lost; run the check again."
            )
        return [] if event is None else [event]

    def last_printed(self) -> list[Wrote]:
        found: list[Wrote] = []
        deadline = time.monotonic() + _LAST_SECONDS
        while len(found) < _LAST_READS and (self._printed.is_alive() or not self._events.empty()):
            found += [event for event in self.events(0.01) if isinstance(event, Wrote)]
            if time.monotonic() > deadline:
                break
        return found

    def waited_seconds(self) -> float:
        return waited_seconds(self.pid)

    def is_runnable(self) -> bool:
        return is_runnable(self.pid)

    def ran_seconds(self) -> float:
        return ran_seconds(self.pid)

    def kill(self) -> None:
        self._process.kill()

    def abandon(self) -> None:
        """End it from outside a run; what it was doing is to be done again."""
        self._abandoned = True
        self.kill()

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self.kill()
            self._process.wait()
            with suppress(OSError):
                self._job.close()

    def _in_thread(self, work: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, name=f"worker-{self.pid}", daemon=True)
        thread.start()
        return thread

    def _put(self, event: Event) -> None:
        while not self._closed.is_set():
            with suppress(queue.Full):
                self._events.put(event, timeout=0.1)
                return

    def _read(self, pipe: IO[bytes], kind: type[Said] | type[Wrote]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), policy.READ_BYTES):
                self._put(kind(chunk))

    def _write(self, payload: Sequence[Buffer]) -> None:
        with suppress(OSError, ValueError):  # it may be gone, or not want to hear it all
            for part in payload:
                self._job.write(part)
            self._job.close()

    def _wait(self) -> None:
        code = self._process.wait()
        # What it said before counts, and comes first.
        self._result.join()
        if self._too_much_memory:
            code = policy.EXIT_OUT_OF_MEMORY
        self._put(Ended(signal=-code) if code < 0 else Ended(exit_code=code))

    def _watch(self, most_bytes: int) -> None:
        """End it as soon as it holds too much."""
        while not self._closed.wait(policy.WATCH_SECONDS) and self.alive:
            try:
                held = self._held()
            except SandboxError:
                self.abandon()  # who cannot be watched is ended, and not at the student's cost
                return
            if held > most_bytes:
                self._too_much_memory = True
                self.kill()

    def _held(self) -> int:
        """Bytes it holds; 0 once it is gone.

        Raises:
            SandboxError: the system does not say, so nobody would keep it to its memory.
        """
        try:
            held: int = psutil.Process(self.pid).memory_info().rss
        except psutil.NoSuchProcess:
            return 0
        except psutil.Error as error:
            raise SandboxError(f"The memory of a worker cannot be watched over here ({error}).") from error
        return held


class Spawner:
    """Makes workers one by one; there is no process to fork them from.

    Args:
        configuration: what they are started with.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._started = 0
        self._live: weakref.WeakSet[SpawnedWorker] = weakref.WeakSet()

    @property
    def pid(self) -> int | None:
        return None

    @property
    def alive(self) -> bool:
        return True

    @property
    def cheap(self) -> bool:
        return False

    def wait_until_ready(self) -> None:
        """There is nothing to wait for."""

    def fork(self, only: Sequence[str] | None = None) -> SpawnedWorker:
        """See ``Source``: starts a worker and waits for the seconds it needs to get ready."""
        device = self._configuration.device
        settings = {"role": "worker", "parent": os.getpid(), "number": self._started, "only": only}
        self._started += 1
        process = subprocess.Popen(
            command(self._configuration.described() | settings),
            env=clean_environment(device),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tempfile.gettempdir() if sys.platform == "win32" else "/",
        )
        try:
            worker = SpawnedWorker(process)
        except BaseException:  # no thread could be started
            process.kill()
            process.wait()
            raise
        try:
            if not _hold(process, self._configuration.memory_bytes) or device:
                worker.watch_over(self._configuration.memory_bytes)
            worker.layers = await_ready(worker, policy.BOOT_SECONDS)
        except BaseException:
            worker.close()
            raise
        self._live.add(worker)
        return worker

    def close(self) -> None:
        """End all workers; a run in progress finds its worker gone."""
        for worker in list(self._live):
            worker.abandon()


def _hold(process: subprocess.Popen[bytes], memory_bytes: int) -> bool:
    """Whether the system itself keeps the process to its memory: Linux by a limit it sets itself, Windows by a job object set here."""
    name: str = sys.platform
    if name == "win32":
        from tutor.sandbox.job_object import hold  # noqa: PLC0415

        hold(process, memory_bytes)
    return name in {"linux", "win32"}
