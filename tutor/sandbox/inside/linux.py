"""The layers of Linux, in the order they go up. Each step that fails ends the worker before it runs anything."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import resource
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from . import landlock, policy, seccomp
from .device import start
from .layers import Layer, Walls, in_a_child

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_CAPABILITY_VERSION_3 = 0x20080522
_OWN_PROCESS_STOPS = dict.fromkeys(
    ("be looked into", "outlive the checker", "be as urgent as the page", "stay in the checker's group"), "EPERM"
)
NONE_TO_DROP = "this user has none to begin with"
DRIVER_OPEN = "the promise is weaker: the driver's device files stay open, and with them its part of the kernel"
ONLY_ROOT = "only root can give each worker a user of its own"


def open_libc() -> ctypes.CDLL:
    """The C library, with the types its calls need."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    # Looked up here and kept, because each worker would have to look it up again.
    libc.capset.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return libc


def build_walls(libc: ctypes.CDLL, parent: int, memory_bytes: int, proc: int, outside: int) -> Walls:
    """Everything a worker switches on, built before it exists.

    Args:
        libc: see ``open_libc``.
        parent: pid of the process whose end is also the worker's.
        memory_bytes: address space a submission may add to what is mapped already.
        proc: a descriptor of /proc, which no path may lead to any more.
        outside: see ``Walls``.
    """
    layers = (
        _own_process(libc, parent, proc),
        _own_uid(libc, parent),
        _no_capabilities(libc),
        _limits(memory_bytes, bounded=True),
        _no_new_privileges(libc),
        landlock.layer(),
        seccomp.layer(libc),
    )
    return Walls(layers, memory_bytes, outside)


def build_device_walls(libc: ctypes.CDLL, parent: int, memory_bytes: int, proc: int, device: str) -> Walls:
    """Walls in two steps, for a device whose driver opens files, starts threads and maps more than it uses.

    What goes up before the driver starts holds for its threads, too; the last filter is put on all of them at once.

    Args:
        libc: see ``open_libc``.
        parent: see ``build_walls``.
        memory_bytes: what a submission may add; the checker watches over that from outside.
        proc: see ``build_walls``.
        device: as torch names it.
    """
    python = {str(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix)}
    reading = [path for path in (*policy.DEVICE_READS, *python) if Path(path).exists()]
    writing = ["/proc", *(str(node) for pattern in policy.DEVICE_NODES for node in sorted(Path("/dev").glob(pattern)))]
    first, not_kept = seccomp.layer(libc, policy.DEVICE_START_CALLS), ("share memory", "take more memory")
    layers = (
        _own_process(libc, parent, proc),
        _own_uid(libc, parent),
        _no_capabilities(libc),
        _no_new_privileges(libc),
        landlock.layer(reading, writing),
        dataclasses.replace(first, id="seccomp for the driver", stops={}),
        Layer("device", DRIVER_OPEN, lambda _: start(device)),
        Layer("memory watchdog", f"{memory_bytes // policy.MIB} MiB, kept by the checker", lambda _: None),
        _limits(memory_bytes, bounded=False, open_files=policy.DEVICE_OPEN_FILES),
        _without(seccomp.layer(libc, policy.DEVICE_CALLS, every_thread=True), not_kept),
    )
    return Walls(layers, memory_bytes, not_kept=not_kept, device=device)


def _without(layer: Layer, not_kept: Collection[str]) -> Layer:
    return dataclasses.replace(layer, stops={name: how for name, how in layer.stops.items() if name not in not_kept})


def _no_new_privileges(libc: ctypes.CDLL) -> Layer:
    return Layer("no new privileges", "", lambda _: _prctl(libc, _PR_SET_NO_NEW_PRIVS, 1), {"gain rights": "EPERM"})


def _own_process(libc: ctypes.CDLL, parent: int, proc: int) -> Layer:
    """Ends with its parent, gives way to others, goes first when memory is short, and cannot be looked into."""

    def put_up(_number: int) -> None:
        _die_with(libc, parent)
        # A group and not a session of its own: Linux shares processors among sessions first, so that a loop in its own
        # one would count as much as the page, however low its priority.
        os.setpgid(0, 0)
        os.nice(policy.NICENESS)
        fd = os.open("self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        os.write(fd, b"%d" % policy.OOM_SCORE_ADJ)
        os.close(fd)
        os.close(proc)
        os.umask(policy.UMASK)
        _prctl(libc, _PR_SET_DUMPABLE, 0)

    return Layer("own process", "", put_up, _OWN_PROCESS_STOPS, kept=(proc,))


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

    return Layer("own uid", "", put_up, {"signal the parent": "EPERM", "keep a group": "EPERM"})


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _may_change_uid() -> bool:
    """Root in a container may lack the capability, or the uids may not be mapped."""
    return os.geteuid() == 0 and in_a_child(lambda: _become(policy.UID_FIRST + policy.UID_COUNT - 1))


def _no_capabilities(libc: ctypes.CDLL) -> Layer:
    # Without any there is nothing that an attempt could show.
    some = any(line.startswith("CapPrm") and int(line.split()[1], 16) for line in _status())
    stops = {"change the root": "EPERM"} if some else {}
    return Layer("no capabilities", "" if some else NONE_TO_DROP, _drop_capabilities(libc), stops)


def _status() -> list[str]:
    return Path("/proc/self/status").read_text().splitlines()


def _drop_capabilities(libc: ctypes.CDLL) -> Callable[[int], None]:
    none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()

    def put_up(_number: int) -> None:
        if libc.capset(*none) != 0:
            raise OSError(ctypes.get_errno(), "capset")

    return put_up


def _limits(memory_bytes: int, *, bounded: bool, open_files: int = policy.OPEN_FILES) -> Layer:
    """``bounded`` is False where a driver maps more than it uses, and somebody else watches over memory."""
    wanted = {
        resource.RLIMIT_CPU: policy.CPU_SECONDS,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NPROC: 1,
        resource.RLIMIT_STACK: policy.STACK_BYTES,
        resource.RLIMIT_SIGPENDING: policy.PENDING_SIGNALS,
    }
    stops, bound = {"grow a file": "EFBIG", "open many files": "EMFILE", "have wider limits": "EPERM"}, ""
    if bounded:
        wanted[resource.RLIMIT_AS] = _virtual_bytes() + memory_bytes
        stops["take more memory"], bound = "ENOMEM", f"{memory_bytes // policy.MIB} MiB of memory, "
    return Layer("rlimits", f"{bound}{open_files} open files, no file grows", lambda _: _set_limits(wanted), stops)


def _set_limits(wanted: Mapping[int, int]) -> None:
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
