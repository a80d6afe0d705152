"""How a process becomes fit to hold student code: surroundings first, then torch and all it may need, then the walls."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from .layers import Walls, tampered

Serve = Callable[..., None]


def boot(settings: Mapping[str, Any], parent: int) -> tuple[Walls, Serve]:
    """Import torch, warm it up, build the walls.

    Args:
        settings: see ``Configuration`` of the launcher.
        parent: pid of the process whose end is also that of a worker.
    """
    name: str = sys.platform
    if name == "linux":
        return _boot_on_linux(settings, parent)
    serve = _import_all(settings["observer"])
    system = import_module(".macos" if name == "darwin" else ".windows", __package__)
    return system.build_walls(settings["memory_bytes"]), serve


def _boot_on_linux(settings: Mapping[str, Any], parent: int) -> tuple[Walls, Serve]:
    linux, surroundings = import_module(".linux", __package__), import_module(".surroundings", __package__)
    missing, idle = frozenset(settings["missing"]), frozenset(settings["idle"])
    libc = linux.open_libc()
    # The kernel moves one thread, and libraries start others.
    namespaces = surroundings.enter_namespaces(libc, really="namespaces" not in missing | idle)
    serve = _import_all(settings["observer"])
    _stay_single_threaded()
    proc, device = _folder("/proc"), settings["device"]
    if device:
        walls, around = linux.build_device_walls(libc, parent, settings["memory_bytes"], proc, device), [namespaces]
    else:
        walls = linux.build_walls(libc, parent, settings["memory_bytes"], proc, _folder("/"))
        # After the last import: from here on no path leads anywhere.
        around = [namespaces, surroundings.leave_files(really="empty root" not in missing | idle)]
    return dataclasses.replace(walls, layers=tampered([*around, *walls.layers], missing, idle)), serve


def _folder(path: str) -> int:
    return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _import_all(observer: str | None) -> Serve:
    torch = import_module("torch")
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    import_module(".worker", __package__)
    serve = _observer(observer)
    import_module(".preload", __package__).preload()
    # Made here and inherited, because the first of anything costs each worker a copy of the pages it touches.
    sys.stdout, sys.stderr = _text_stream(1), _text_stream(2)
    return serve


def _observer(path: str | None) -> Serve:
    """``serve`` of ``observe``, or of a stand-in file in tests."""
    if path is None:
        found: Serve = import_module(".observe", __package__).serve
        return found
    namespace: dict[str, Any] = {"__name__": "observer"}
    exec(compile(Path(path).read_bytes(), path, "exec"), namespace)  # noqa: S102
    stand_in: Serve = namespace["serve"]
    return stand_in


def _text_stream(fd: int) -> TextIO:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _stay_single_threaded() -> None:
    # A thread would not survive a fork, a library that waits for it would hang in every worker, and walls that go up later pass it by.
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise RuntimeError(f"The sandbox process has {threads} threads after its start and cannot be walled in safely.")
