"""Text that student code wrote, made harmless for a terminal, a log or a plain element of a page."""

from __future__ import annotations

import re

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with control, direction and half surrogate characters replaced; line feeds and tabs stay."""
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
