"""Text that student code wrote, made fit to be read: harmless for a terminal, a log or a plain element of a page, and without our own folders."""

from __future__ import annotations

import re

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Where Python is installed, in the texts of its exceptions: "(/…/torch/nn/__init__.py)", "<module 'torch' from '/…'>", and a path itself.
_INSTALLED = re.compile(
    r" ?\(/[^()\n]*\.(?:pyc?|so[.\d]*)\)| from '/[^'\n]*'(?=>)"
    r"|(?<![^\s'\"(=:])/[^\s'\"()]{0,300}/(?:site-packages|dist-packages|python3\.\d+)/"
)


def without_places(text: str) -> str:
    """The text of an exception without the folders of this machine, which tell a reader nothing."""
    return _INSTALLED.sub("", text)


def printable(text: str) -> str:
    """The text with control, direction and half surrogate characters replaced; line feeds and tabs stay."""
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
