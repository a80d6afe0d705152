"""A confined worker as the trusted side sees it, however it was started: bytes go in once, events come out, it can be ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from tutor.sandbox.inside.wire import Buffer


@dataclass(frozen=True, slots=True)
class Said:
    """Bytes of the result pipe."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wrote:
    """Bytes the student's code printed."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The process is gone, after everything it said: by a signal or with an exit code."""

    signal: int | None = None
    exit_code: int | None = None


Event: TypeAlias = Said | Wrote | Ended


class Worker(Protocol):
    """A process that waits for its one job. ``layers`` is what it said about its walls when it was ready."""

    @property
    def pid(self) -> int: ...

    @property
    def layers(self) -> tuple[dict[str, Any], ...]: ...

    @property
    def alive(self) -> bool: ...

    def send(self, payload: Sequence[Buffer]) -> None:
        """Begin to send the job; what does not fit at once goes while ``events`` waits."""

    def events(self, seconds: float) -> Sequence[Event]:
        """What happened, after waiting for it at most so long.

        Raises:
            SandboxError: how the process ended cannot be known, so nothing can be said about its job.
        """

    def waited_seconds(self) -> float:
        """How long it was ready to run and had no processor, since it was started, up to when it last had one; 0 where the system does not
        say.
        """

    def is_runnable(self) -> bool:
        """Whether it runs or waits for a processor, and does not sleep; False where the system does not say."""

    def ran_seconds(self) -> float:
        """How long it had one; 0 where the system does not say."""

    def kill(self) -> None: ...

    def last_printed(self) -> Sequence[Wrote]:
        """What was still on its way when it was killed, up to a bound."""

    def close(self) -> None:
        """Kill the process, if it still is, and let go of everything. May be called twice."""


class Source(Protocol):
    """Where workers come from. Not thread-safe; the pool uses it from one thread at a time."""

    @property
    def pid(self) -> int | None:
        """The process that workers are forked from, if there is one."""

    @property
    def alive(self) -> bool: ...

    @property
    def cheap(self) -> bool:
        """Whether a worker costs so little that every layer can be tried alone at every start."""

    def wait_until_ready(self) -> None:
        """Wait for imports and warm-up.

        Raises:
            SandboxError: it did not start; it is closed then.
        """

    def fork(self, only: Sequence[str] | None = None) -> Worker:
        """A new worker, confined and waiting; ``only`` names layers to put up for proving them alone.

        Raises:
            SandboxError: it could not be had.
        """

    def close(self) -> None:
        """End it and with it every worker."""
