"""The zygote: imports torch once, builds the walls once, then forks confined workers on request.

It never reads a submission or a tensor: those go through a pipe straight to the worker. It talks to the trusted process over
a ``SOCK_SEQPACKET`` socket. A request carries four descriptors: the worker's ends of the job, result and print pipes, and
the pipe on which the worker's wait status is written when it has been reaped. The answer is the pid and a pidfd.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from . import policy

STATUS = struct.Struct("<i")
ENDS = 4


def main(configuration: str) -> None:
    """Boot and serve until the trusted process closes its end of the socket."""
    settings = json.loads(configuration)
    # Objects made while importing live for ever; collecting among them only costs time.
    gc.disable()
    control = socket.socket(fileno=settings["control"])
    try:
        zygote = _boot(settings, control)
    except Exception as error:
        control.send(json.dumps({"problem": _sentence(error)}).encode())
        return
    control.send(json.dumps({"ready": True}).encode())
    zygote.serve()


def _boot(settings: dict[str, Any], control: socket.socket) -> _Zygote:
    torch = import_module("torch")
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    worker = import_module(".worker", __package__)
    serve = _observer(settings["observer"])
    import_module(".preload", __package__).preload()
    walls = import_module(".confine", __package__).build_walls(settings["memory_bytes"], frozenset(settings["without"]))
    # Made here and inherited, because the first of anything costs each worker a copy of the pages it touches.
    sys.stdout, sys.stderr = _text_stream(1), _text_stream(2)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = policy.ZYGOTE_OPEN_FILES if hard == resource.RLIM_INFINITY else min(policy.ZYGOTE_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    gc.freeze()
    gc.enable()
    # A thread would not survive the fork, and a library that waits for it would hang in every worker.
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise RuntimeError(f"The sandbox process has {threads} threads after its start and cannot be forked safely.")
    return _Zygote(control, lambda number, ends: worker.run(walls, number, ends, serve))


def _text_stream(fd: int) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _observer(path: str | None) -> Any:
    """``serve`` of ``observe``, or of a stand-in file in tests."""
    if path is None:
        return import_module(".observe", __package__).serve
    namespace: dict[str, Any] = {"__name__": "observer"}
    exec(compile(Path(path).read_bytes(), path, "exec"), namespace)  # noqa: S102
    return namespace["serve"]


class _Zygote:
    def __init__(self, control: socket.socket, live: Any) -> None:
        self._control, self._live = control, live
        self._workers: dict[int, tuple[int, int]] = {}  # pidfd -> pid, status pipe
        self._forked = 0
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> None:
        while True:
            for fd, _ in self._poll.poll():
                if fd != self._control.fileno():
                    self._reap(fd)
                elif not self._answer():
                    return  # the workers follow: they asked for SIGKILL when their parent dies

    def _answer(self) -> bool:
        message, ends, _, _ = socket.recv_fds(self._control, 64, ENDS)
        if not message or len(ends) != ENDS:
            return False
        try:
            pid = os.fork()
        except OSError as error:
            for fd in ends:
                os.close(fd)
            self._control.send(json.dumps({"problem": f"no process could be started: {error}"}).encode())
            return True
        if pid == 0:
            self._live(self._forked, ends[:3])
        self._forked += 1
        for fd in ends[:3]:
            os.close(fd)
        self._adopt(pid, ends[3])
        return True

    def _adopt(self, pid: int, status_fd: int) -> None:
        pidfd = os.pidfd_open(pid)
        self._workers[pidfd] = (pid, status_fd)
        self._poll.register(pidfd, select.POLLIN)
        socket.send_fds(self._control, [json.dumps({"pid": pid}).encode()], [pidfd])

    def _reap(self, pidfd: int) -> None:
        pid, status_fd = self._workers.pop(pidfd)
        self._poll.unregister(pidfd)
        _, status = os.waitpid(pid, 0)
        with suppress(OSError):  # nobody may want to know any more
            os.write(status_fd, STATUS.pack(status))
        os.close(status_fd)
        os.close(pidfd)


def _sentence(error: Exception) -> str:
    return str(error) if type(error).__name__ == "WallUnavailableError" else f"{type(error).__name__}: {error}"
