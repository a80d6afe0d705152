"""The layers of macOS: weaker than Linux's, and proved at every start like these. Written from Apple's and others' descriptions."""

from __future__ import annotations

import ctypes
import os
import resource

from . import policy
from .layers import Layer, Walls

# Everything is denied but asking the kernel for numbers, which torch does now and then. Starting a process is part of everything.
PROFILE = b"(version 1)(deny default)(allow sysctl-read)"
WEAKER = "it does not end with the checker by itself, only when its pipes close"
_SYSTEM = "/usr/lib/libSystem.B.dylib"


def build_walls(memory_bytes: int) -> Walls:
    """What a worker switches on.

    Args:
        memory_bytes: what a submission may add; the checker watches over that from outside.
    """
    system = ctypes.CDLL(_SYSTEM, use_errno=True)
    layers = (
        Layer("own process", WEAKER, _detach),
        Layer("rlimits", f"{policy.OPEN_FILES} open files, no file grows", _set_limits),
        Layer("seatbelt", "deny by default", lambda _: _enter_seatbelt(system)),
        Layer("memory watchdog", f"{memory_bytes // policy.MIB} MiB, kept by the checker", lambda _: None),
    )
    return Walls(layers, memory_bytes)


def _detach(_number: int) -> None:
    os.setsid()
    os.nice(policy.NICENESS)
    os.umask(policy.UMASK)


def _set_limits(_number: int) -> None:
    wanted = {
        resource.RLIMIT_CPU: policy.CPU_SECONDS,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: max(policy.OPEN_FILES, policy.OUTSIDE_FD + 1),
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        resource.setrlimit(kind, (value, value))


def _enter_seatbelt(system: ctypes.CDLL) -> None:
    problem = ctypes.c_char_p()
    if system.sandbox_init(PROFILE, ctypes.c_uint64(0), ctypes.byref(problem)) != 0:
        raise OSError(ctypes.get_errno(), (problem.value or b"sandbox_init failed").decode("utf-8", "replace"))
