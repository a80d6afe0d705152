"""A single-use worker: confine, say so, wait for one job, observe, exit."""

from __future__ import annotations

import fcntl
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
from .confine import ConfineError, Walls
from .loading import FILENAME
from .rehearsal import rehearse
from .tensors import unbundle
from .wire import Buffer, Caps, FrameReader, Kind, RawFrame, TensorBytes, pieces

Serve: TypeAlias = Callable[[Mapping[str, Any], Sequence[torch.Tensor], Callable[..., None]], None]


class Emitter:
    """Writes one frame per call to the result pipe. It holds back some memory for the moment when there is none left."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._reserve: mmap.mmap | None = mmap.mmap(
            -1, policy.RESERVE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        )

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


def run(walls: Walls, number: int, ends: Sequence[int], serve: Serve) -> NoReturn:
    """Live and die as a worker. The caller has just forked.

    Args:
        walls: what to confine with.
        number: counts the workers.
        ends: read end of the job pipe, write ends of the result pipe and of the pipe for printed text.
        serve: what observes a job.
    """
    code = policy.EXIT_BROKEN
    try:
        emit = Emitter(policy.RESULT_FD)
        if _confine(walls, number, ends, emit):
            rehearse(serve)
            code = _work(_read_job(), emit, serve, walls)
        else:
            code = policy.EXIT_REFUSED
    except MemoryError:
        code = policy.EXIT_OUT_OF_MEMORY
    finally:
        os._exit(code)


def _confine(walls: Walls, number: int, ends: Sequence[int], emit: Emitter) -> bool:
    _arrange(ends, walls.ruleset_fd)
    try:
        layers = walls.confine(number)
    except ConfineError as error:
        emit.write(pieces({"problem": str(error)}, [], Kind.REFUSED))
        return False
    emit.write(pieces({"layers": layers}, [], Kind.READY))
    return True


def _arrange(ends: Sequence[int], ruleset_fd: int | None) -> None:
    """Put the pipe ends at fixed numbers and close everything else but the ruleset, which is needed once more."""
    first_free = policy.RESULT_FD + 1
    job, result, printed = (fcntl.fcntl(fd, fcntl.F_DUPFD, first_free) for fd in ends)
    for source, target in ((job, policy.JOB_FD), (result, policy.RESULT_FD), (printed, 1), (printed, 2)):
        os.dup2(source, target)
    low = 3
    for kept in sorted({policy.JOB_FD, policy.RESULT_FD} | ({ruleset_fd} if ruleset_fd is not None else set())):
        os.closerange(low, kept)
        low = kept + 1
    os.closerange(low, policy.ZYGOTE_OPEN_FILES)


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


def _work(frame: RawFrame, emit: Emitter, serve: Serve, walls: Walls) -> int:
    job: dict[str, Any] = json.loads(frame.header)
    if frame.kind is Kind.SELF_TEST:
        report = selftest.attempt_all(job["canary"], walls.memory_bytes)
        emit.write(pieces(report, [], Kind.LAST))
        return 0
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
