"""A single-use worker: confine, say so, wait for one job, observe, exit."""

from __future__ import annotations

import gc
import io
import json
import linecache
import mmap
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TypeAlias

import torch

from . import policy, selftest
from .layers import ConfineError, Walls
from .loading import FILENAME
from .rehearsal import rehearse
from .tensors import unbundle
from .wire import Buffer, Caps, FrameReader, Kind, RawFrame, TensorBytes, pieces

if sys.platform != "win32":
    import fcntl

Serve: TypeAlias = Callable[[Mapping[str, Any], Sequence[torch.Tensor], Callable[..., None]], None]


class Emitter:
    """Writes one frame per call to the result pipe. It holds back some memory for the moment when there is none left."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._reserve: mmap.mmap | None = _private_memory(policy.RESERVE_BYTES)

    def __call__(self, header: Mapping[str, Any], tensors: Sequence[TensorBytes]) -> None:
        """Send a header and its tensors; ``{"done": true}`` in the header makes it the last frame.

        Raises:
            MemoryError: not even the reserve was enough.
        """
        with suppress(Exception):  # the streams may be anything by now
            sys.stdout.flush()
            sys.stderr.flush()
        kind = Kind.LAST if header.get("done") is True else Kind.CASE
        try:
            parts = pieces(header, tensors, kind)
        except MemoryError:
            self.make_room()
            parts = pieces(header, tensors, kind)
        self.write(parts)

    def make_room(self) -> None:
        """Give the reserve back, so that the report of a failure can be built."""
        if self._reserve is not None:
            self._reserve.close()
            self._reserve = None
            gc.collect()

    def write(self, parts: Sequence[Buffer]) -> None:
        for part in parts:
            with memoryview(part) as view:
                sent = 0
                while sent < len(view):
                    sent += os.write(self._fd, view[sent : sent + policy.PIPE_BYTES])


def run(walls: Walls, number: int, ends: Sequence[int], serve: Serve, only: Sequence[str] | None = None) -> NoReturn:
    """Live and die as a worker.

    Args:
        walls: what to confine with.
        number: counts the workers.
        ends: read end of the job pipe, write ends of the result pipe and of the pipe for printed text.
        serve: what observes a job.
        only: puts up just these layers, to prove that each holds by itself. Such a worker takes no job but that proof.
    """
    code = policy.EXIT_BROKEN
    try:
        emit = Emitter(policy.RESULT_FD)
        if _confine(walls, number, ends, emit, only):
            if only is None:
                rehearse(serve, walls.device)
            code = _work(_read_job(), emit, serve, walls, proving=only is not None)
        else:
            code = policy.EXIT_REFUSED
    except MemoryError:
        code = policy.EXIT_OUT_OF_MEMORY
    finally:
        os._exit(code)


def _confine(walls: Walls, number: int, ends: Sequence[int], emit: Emitter, only: Sequence[str] | None) -> bool:
    _arrange(ends, walls, proving=only is not None)
    try:
        walls.confine(number, only)
    except ConfineError as error:
        emit.write(pieces({"problem": str(error)}, [], Kind.REFUSED))
        return False
    emit.write(pieces({"layers": [layer.described() for layer in walls.layers]}, [], Kind.READY))
    return True


def _arrange(ends: Sequence[int], walls: Walls, *, proving: bool) -> None:
    """Put the pipe ends at fixed numbers and close everything else but what the layers need once more."""
    moved = [(_empty(), 0), (ends[0], policy.JOB_FD), (ends[1], policy.RESULT_FD), (ends[2], 1), (ends[2], 2)]
    if proving and walls.outside is not None:
        moved.append((walls.outside, policy.OUTSIDE_FD))
    # First out of the way of all the numbers that are wanted; duplicates come one above the other.
    aside = [_duplicate_above(source, policy.OUTSIDE_FD) for source, _ in moved]
    for source, (_, target) in zip(aside, moved, strict=True):
        os.dup2(source, target)
    low = 3
    for kept in sorted({target for _, target in moved if target > low} | set(walls.kept)):
        os.closerange(low, kept)
        low = kept + 1
    os.closerange(low, policy.ZYGOTE_OPEN_FILES)


def _empty() -> int:
    """Something to read that is at its end. /dev/null would be one open file for all workers, whose flags one could set for the next."""
    reading, writing = os.pipe()
    os.close(writing)
    return reading


def _duplicate_above(fd: int, floor: int) -> int:
    """A duplicate with a number above ``floor``."""
    if os.name != "nt":
        return fcntl.fcntl(fd, fcntl.F_DUPFD, floor + 1)
    passed: list[int] = []
    while (found := os.dup(fd)) <= floor:
        passed.append(found)
    for number in passed:
        os.close(number)
    return found


def _private_memory(size: int) -> mmap.mmap:
    if os.name == "nt":
        return mmap.mmap(-1, size)
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _read_job() -> RawFrame:
    reader = FrameReader(Caps(policy.JOB_HEADER_BYTES, policy.JOB_BODY_BYTES, policy.JOB_TENSORS, 1))
    while True:
        chunk = os.read(policy.JOB_FD, policy.READ_BYTES)
        if not chunk:
            os._exit(0)  # the trusted side closed the pipe: this worker is not needed
        frames = reader.feed(chunk)
        if frames:
            os.close(policy.JOB_FD)
            return frames[0]


def _work(frame: RawFrame, emit: Emitter, serve: Serve, walls: Walls, *, proving: bool) -> int:
    job: dict[str, Any] = json.loads(frame.header)
    if frame.kind is Kind.SELF_TEST:
        emit.write(pieces(selftest.attempt_all(job, walls), [], Kind.LAST))
        return 0
    if proving:
        return policy.EXIT_REFUSED
    tensors = unbundle(frame.tensors, job["shapes"])
    _make_comfortable(job.get("source", ""))
    try:
        serve(job, tensors, emit)
    except MemoryError:
        return policy.EXIT_OUT_OF_MEMORY
    except BaseException:
        return policy.EXIT_BROKEN
    with suppress(BaseException):
        sys.stdout.flush()
    return 0


def _make_comfortable(source: str) -> None:
    """Soften what the walls would turn into strange errors. Nothing here is needed for safety."""
    # Without a modification time the entry is never looked up on disk, so tracebacks show the student's lines.
    linecache.cache[FILENAME] = (len(source), None, io.StringIO(source).readlines(), FILENAME)
    torch.set_num_threads = torch.set_num_interop_threads = _ignore
    # It imports the compiler; on one thread of a CPU everything is deterministic anyway.
    torch.use_deterministic_algorithms = _ignore
    torch.compile = _uncompiled
    torch.nn.Module.compile = _ignore  # type: ignore[method-assign]


def _ignore(*_args: Any, **_options: Any) -> None:
    return None


def _uncompiled(model: Any = None, **_options: Any) -> Any:
    return _uncompiled if model is None else model
