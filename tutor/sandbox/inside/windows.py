"""The layers of Windows. None keeps files or the network away, so the start-up test refuses unless the operator asks for no walls."""

from __future__ import annotations

from . import policy
from .layers import Layer, Walls

NO_WALL = "Windows has no wall around files and the network that a process can put up itself; WSL2 has"


def build_walls(memory_bytes: int) -> Walls:
    """What is around a worker; the checker has set it up from outside.

    Args:
        memory_bytes: what the job object lets a submission add.
    """
    layers = (
        Layer("job object", f"{memory_bytes // policy.MIB} MiB of memory, no further process", lambda _: None),
        Layer("seccomp", NO_WALL),
    )
    return Walls(layers, memory_bytes)
