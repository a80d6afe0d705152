"""Text that student code wrote, made fit to be read: harmless for a terminal, a log or a plain element of a page, and without our own folders."""

from __future__ import annotations

import re

import regex

# Control, direction and other characters of no width, line and paragraph separators, half surrogates; and letters that look like nothing.
_INVISIBLE = regex.compile(
    r"[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\n\t]]|[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\U000e0100-\U000e01ef]",
    regex.V1,
)
# Where Python is installed, in the texts of its exceptions: "(/…/torch/nn/__init__.py)", "<module 'torch' from '/…'>", and a path itself.
_INSTALLED = re.compile(
    r" ?\(/[^()\n]*\.(?:pyc?|so[.\d]*)\)| from '/[^'\n]*'(?=>)"
    r"|(?<![^\s'\"(=:])/[^\s'\"()]{0,300}/(?:site-packages|dist-packages|python3\.\d+)/"
)


def without_places(text: str) -> str:
    """The text of an exception without the folders of this machine, which tell a reader nothing."""
    return _INSTALLED.sub("", text)


def printable(text: str) -> str:
    """The text with every character replaced that acts or hides instead of being read; line feeds and tabs stay."""
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def readable(text: str, limit: int = 4_000) -> str:
    """The same with Unix line ends, cut after ``limit`` characters."""
    shown = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    return shown if len(shown) <= limit else f"{shown[:limit]}\n… ({len(shown) - limit:,} more characters)"
