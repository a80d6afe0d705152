"""What a confined worker must not be able to do, tried for real at every start.

An attempt that succeeds returns; its outcome is otherwise the name of the error it met. Attempts are harmless where they succeed.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

from . import policy
from .layers import Walls

SUCCEEDED: Final = "succeeded"
# What walls of other systems than Linux can be asked for.
ELSEWHERE: Final = (
    "open a file", "stat a file", "list a folder", "write a file", "fork", "execute a program", "open a socket",
    "reach a listener", *(["signal the parent"] if os.name == "posix" else []),  # on Windows that would be Ctrl+C
)  # fmt: skip
# What only some walls stop, so that it is tried only where these stand alone.
ALONE: Final = ("learn the host name",)
_PR_GET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_GET_NO_NEW_PRIVS, _PTRACE_TRACEME = 2, 3, 39, 0
_SLACK_BYTES: Final = 64 * policy.MIB
_WAIT_SECONDS: Final = 1.0


def attempt_all(job: Mapping[str, Any], walls: Walls) -> dict[str, Any]:
    """Try everything, or what ``job["only"]`` names.

    Args:
        job: ``canary``, a file that anybody may read; ``port``, where somebody listens on the loopback interface; ``only``.
        walls: what the process is behind.

    Returns:
        ``outcomes``: attempt → how it ended; ``works``: whether attention still runs.
    """
    attempts = _attempts(Path(job["canary"]), job["port"], walls.memory_bytes)
    everything = [name for name in attempts if name not in ALONE] if sys.platform == "linux" else ELSEWHERE
    names = job.get("only") or [name for name in everything if name not in walls.not_kept]
    return {"outcomes": {name: _outcome(attempts[name]) for name in names}, "works": _works(walls.device)}


def _attempts(canary: Path, port: int, memory_bytes: int) -> Mapping[str, Callable[[], object]]:
    return {
        "open a file": canary.read_bytes,
        "open a file past the root": lambda: _read_past_the_root(canary),
        "stat a file": lambda: os.stat(canary),  # noqa: PTH116 - the bare call is what is tried
        "list a folder": lambda: os.listdir(canary.parent),  # noqa: PTH208
        "write a file": lambda: Path(f"{canary}.written").write_bytes(b"x"),
        "grow a file": _grow_a_file,
        "read the environment": lambda: Path("/proc/self/environ").read_bytes(),
        "fork": _fork,
        "start a thread": _thread,
        # A program that does not exist: refused with EPERM by a wall, with ENOENT without one.
        "execute a program": lambda: os.execv(f"{canary}.missing", ["x"]),  # noqa: S606
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "reach a listener": lambda: _reach(port),
        "signal the parent": lambda: os.kill(os.getppid(), 0),
        "trace": _trace,
        "share memory": lambda: mmap.mmap(-1, mmap.PAGESIZE).close(),
        "raise a limit": _raise_a_limit,
        "change the root": lambda: os.chroot("."),
        "take more memory": lambda: bytearray(memory_bytes + _SLACK_BYTES),
        "open many files": _open_many_files,
        "make a file past the root": lambda: _make_past_the_root(canary),
        "take a port": _take_a_port,
        "learn the host name": lambda: _seen(os.uname().nodename == ""),
        "have wider limits": _have_wider_limits,
        "keep a group": lambda: _seen(not os.getgroups() and min(os.getresgid()) >= policy.UID_FIRST),
        "be as urgent as the page": lambda: _seen(os.getpriority(os.PRIO_PROCESS, 0) >= policy.NICENESS),
        "stay in the checker's group": lambda: _seen(os.getpgid(0) == os.getpid()),
        "outlive the checker": _outlive,
        "be looked into": lambda: _asked_for(_PR_GET_DUMPABLE, refused=0),
        "gain rights": lambda: _asked_for(_PR_GET_NO_NEW_PRIVS, refused=1),
    }


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except MemoryError:
        return "ENOMEM"
    except RuntimeError as error:
        return "EAGAIN" if "start new thread" in str(error) else str(error)[:200]
    except ValueError as error:
        return "EPERM" if "not allowed" in str(error) else str(error)[:200]  # how ``resource`` reports it
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error)[:200])
    except AttributeError:
        return "ENOSYS"  # this system has no such thing
    return SUCCEEDED


def _read_past_the_root(canary: Path) -> None:
    """Through a descriptor of the real root, which only a worker that proves a single layer has."""
    file = os.open(str(canary).lstrip("/"), os.O_RDONLY, dir_fd=policy.OUTSIDE_FD)
    os.close(file)


def _grow_a_file() -> None:
    file = os.memfd_create("growing")
    try:
        os.write(file, b"x")
    finally:
        os.close(file)


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _reach(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as visitor:
        visitor.settimeout(_WAIT_SECONDS)
        visitor.connect(("127.0.0.1", port))


def _trace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_PTRACE_TRACEME, 0, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def _raise_a_limit() -> None:
    import resource  # noqa: PLC0415  not on every system

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _open_many_files() -> None:
    opened: list[int] = []
    try:
        while len(opened) < 2 * policy.OPEN_FILES:
            opened.append(os.dup(0))
    finally:
        for file in opened:
            os.close(file)


def _make_past_the_root(canary: Path) -> None:
    where = f"{canary}.made".lstrip("/")
    os.close(os.open(where, os.O_WRONLY | os.O_CREAT, dir_fd=policy.OUTSIDE_FD))


def _take_a_port() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.bind(("127.0.0.1", 0))


def _have_wider_limits() -> None:
    import resource  # noqa: PLC0415  not on every system

    kinds = {"NOFILE": policy.DEVICE_OPEN_FILES, "STACK": policy.STACK_BYTES, "SIGPENDING": policy.PENDING_SIGNALS,
             "CPU": policy.CPU_SECONDS, "NPROC": 1, **dict.fromkeys(("FSIZE", "CORE", "MEMLOCK", "MSGQUEUE"), 0)}  # fmt: skip
    limits = {kind: resource.getrlimit(getattr(resource, f"RLIMIT_{kind}")) for kind in kinds}
    _seen(all(0 <= limit <= kinds[kind] for kind, both in limits.items() for limit in both))


def _outlive() -> None:
    libc, wanted = ctypes.CDLL(None, use_errno=True), ctypes.c_int()
    answer = libc.prctl(_PR_GET_PDEATHSIG, ctypes.byref(wanted), 0, 0, 0)
    _seen(answer == -1 or wanted.value == signal.SIGKILL)


def _seen(as_it_should_be: bool) -> None:
    if as_it_should_be:
        raise PermissionError(errno.EPERM, "as it should be")


def _asked_for(option: int, refused: int) -> None:
    """What the kernel says of this process; a wall may also refuse the question."""
    libc = ctypes.CDLL(None, use_errno=True)
    _seen(libc.prctl(option, 0, 0, 0, 0) in {refused, -1})


def _works(device: str) -> bool:
    x = torch.randn(2, 3, 8, device=device, requires_grad=True)
    nn.MultiheadAttention(8, 2, batch_first=True).to(device)(x, x, x)[0].sum().backward()
    return x.grad is not None and bool(x.grad.isfinite().all())
