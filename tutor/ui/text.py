"""Text that was not written by us must not act: escaped for Markdown, or bounded for a plain element."""

from __future__ import annotations

import re

from tutor.plain import readable

__all__ = ["escape_markdown", "label", "prose", "readable"]

# Everything Streamlit's Markdown gives a meaning: emphasis, code, links, HTML, math, directives, tables, headings.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=@/])")
# What Streamlit looks for when entities are characters again: addresses that become links, its own picture, and arrows made of signs.
_SOUGHT = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)|(?<=:)(?=streamlit:)|(?<=[-<>])(?=[-=>])", re.IGNORECASE)
# The same for the label of a field: only what would really act there, because the source of a label is also what is read out.
_ACTIVE_IN_LABEL = re.compile(r"([\\`*\[\]<>$~&]|(?<!\w)_|_(?!\w)|:(?=\w)|^[#+=|-]|(?<=^\d)[.)])")
_WORD_JOINER = "\u2060"
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def escape_markdown(text: str) -> str:
    """Return ``text`` on one line so that Markdown shows exactly its characters.

    HTML entities are used rather than backslashes: Streamlit's directives (``:red[…]``, ``:material/…:``) and ``$math$``
    are found before backslashes are looked at. What is found in spite of entities is taken apart by a character of no width.
    """
    line = _SOUGHT.sub(_WORD_JOINER, readable(_LINE_BREAKS.sub(" ", text)).replace("\n", " "))
    return _ACTIVE.sub(lambda match: f"&#{ord(match[1])};", line)


def prose(text: str) -> str:
    """Return one line of Markdown that shows ``text``: what stands between backticks as code, the rest as its characters."""
    pieces = readable(_LINE_BREAKS.sub(" ", text)).split("`")
    if len(pieces) % 2 == 0 or "" in pieces[1:-1]:
        return escape_markdown(text)  # not all of them come in pairs, so none is taken as a mark
    return "".join(f"`{piece}`" if place % 2 else escape_markdown(piece) for place, piece in enumerate(pieces))


def label(text: str) -> str:
    """Return ``prose`` for the label of a field, with plain characters wherever Markdown leaves them alone."""
    pieces = readable(_LINE_BREAKS.sub(" ", text)).split("`")
    if len(pieces) % 2 == 0 or "" in pieces[1:-1]:
        return escape_markdown(text)
    return "".join(f"`{piece}`" if place % 2 else _quiet(piece) for place, piece in enumerate(pieces))


def _quiet(text: str) -> str:
    return _ACTIVE_IN_LABEL.sub(lambda match: f"&#{ord(match[1])};", _SOUGHT.sub(_WORD_JOINER, text))
