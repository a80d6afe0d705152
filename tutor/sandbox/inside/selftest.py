"""What a confined worker must not be able to do, tried for real at every start of a zygote.

Each attempt returns when it succeeded and raises when it was refused. Attempts are harmless where they succeed.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

_REFUSED: Final = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EAGAIN, errno.ENOMEM})
_PTRACE_TRACEME: Final = 0
_SLACK_BYTES: Final = 64 * 1024 * 1024
NAMES: Final = (
    "open a file", "stat a file", "list a folder", "write a file", "read the environment", "fork", "start a thread",
    "execute a program", "open a socket", "signal the parent", "trace", "share memory", "raise a limit",
    "take more memory",
)  # fmt: skip


def attempt_all(canary: str, memory_bytes: int) -> dict[str, Any]:
    """Try everything.

    Args:
        canary: a file that anybody may read.
        memory_bytes: the budget; more than that must not be had.

    Returns:
        ``succeeded``: the names of the attempts that were not refused; ``works``: whether attention still runs.
    """
    attempts = _attempts(canary, memory_bytes)
    succeeded = [f"{name} ({outcome})" for name in NAMES if (outcome := _outcome(attempts[name])) is not None]
    return {"succeeded": succeeded, "works": _works()}


def _attempts(canary: str, memory_bytes: int) -> Mapping[str, Callable[[], object]]:
    return {
        "open a file": lambda: Path(canary).read_bytes(),
        "stat a file": lambda: os.stat(canary),  # noqa: PTH116 - the bare call is what is tried
        "list a folder": lambda: os.listdir("/"),  # noqa: PTH208
        "write a file": lambda: Path(canary + ".written").write_bytes(b"x"),
        "read the environment": lambda: Path("/proc/self/environ").read_bytes(),
        "fork": _fork,
        "start a thread": _thread,
        # A program that does not exist: refused with EPERM by a wall, with ENOENT without one.
        "execute a program": lambda: os.execv(canary + ".missing", ["x"]),  # noqa: S606
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "signal the parent": lambda: os.kill(os.getppid(), 0),
        "trace": _trace,
        "share memory": lambda: mmap.mmap(-1, mmap.PAGESIZE).close(),
        "raise a limit": _raise_limit,
        "take more memory": lambda: bytearray(memory_bytes + _SLACK_BYTES),
    }


def _outcome(attempt: Callable[[], object]) -> str | None:
    """None if the attempt was refused, else what happened."""
    try:
        attempt()
    except MemoryError:
        return None
    except RuntimeError as error:
        return None if "start new thread" in str(error) else str(error)
    except ValueError as error:
        return None if "not allowed" in str(error) else str(error)  # how ``resource`` reports EPERM
    except OSError as error:
        return None if error.errno in _REFUSED else f"answered {errno.errorcode.get(error.errno or 0, 'unknown')}"
    return "succeeded"


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _trace() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(_PTRACE_TRACEME, 0, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def _raise_limit() -> None:

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _works() -> bool:
    x = torch.randn(2, 3, 8, requires_grad=True)
    nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0].sum().backward()
    return x.grad is not None and bool(x.grad.isfinite().all())
