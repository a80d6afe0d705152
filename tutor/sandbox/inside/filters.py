"""Builds, once in the zygote, what each worker later only has to switch on: the seccomp program and the Landlock ruleset."""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from . import policy

NO_LIBSECCOMP = (
    "Python's seccomp binding or the system library libseccomp was not found. Install the project's requirements and "
    "the package libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora, Alpine), then start again."
)


class WallUnavailableError(Exception):
    """A wall that must be there cannot be built on this machine. The text says which and what to install."""


class _Program(ctypes.Structure):
    """``struct sock_fprog``: the number of BPF instructions and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


@dataclass(frozen=True, slots=True)
class Seccomp:
    """A finished seccomp program; ``address`` is what the kernel wants, the other fields keep its memory alive."""

    program: _Program
    code: ctypes.Array[ctypes.c_char]

    @property
    def address(self) -> int:
        return ctypes.addressof(self.program)


@dataclass(frozen=True, slots=True)
class Landlock:
    """A ruleset without any rule: nothing of the file system or the network remains."""

    ruleset: Any
    layer: str


def build_seccomp() -> Seccomp:
    """Compile the allow-list of ``policy``.

    Raises:
        WallUnavailableError: the binding or the library is not installed.
    """
    try:
        seccomp = import_module("pyseccomp")
    except (ImportError, RuntimeError, OSError) as error:
        raise WallUnavailableError(NO_LIBSECCOMP) from error
    rules = seccomp.SyscallFilter(seccomp.ERRNO(policy.DEFAULT_ERRNO))
    # 32-bit calls by a 64-bit process would dodge the list, so they end the process.
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in policy.ALLOWED_CALLS:
        _add(seccomp, rules, seccomp.ALLOW, name)
    for number, names in policy.OTHER_ERRNO.items():
        for name in names:
            _add(seccomp, rules, seccomp.ERRNO(number), name)
    # Arguments are only ever compared to allow: the kernel looks at 32 bits where a filter compares 64.
    private = seccomp.Arg(3, seccomp.MASKED_EQ, policy.MAP_TYPE, policy.MAP_PRIVATE)
    _add(seccomp, rules, seccomp.ALLOW, "mmap", private)
    own_limits = (seccomp.Arg(0, seccomp.EQ, 0), seccomp.Arg(2, seccomp.EQ, 0))
    _add(seccomp, rules, seccomp.ALLOW, "prlimit64", *own_limits)
    for command in policy.ALLOWED_FCNTL:
        _add(seccomp, rules, seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.EQ, command))
    return _program(rules)


def build_landlock() -> Landlock | None:
    """Deny everything the kernel's Landlock knows; None where the kernel has no Landlock.

    Raises:
        WallUnavailableError: the binding is not installed, so it cannot even be asked.
    """
    try:
        landlock = import_module("landlockpy")
    except ImportError as error:
        raise WallUnavailableError("The package landlockpy is missing. Install the project's requirements.") from error
    abi = landlock.abi_version()
    if abi < 1:
        return None
    rights = {
        "handled_fs": landlock.fs_for_abi(abi),
        "handled_net": landlock.net_for_abi(abi),
        "scoped": landlock.scope_for_abi(abi),
        "best_effort": False,
    }
    try:
        return Landlock(landlock.Ruleset(**rights), f"landlock (ABI {abi})")
    except landlock.LandlockError as error:
        if error.errno != errno.EINVAL:
            raise
        # Some enterprise kernels claim ABI 6 without its scopes.
        rights["scoped"] = landlock.Scope.NONE
        return Landlock(landlock.Ruleset(**rights), f"landlock (ABI {abi}, no scopes)")


def _add(seccomp: Any, rules: Any, action: int, name: str, *arguments: Any) -> None:
    # A call this architecture or library does not know needs no rule: it fails like everything unlisted.
    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) != -1:
        rules.add_rule(action, name, *arguments)


def _program(rules: Any) -> Seccomp:
    with os.fdopen(os.memfd_create("seccomp"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        code = file.read()
    buffer = ctypes.create_string_buffer(code, len(code))
    return Seccomp(_Program(len(code) // 8, ctypes.addressof(buffer)), buffer)
