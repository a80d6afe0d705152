"""A worker that is a process of its own from the start: it boots, confines itself, says so, does its one job."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import import_module
from typing import NoReturn

from .boot import boot
from .wire import Kind, pieces

_O_BINARY = 0x8000  # of Windows' C library


def main(configuration: str) -> NoReturn:
    """Live and die as a worker. The job comes on the standard input, results leave on the standard output, printed text on the error stream."""
    settings = json.loads(configuration)
    # Whatever is printed from here on is text, until the worker arranges its pipes.
    ends = [os.dup(0), os.dup(1), os.dup(2)]
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if os.name == "nt":
        _speak_bytes(ends)
    try:
        walls, serve = boot(settings, parent=settings["parent"])
    except Exception as error:
        for part in pieces({"problem": f"{type(error).__name__}: {error}"}, [], Kind.REFUSED):
            os.write(ends[1], part)
        os._exit(1)
    run: Callable[..., NoReturn] = import_module(".worker", __package__).run
    run(walls, settings["number"], ends, serve, settings["only"])


def _speak_bytes(ends: list[int]) -> None:
    windows = import_module("msvcrt")
    for end in ends:
        windows.setmode(end, _O_BINARY)
