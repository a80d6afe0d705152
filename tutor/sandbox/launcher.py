"""How a process that holds student code is started, and how it says that it is ready."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutor.errors import SandboxError
from tutor.sandbox.inside.wire import Caps, FrameReader, Kind, RawFrame, WireError
from tutor.sandbox.worker import Ended, Event, Said, Worker

INSIDE = Path(__file__).resolve().parent / "inside"


@dataclass(frozen=True, slots=True)
class Configuration:
    """How to start a process that holds student code.

    Args:
        memory_bytes: address space a submission may add.
        missing: ids of layers that are not to be had; as ``idle`` and ``observer`` for tests alone, no setting leads to them.
        idle: ids of layers that say they are on and do nothing.
        device: the device whose driver a worker starts before it is confined; "" for none, as on the CPU. Only for spawned workers.
        observer: a file that stands in for ``inside/observe.py``.
    """

    memory_bytes: int
    missing: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()
    observer: Path | None = None
    device: str = ""

    def described(self) -> dict[str, Any]:
        """As JSON, for the process itself."""
        return {
            "memory_bytes": self.memory_bytes,
            "missing": sorted(self.missing),
            "idle": sorted(self.idle),
            "device": self.device,
            "observer": None if self.observer is None else str(self.observer),
        }


def command(settings: Mapping[str, Any]) -> list[str]:
    """What starts a process that holds student code: an isolated Python, nothing of the project but one folder."""
    return [sys.executable, "-I", str(INSIDE), json.dumps(settings)]


def clean_environment(device: str = "") -> dict[str, str]:
    """Nothing of ours: no secret reaches a worker. One thread per library, or a fork of it would hang."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    environment |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")}
    # Some installations find libpython or libstdc++ only through the first; Windows starts nothing without the second.
    passed = ["LD_LIBRARY_PATH", "SYSTEMROOT", *(["CUDA_VISIBLE_DEVICES"] if device else [])]
    environment |= {name: os.environ[name] for name in passed if name in os.environ}
    if device:
        environment["CUDA_CACHE_DISABLE"] = "1"  # no file can be written
    return environment


def await_ready(worker: Worker, seconds: float) -> tuple[dict[str, Any], ...]:
    """Wait until a worker is confined; gives what it says of its layers.

    Raises:
        SandboxError: it could not confine itself, or said nothing for so long.
    """
    # No student code exists in the worker yet, so it says exactly one thing, or ends.
    reader, deadline = FrameReader(Caps(body_bytes=0)), time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        for event in worker.events(left):
            frame = _first_frame(reader, event)
            if frame is not None:
                header = json.loads(frame.header)
                if frame.kind is not Kind.READY:
                    raise SandboxError(f"A worker could not confine itself ({header['problem']}); it ran nothing.")
                return tuple(header["layers"])
    raise SandboxError(f"A worker did not confine itself within {seconds:g} s.")


def _first_frame(reader: FrameReader, event: Event) -> RawFrame | None:
    if isinstance(event, Ended):
        raise SandboxError("A worker could not confine itself (it ended); it ran nothing.")
    try:
        frames = reader.feed(event.data) if isinstance(event, Said) else []
    except WireError as error:
        raise SandboxError("A worker said something else than that it is confined.") from error
    return frames[0] if frames else None
