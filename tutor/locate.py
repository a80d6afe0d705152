"""Patterns and lines in a submission's text.

The patterns are ours, the text is the student's, so every search has a time limit: a text that makes a pattern run for ever is
one that does not match.
"""

from __future__ import annotations

import regex

SECONDS = 0.02
FLAGS = regex.MULTILINE


def contains(pattern: str, text: str) -> bool:
    """Whether a pattern is found anywhere in a text."""
    return _search(pattern, text) is not None


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern fits a whole text."""
    return _search(rf"\A(?:{pattern})\Z", text) is not None


def line_of(pattern: str, code: str) -> int | None:
    """The line, counted from 1, on which the first match of a pattern begins, or its group ``here`` where it has one."""
    found = _search(pattern, code)
    if found is None:
        return None
    return code.count("\n", 0, found.start("here" if "here" in found.re.groupindex else 0)) + 1


def line_of_attribute(name: str, code: str) -> int | None:
    """The line on which ``self`` is given the first part of a dotted parameter name."""
    first = regex.escape(regex.split(r"[.[]", name)[0])
    return line_of(rf"\bself\s*\.\s*{first}\s*(?::[^=\n]+)?=[^=]", code)


def _search(pattern: str, text: str) -> regex.Match[str] | None:
    try:
        return regex.search(pattern, text, flags=FLAGS, timeout=SECONDS)
    except TimeoutError:
        return None
