"""What surrounds every worker of a process, entered once when it starts: empty namespaces and an empty root folder."""

from __future__ import annotations

import ctypes
import os
import tempfile
from pathlib import Path

from .layers import Layer, in_a_child

_CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x04000000, 0x08000000, 0x10000000, 0x40000000
_KINDS = _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS
NO_NAMESPACES = "this user may not make namespaces: a container's profile, or a system that keeps user namespaces for itself (Ubuntu 24.04)"
NO_CHROOT = "only root, or a user who may make namespaces, can change the root folder"


def enter_namespaces(libc: ctypes.CDLL, *, really: bool = True) -> Layer:
    """Leave the machine's networks, message queues and names for new, empty ones.

    The process must still be single-threaded: the kernel takes only the calling thread along. ``really`` is False where a test
    wants to know whether anybody would notice.
    """
    if not really:
        return _entered("nothing")
    if libc.unshare(_KINDS) == 0:
        libc.sethostname(b"", 0)
        return _entered("network, IPC, host name")
    # Some systems let anybody make one and then refuse to say who is who in it, which leaves a process with no rights at all.
    if not in_a_child(lambda: _become_own_user(libc)):
        return Layer("namespaces", NO_NAMESPACES)
    _become_own_user(libc)
    libc.sethostname(b"", 0)
    return _entered("user, network, IPC, host name")


def _become_own_user(libc: ctypes.CDLL) -> None:
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUSER | _KINDS) != 0:
        raise PermissionError(ctypes.get_errno(), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _entered(detail: str) -> Layer:
    return Layer("namespaces", detail, _already, {"reach a listener": "ENETUNREACH", "learn the host name": "EPERM"})


def leave_files(*, really: bool = True) -> Layer:
    """Make a folder the root that is empty and deleted, so that nothing can even be made in it. No path leads anywhere any more."""
    if not really:
        return _left()
    folder = tempfile.mkdtemp(prefix="tutor-nowhere-")
    before = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        os.chdir(folder)
        os.rmdir(folder)  # noqa: PTH106 - it is the current folder that goes
        os.chroot(".")
    except OSError:
        os.chdir(before)  # O_PATH will do for that
        _remove(folder)
        return Layer("empty root", NO_CHROOT)
    finally:
        os.close(before)
    return _left()


def _left() -> Layer:
    gone = dict.fromkeys(("open a file", "stat a file", "list a folder", "write a file"), "ENOENT")
    return Layer("empty root", "", _already, gone)


def _remove(folder: str) -> None:
    if Path(folder).exists():
        Path(folder).rmdir()


def _already(_number: int) -> None:
    """It surrounds the whole process from its start."""
