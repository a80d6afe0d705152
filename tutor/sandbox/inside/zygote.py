"""The zygote: imports torch once, builds the walls once, then forks confined workers on request.

It never reads a submission or a tensor: those go through a pipe straight to the worker. It talks to the trusted process over
a ``SOCK_SEQPACKET`` socket. A request says which layers to put up (null: all) and carries four descriptors: the worker's ends
of the job, result and print pipes, and the pipe on which the worker's wait status is written when it has been reaped. The answer
is the pid and a pidfd.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import socket
import struct
from contextlib import suppress
from importlib import import_module
from typing import Any

from . import policy
from .boot import boot

STATUS = struct.Struct("<i")
ENDS = 4


def main(configuration: str) -> None:
    """Boot and serve until the trusted process closes its end of the socket."""
    settings = json.loads(configuration)
    # Objects made while importing live for ever; collecting among them only costs time.
    gc.disable()
    control = socket.socket(fileno=settings["control"])
    try:
        walls, serve = boot(settings, parent=os.getpid())
        _raise_open_files()
        gc.freeze()
        gc.enable()
    except Exception as error:
        control.send(json.dumps({"problem": f"{type(error).__name__}: {error}"}).encode())
        return
    control.send(json.dumps({"ready": True}).encode())
    run = import_module(".worker", __package__).run
    _Zygote(control, lambda number, ends, only: run(walls, number, ends, serve, only)).serve()


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
        message, ends, _, _ = socket.recv_fds(self._control, policy.REQUEST_BYTES, ENDS)
        if not message or len(ends) != ENDS:
            return False
        only = json.loads(message)["only"]
        try:
            pid = os.fork()
        except OSError as error:
            for fd in ends:
                os.close(fd)
            self._control.send(json.dumps({"problem": f"no process could be started: {error}"}).encode())
            return True
        if pid == 0:
            self._live(self._forked, ends[:3], only)
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


def _raise_open_files() -> None:
    """Each running worker costs two descriptors here."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = policy.ZYGOTE_OPEN_FILES if hard == resource.RLIM_INFINITY else min(policy.ZYGOTE_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
