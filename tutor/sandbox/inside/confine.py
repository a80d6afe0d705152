"""Puts the walls up around the calling process, in a fixed order. Any step that fails ends in ``ConfineError``."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from . import policy
from .filters import Landlock, Seccomp, build_landlock, build_seccomp

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 4, 38, 22
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522

Result = TypeVar("Result")


class ConfineError(Exception):
    """A wall could not be put up; the process must not run anything."""


@dataclass(frozen=True, slots=True)
class Walls:
    """Everything a worker switches on, built before the fork.

    ``address_space_bytes`` is the zygote's own size, which a worker starts with, plus the budget ``memory_bytes``.
    ``seccomp`` is None only in tests that prove the self-test notices its absence; ``landlock`` is None also where the
    kernel has none. ``own_uid`` is True where the zygote may hand a uid of its own to each worker.
    """

    libc: ctypes.CDLL
    zygote_pid: int
    memory_bytes: int
    address_space_bytes: int
    no_capabilities: tuple[ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]]
    seccomp: Seccomp | None
    landlock: Landlock | None
    own_uid: bool

    @property
    def ruleset_fd(self) -> int | None:
        return None if self.landlock is None else self.landlock.ruleset.fileno()

    def confine(self, number: int) -> tuple[str, ...]:
        """Confine the calling process for good and say which layers are on.

        Args:
            number: counts the workers of this zygote; it picks the uid.

        Raises:
            ConfineError: one step failed; the message names it.
        """
        _step("process", self._detach)
        layers = ["own process"]
        if self.own_uid:
            _step("uid", lambda: self._change_uid(policy.UID_FIRST + number % policy.UID_COUNT))
            layers.append("own uid")
        _step("capabilities", self._drop_capabilities)
        _step("parent", self._die_with_parent)
        _step("rlimits", lambda: _set_limits(self.address_space_bytes))
        layers.append("rlimits")
        _step("dumpable", lambda: self._prctl(_PR_SET_DUMPABLE, 0))
        _step("no new privileges", lambda: self._prctl(_PR_SET_NO_NEW_PRIVS, 1))
        layers.append("no new privileges")
        landlock, seccomp = self.landlock, self.seccomp
        if landlock is not None:
            _step("landlock", lambda: landlock.ruleset.restrict(no_new_privs=False))
            _step("landlock", landlock.ruleset.close)
            layers.append(landlock.layer)
        if seccomp is not None:
            _step("seccomp", lambda: self._prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, seccomp.address))
            layers.append("seccomp allow-list")
        return tuple(layers)

    def _detach(self) -> None:
        self._die_with_parent()
        os.setsid()
        os.nice(policy.NICENESS)
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(fd, b"%d" % policy.OOM_SCORE_ADJ)
        os.close(fd)
        os.umask(policy.UMASK)

    def _die_with_parent(self) -> None:
        # The kernel forgets the wish when the uid changes, so it is repeated; the parent may also be gone already.
        self._prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.zygote_pid:
            raise ProcessLookupError("the zygote is gone")

    def _change_uid(self, uid: int) -> None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)

    def _drop_capabilities(self) -> None:
        if self.libc.capset(*self.no_capabilities) != 0:
            raise OSError(ctypes.get_errno(), "capset")

    def _prctl(self, option: int, first: int, second: int = 0) -> None:
        if self.libc.prctl(option, first, second, 0, 0) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))


def build_walls(memory_bytes: int, without: frozenset[str] = frozenset()) -> Walls:
    """Build the walls in the zygote.

    Args:
        memory_bytes: address space a submission may add.
        without: layers left out, "seccomp" or "landlock": for tests of the self-test only, no setting leads here.

    Raises:
        WallUnavailableError: a wall that must be there cannot be built.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    return Walls(
        libc=libc,
        zygote_pid=os.getpid(),
        memory_bytes=memory_bytes,
        address_space_bytes=_virtual_bytes() + memory_bytes,
        no_capabilities=((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()),
        seccomp=None if "seccomp" in without else build_seccomp(),
        landlock=None if "landlock" in without else build_landlock(),
        own_uid=_may_change_uid(),
    )


def _may_change_uid() -> bool:
    """Try it in a child: root in a container may lack the capability, or the uids may not be mapped."""
    if os.geteuid() != 0:
        return False
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            last = policy.UID_FIRST + policy.UID_COUNT - 1
            os.setresgid(last, last, last)
            os.setresuid(last, last, last)
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def _virtual_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _set_limits(address_space_bytes: int) -> None:
    wanted = {
        resource.RLIMIT_AS: address_space_bytes,
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
    for kind, value in wanted.items():
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))


def _step(name: str, action: Callable[[], Result]) -> Result:
    try:
        return action()
    except (OSError, ValueError) as error:
        raise ConfineError(f"{name}: {error}") from error
