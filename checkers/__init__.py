"""Kinds of check, one file each: ``check(seen, expected, about, *, options) -> Finding | None`` (None = content).

``seen`` and ``expected`` hold the observations of the check's own cases, of the submission and of the reference. A kind is
called only when every one of its cases returned, or raised if its module sets ``JUDGES_ENDINGS = True``; ``expected`` is filled only
if it sets ``USES_REFERENCE = True``.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

_NOT_KINDS = frozenset({"base"})


@cache
def kinds() -> tuple[str, ...]:
    """Names of all kinds of check: the files in this folder whose name starts with a letter, ``base.py`` apart."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in names if not name.startswith("_") and name not in _NOT_KINDS))


@cache
def load_kind(name: str) -> ModuleType:
    """The module of one kind; it has ``check`` and perhaps ``JUDGES_ENDINGS``.

    Raises:
        KeyError: there is no such kind.
    """
    if name not in kinds():
        raise KeyError(name)
    return importlib.import_module(f"checkers.{name}")
