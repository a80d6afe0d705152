"""Text that was not written by us must not act: escaped for Markdown, or bounded for a plain element.

Nothing invisible is put into it: who copies what is shown has exactly the characters that were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter

from tutor.plain import readable

__all__ = ["escape_markdown", "label", "prose", "readable"]

# Everything Streamlit's Markdown gives a meaning: emphasis, code, links, HTML, math, directives, tables, headings.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=@/])")
# What Streamlit looks for when entities are characters again: addresses that become links, pictures between colons, and signs that stand
# alone and become others. It leaves code alone, so a word with one of them is shown as code; what would end that is no part of a word.
_WORD = re.compile(r"([^\s`|\[\]$\\]+)")
_SOUGHT = re.compile(r"https?://|www\.|@[-\w]+\.[-\w]|:[\w+/-]+:|^(?:<->|->|<-|--|>=|<=|~=)$", re.IGNORECASE)
# The same for the label of a field: only what would really act there, because the source of a label is also what is read out.
_ACTIVE_IN_LABEL = re.compile(r"([\\`*\[\]<>$~&]|(?<!\w)_|_(?!\w)|:(?=\w)|^[#+=|-]|(?<=^\d)[.)])")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def escape_markdown(text: str) -> str:
    """Return ``text`` on one line so that Markdown shows exactly its characters.

    HTML entities are used rather than backslashes: Streamlit's directives (``:red[…]``, ``:material/…:``) and ``$math$``
    are found before backslashes are looked at. What is found in spite of entities is shown as code.
    """
    return _joined(_still(_one_line(text), _ACTIVE))


def prose(text: str) -> str:
    """Return one line of Markdown that shows ``text``: what stands between backticks as code, the rest as its characters."""
    return _by_pieces(text, _ACTIVE)


def label(text: str) -> str:
    """Return ``prose`` for the label of a field, with plain characters wherever Markdown leaves them alone."""
    return _by_pieces(text, _ACTIVE_IN_LABEL)


def _by_pieces(text: str, active: re.Pattern[str]) -> str:
    pieces = _one_line(text).split("`")
    if len(pieces) % 2 == 0 or "" in pieces[1:-1]:
        return escape_markdown(text)  # not all of them come in pairs, so none is taken as a mark
    parts = ([(True, piece)] if place % 2 else _still(piece, active) for place, piece in enumerate(pieces))
    return _joined(chain.from_iterable(parts))


def _one_line(text: str) -> str:
    return readable(_LINE_BREAKS.sub(" ", text)).replace("\n", " ")


def _still(text: str, active: re.Pattern[str]) -> Iterator[tuple[bool, str]]:
    """The text in parts, each with whether it is to be code: words in which something is sought. Elsewhere entities stand for what is active."""
    for code, run in groupby(_WORD.split(text), key=lambda part: _SOUGHT.search(part) is not None):
        part = "".join(run)
        yield code, part if code else active.sub(lambda found: f"&#{ord(found[1])};", part)


def _joined(parts: Iterable[tuple[bool, str]]) -> str:
    """One line of Markdown; code beside code is one, since two backticks in a row are another mark."""
    written = (part for part in parts if part[1])
    runs = ((code, "".join(text for _, text in run)) for code, run in groupby(written, key=itemgetter(0)))
    return "".join(f"`{text}`" if code else text for code, text in runs)
