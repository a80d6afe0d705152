"""The adapter to libseccomp: compiles an allow-list once, so that a worker only has to switch it on."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from . import policy
from .layers import Layer

NOT_FOUND = (
    "Python's seccomp binding or the system library libseccomp was not found. Install the project's requirements and "
    "the package libseccomp2 (Debian, Ubuntu) or libseccomp (Fedora, Alpine), then start again."
)
NO_FILTERS = "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)"
# What a worker that has only this layer is answered.
STOPS = {
    **dict.fromkeys(
        ("open a file", "open a file past the root", "make a file past the root", "stat a file", "list a folder", "write a file",
         "read the environment"), "EACCES",
    ),
    **dict.fromkeys(("fork", "start a thread"), "EAGAIN"),
    **dict.fromkeys(
        ("execute a program", "open a socket", "reach a listener", "take a port", "signal the parent", "trace", "share memory",
         "raise a limit", "change the root"), "EPERM",
    ),
    "grow a file": "ENOSYS",
}  # fmt: skip

_PR_SET_SECCOMP, _MODE_FILTER, _PR_GET_SECCOMP = 22, 2, 21
_SET_MODE_FILTER, _FLAG_TSYNC = 1, 1


class NotInstalledError(Exception):
    """The binding or the system library is not there. The text says how to get it."""


class _Program(ctypes.Structure):
    """``struct sock_fprog``: the number of BPF instructions and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


@dataclass(frozen=True, slots=True)
class Filter:
    """A finished filter; the fields keep its memory alive."""

    libc: ctypes.CDLL
    program: _Program
    code: ctypes.Array[ctypes.c_char]
    seccomp_call: int

    def put_up(self, _number: int = 0) -> None:
        """Filter the calling thread, the only one there is, for good."""
        if self.libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(self.program), 0, 0) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def put_up_on_all_threads(self, _number: int = 0) -> None:
        """Filter every thread of the process at once, or none."""
        result = self.libc.syscall(
            self.seccomp_call, _SET_MODE_FILTER, _FLAG_TSYNC, ctypes.c_void_p(ctypes.addressof(self.program))
        )
        if result != 0:
            # Above zero it is the id of a thread that could not be brought along.
            raise OSError(ctypes.get_errno(), f"not every thread could be filtered (answer {result})")


def layer(libc: ctypes.CDLL, calls: policy.Calls = policy.WORKER_CALLS, *, every_thread: bool = False) -> Layer:
    """The allow-list as a layer; missing where the binding, the library or the kernel's part is not there.

    ``every_thread`` is for a process that has several by then.
    """
    if libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) < 0:
        return Layer("seccomp", NO_FILTERS)
    try:
        built = build(libc, calls)
    except NotInstalledError as error:
        return Layer("seccomp", str(error))
    put_up = built.put_up_on_all_threads if every_thread else built.put_up
    return Layer(
        "seccomp",
        f"allow-list of {len({*calls.allowed, *(name for name, _ in calls.conditions)})} calls",
        put_up,
        STOPS,
    )


def build(libc: ctypes.CDLL, calls: policy.Calls) -> Filter:
    """Compile a list of calls.

    Raises:
        NotInstalledError: the binding or the library is not installed.
    """
    try:
        seccomp = import_module("pyseccomp")
    except (ImportError, RuntimeError, OSError) as error:
        raise NotInstalledError(NOT_FOUND) from error
    rules = seccomp.SyscallFilter(seccomp.ERRNO(policy.DEFAULT_ERRNO))
    # 32-bit calls by a 64-bit process would dodge the list, so they end the process.
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in calls.allowed:
        _add(seccomp, rules, seccomp.ALLOW, name)
    for number, names in calls.answered.items():
        for name in names:
            _add(seccomp, rules, seccomp.ERRNO(number), name)
    # Arguments are only ever compared to allow: the kernel looks at 32 bits where a filter compares 64.
    for name, arguments in calls.conditions:
        _add(seccomp, rules, seccomp.ALLOW, name, *_compared(seccomp, arguments))
    return _finished(libc, seccomp, rules)


def _compared(seccomp: Any, arguments: Sequence[policy.Argument]) -> list[Any]:
    return [seccomp.Arg(one.index, seccomp.MASKED_EQ, one.mask, one.value) for one in arguments]


def _add(seccomp: Any, rules: Any, action: int, name: str, *arguments: Any) -> None:
    # A call this architecture or library does not know needs no rule: it fails like everything unlisted.
    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) != -1:
        rules.add_rule(action, name, *arguments)


def _finished(libc: ctypes.CDLL, seccomp: Any, rules: Any) -> Filter:
    with os.fdopen(os.memfd_create("seccomp"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        code = file.read()
    buffer = ctypes.create_string_buffer(code, len(code))
    number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, "seccomp")
    return Filter(libc, _Program(len(code) // 8, ctypes.addressof(buffer)), buffer, number)
