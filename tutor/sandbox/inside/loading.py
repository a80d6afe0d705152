"""Running a source, and reading the exceptions it raises: nothing here trusts an object of the student's."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

from . import policy

FILENAME = "submission.py"
NAMES = 16
MAIN = "main"


class MissingEntry(Exception):
    """The file ran, but what the exercise asks for is not in it."""


class NotAModule(Exception):
    """The class is there but does not inherit from ``nn.Module``."""


def load_entry(source: str, kind: str, name: str) -> Any:
    """Run the source as a module called ``submission`` and return the class or function it defines under ``name``.

    Of the kind ``main`` it is a program that is wanted for itself: it runs as such, and nothing is returned.

    Raises:
        MissingEntry: nothing of that kind has that name; the message lists what is there instead.
        BaseException: whatever the source itself raises.
    """
    module = types.ModuleType("submission")
    module.__file__ = FILENAME
    if kind == MAIN:
        module.__name__ = "__main__"
    sys.modules["submission"] = module
    exec(compile(source, FILENAME, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  running it is the job
    if kind == MAIN:
        return None
    found = module.__dict__.get(name)
    if isinstance(found, type) if kind == "class" else inspect.isfunction(found):
        return found
    wanted = inspect.isclass if kind == "class" else inspect.isfunction
    own = [key for key, value in module.__dict__.items() if wanted(value) and value.__module__ == "submission"]
    if found is not None:
        own.insert(0, f"{name} (a {type(found).__name__})")
    raise MissingEntry(", ".join(own[:NAMES]))


def ending_of(error: BaseException, otherwise: str) -> str:
    """How a case ended: "out_of_memory" if the exception says so, ``otherwise`` if it is any other."""
    allocator = isinstance(error, RuntimeError) and "allocate memory" in _text(error)
    return "out_of_memory" if isinstance(error, MemoryError) or allocator else otherwise


def fault_of(error: BaseException, *, loading: bool = False) -> dict[str, Any]:
    """Type, text and line of an exception; nothing here trusts the exception object.

    The line is the last one of the submission on the stack; while loading, the last one outside any function, since that
    is the statement which should not have run.
    """
    line = None
    if isinstance(error, SyntaxError) and error.filename == FILENAME:
        line = error.lineno
    else:
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == FILENAME and not (loading and code.co_flags & inspect.CO_OPTIMIZED):
                line = trace.tb_lineno
            trace = trace.tb_next
    text = error.msg if isinstance(error, SyntaxError) else _text(error)
    return {"type": type(error).__name__[:80], "message": str(text)[: policy.MESSAGE_CHARS], "line": line}


def _text(error: BaseException) -> str:
    try:
        # Half a surrogate pair cannot be stored or shown anywhere.
        return str(error).encode("utf-8", "backslashreplace").decode()
    except BaseException:  # a student's own exception may fail to print itself
        return ""
