"""Text that was not written by us must not act: escaped for Markdown, or bounded for a plain element."""

from __future__ import annotations

import re

from tutor.plain import printable

# Everything Streamlit's Markdown gives a meaning: emphasis, code, links, HTML, math, directives, tables, headings.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=@/])")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def escape_markdown(text: str) -> str:
    """Return ``text`` on one line so that Markdown shows exactly its characters.

    HTML entities are used rather than backslashes: Streamlit's directives (``:red[…]``, ``:material/…:``) and ``$math$``
    are found before backslashes are looked at.
    """
    line = readable(_LINE_BREAKS.sub(" ", text))
    return _ACTIVE.sub(lambda match: f"&#{ord(match[1])};", line)


def readable(text: str, limit: int = 4_000) -> str:
    """Return ``text`` for a plain element: control and direction characters made visible, cut after ``limit`` characters."""
    shown = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(shown) <= limit:
        return shown
    return f"{shown[:limit]}\n… ({len(shown) - limit:,} more characters)"
