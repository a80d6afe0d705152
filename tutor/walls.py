"""The walls around student code as people read of them: on the page, in ``doctor``, in verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict


class Wall(BaseModel):
    """One layer of the sandbox on this machine.

    Args:
        id: its name, for ever.
        on: whether it is up and proved that it holds.
        detail: what exactly is on; of a missing one, why it is missing.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    on: bool
    detail: str = ""


class Proof(BaseModel):
    """What the start-up test found.

    Args:
        walls: every layer this system could have, in the order they go up.
        each_alone: whether every layer was attacked without the help of the others, too; elsewhere a worker costs too much for that.
        holes: what a worker could do that it must not be able to do, in words. Student code runs behind walls with holes only where
            the operator has asked for just that.
        idle: names of layers that said they were on and stopped nothing; they count as missing.
    """

    model_config = ConfigDict(frozen=True)

    walls: tuple[Wall, ...] = ()
    holes: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    each_alone: bool = False

    @property
    def holds(self) -> bool:
        """Whether nothing got out and nothing that said it was on did nothing."""
        return not self.holes and not self.idle

    @property
    def isolation(self) -> tuple[str, ...]:
        """The names of what is on; if that does not hold, the first says so."""
        return (*(() if self.holds else (UNSAFE,)), *(wall.id for wall in self.walls if wall.on))


UNSAFE: Final = "NOT SAFE"

# What each layer keeps off, as an operator reads it.
MEANINGS: Final[Mapping[str, str]] = {
    "own process": "a process of its own that ends with the checker, gives way to the page and cannot be looked into",
    "namespaces": "a network and message queues of its own, both empty, and no host name",
    "empty root": "no path leads to any file: its root folder is empty and deleted",
    "own uid": "a user of its own for each worker, so that no file and no process is its own",
    "no capabilities": "none of root's powers",
    "rlimits": "limits on memory, files, time and processes",
    "no new privileges": "no program can give it rights it does not have",
    "landlock": "no file, no port, no signal beyond itself, even through what was left open",
    "seccomp": "a short list of system calls: no open, no start, no socket, no signal",
    "seccomp for the driver": "what the device's driver may do while it starts: no program, no connection, no signal",
    "memory watchdog": "ended as soon as it holds more memory than it may",
    "seatbelt": "the system's own sandbox: no file, no network, no new process",
    "job object": "limits on memory and processes, and an end with the checker",
    "device": "started between two sets of walls, so that the driver's own threads are kept in, too",
}
