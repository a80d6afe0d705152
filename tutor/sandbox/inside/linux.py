"""The layers of Linux, in the order they go up. Each step that fails ends the worker before it runs anything."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from . import landlock, policy, seccomp
from .layers import Layer, Walls

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_CAPABILITY_VERSION_3 = 0x20080522
ONLY_ROOT = "only root can give each worker a user of its own"


def open_libc() -> ctypes.CDLL:
    """The C library, with the types its calls need."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    return libc


def build_walls(libc: ctypes.CDLL, parent: int, memory_bytes: int, proc: int, outside: int) -> Walls:
    """Everything a worker switches on, built before it exists.

    Args:
        libc: see ``open_libc``.
        parent: pid of the process whose end is also the worker's.
        memory_bytes: address space a submission may add to what is mapped already.
        surroundings: layers that are around the whole process.
        proc: a descriptor of /proc, which no path may lead to any more.
        outside: see ``Walls``.
    """
    landlock_layer, ruleset = landlock.layer()
    layers = (
        _own_process(libc, parent, proc),
        _own_uid(libc, parent),
        Layer("no capabilities", "", _drop_capabilities(libc), {"change the root": "EPERM"}),
        _limits({resource.RLIMIT_AS: _virtual_bytes() + memory_bytes}, memory_bytes),
        Layer("no new privileges", "", lambda _: _prctl(libc, _PR_SET_NO_NEW_PRIVS, 1), {"gain rights": "EPERM"}),
        landlock_layer,
        seccomp.layer(libc),
    )
    kept = (proc,) if ruleset is None else (proc, ruleset)
    return Walls(layers, memory_bytes, kept, outside)


def _own_process(libc: ctypes.CDLL, parent: int, proc: int) -> Layer:
    """Ends with its parent, gives way to others, goes first when memory is short, and cannot be looked into."""

    def put_up(_number: int) -> None:
        _die_with(libc, parent)
        os.setsid()
        os.nice(policy.NICENESS)
        fd = os.open("self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        os.write(fd, b"%d" % policy.OOM_SCORE_ADJ)
        os.close(fd)
        os.close(proc)
        os.umask(policy.UMASK)
        _prctl(libc, _PR_SET_DUMPABLE, 0)

    return Layer("own process", "", put_up, {"be looked into": "EPERM"})


def _die_with(libc: ctypes.CDLL, parent: int) -> None:
    _prctl(libc, _PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it may be gone already
        raise ProcessLookupError("the parent process is gone")


def _own_uid(libc: ctypes.CDLL, parent: int) -> Layer:
    if not _may_change_uid():
        return Layer("own uid", ONLY_ROOT)

    def put_up(number: int) -> None:
        _become(policy.UID_FIRST + number % policy.UID_COUNT)
        # The kernel forgets both wishes when the uid changes.
        _die_with(libc, parent)
        _prctl(libc, _PR_SET_DUMPABLE, 0)

    return Layer("own uid", "", put_up, {"signal the parent": "EPERM"})


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _may_change_uid() -> bool:
    """Try it in a child: root in a container may lack the capability, or the uids may not be mapped."""
    if os.geteuid() != 0:
        return False
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _become(policy.UID_FIRST + policy.UID_COUNT - 1)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def _drop_capabilities(libc: ctypes.CDLL) -> Callable[[int], None]:
    none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()

    def put_up(_number: int) -> None:
        if libc.capset(*none) != 0:
            raise OSError(ctypes.get_errno(), "capset")

    return put_up


def _limits(memory: dict[int, int], memory_bytes: int) -> Layer:
    wanted = memory | {
        resource.RLIMIT_CPU: policy.CPU_SECONDS,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: policy.OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NPROC: 1,
        resource.RLIMIT_STACK: policy.STACK_BYTES,
        resource.RLIMIT_SIGPENDING: policy.PENDING_SIGNALS,
    }
    stops = {"take more memory": "ENOMEM", "grow a file": "EFBIG", "open many files": "EMFILE"}
    detail = f"{memory_bytes // policy.MIB} MiB of memory, {policy.OPEN_FILES} open files, no file grows"
    return Layer("rlimits", detail, lambda _: _set_limits(wanted), stops)


def _set_limits(wanted: dict[int, int]) -> None:
    for kind, value in wanted.items():
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))


def _virtual_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _prctl(libc: ctypes.CDLL, option: int, first: int) -> None:
    if libc.prctl(option, first, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
