"""The adapter to landlockpy: a ruleset that denies whatever this kernel's Landlock knows, built before a worker exists."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from .layers import Layer

NO_PACKAGE = "the package landlockpy is missing; install the project's requirements"
NO_LANDLOCK = "this kernel has no Landlock (Linux 5.13 and later, switched on)"
NETWORK_ABI, SIGNAL_ABI = 4, 6


def layer(reading: Sequence[str] = (), writing: Sequence[str] = ()) -> Layer:
    """The ruleset as a layer; missing where the package or the kernel's part is not there.

    Args:
        reading: folders and files that may still be read and executed; none for an ordinary worker.
        writing: those that may be written, too.
    """
    try:
        landlock = import_module("landlockpy")
    except ImportError:
        return Layer("landlock", NO_PACKAGE)
    abi = landlock.abi_version()
    if abi < 1:
        return Layer("landlock", NO_LANDLOCK)
    ruleset, scoped = _ruleset(landlock, abi)
    access = landlock.AccessFS
    for path in reading:
        ruleset.allow_path(path, access.READ_FILE | access.READ_DIR | access.EXECUTE)
    for path in writing:
        ruleset.allow_path(path, access.READ_FILE | access.READ_DIR | access.WRITE_FILE | access.IOCTL_DEV)

    def put_up(_number: int) -> None:
        ruleset.restrict(no_new_privs=False)
        ruleset.close()

    detail = f"ABI {abi}" if scoped or abi < SIGNAL_ABI else f"ABI {abi}, no scopes"
    return Layer("landlock", detail, put_up, _stops(abi, scoped=scoped), kept=(ruleset.fileno(),))


def _ruleset(landlock: Any, abi: int) -> tuple[Any, bool]:
    rights = {
        "handled_fs": landlock.fs_for_abi(abi),
        "handled_net": landlock.net_for_abi(abi),
        "scoped": landlock.scope_for_abi(abi),
        "best_effort": False,
    }
    try:
        return landlock.Ruleset(**rights), abi >= SIGNAL_ABI
    except landlock.LandlockError as error:
        if error.errno != errno.EINVAL:
            raise
        # Some enterprise kernels claim ABI 6 without its scopes.
        return landlock.Ruleset(**rights | {"scoped": landlock.Scope.NONE}), False


def _stops(abi: int, *, scoped: bool) -> Mapping[str, str]:
    stops = {"open a file past the root": "EACCES", "make a file past the root": "EACCES"}
    if abi >= NETWORK_ABI:
        stops |= {"reach a listener": "EACCES", "take a port": "EACCES"}
    return stops | ({"signal the parent": "EPERM"} if scoped else {})
