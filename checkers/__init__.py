"""Kinds of check, one file each; ``Check`` says what such a file must have, ``load_kind`` what it may have besides."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from checkers.base import About, Finding, Seen

_NOT_KINDS = frozenset({"base"})


class Check(Protocol):
    """The function ``check`` of a kind. It raises nothing, whatever the code of a submission did."""

    def __call__(self, seen: Seen, expected: Seen, about: About, **options: Any) -> Finding | None:
        """What is wrong, or None when content.

        Args:
            seen: what the submission did in the check's own cases; each call holds at least one item, which may be anything.
            expected: what the reference did in them; empty for a kind that does not ask for it.
            about: the exercise, and the submission's text.
            options: of the kind, keyword only; an exercise sets them.
        """


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of check, as its file defines it."""

    check: Check
    uses_reference: bool = False
    judges_endings: bool = False


@cache
def kinds() -> tuple[str, ...]:
    """Names of all kinds of check: the files in this folder whose name starts with a letter, ``base.py`` apart."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name for name in names if not name.startswith("_") and name not in _NOT_KINDS))


@cache
def load_kind(name: str) -> Kind:
    """One kind, read from its file.

    The file has a function ``check``. It is called only when each of its cases returned, or also when one raised if the file sets
    ``JUDGES_ENDINGS = True``. It is told what the reference did only if the file sets ``USES_REFERENCE = True``.

    Raises:
        KeyError: there is no such kind.
    """
    if name not in kinds():
        raise KeyError(name)
    module = importlib.import_module(f"checkers.{name}")
    return Kind(
        module.check,
        uses_reference=getattr(module, "USES_REFERENCE", False),
        judges_endings=getattr(module, "JUDGES_ENDINGS", False),
    )
