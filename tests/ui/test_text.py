"""Foreign text stays text."""

from __future__ import annotations

import html

import pytest

from tests.ui.fakes import NASTY
from tutor.ui.text import escape_markdown, prose, readable


def _seen(escaped: str) -> str:
    """What the page shows: what is of no width apart."""
    return html.unescape(escaped).replace("\u2060", "")


@pytest.mark.parametrize("active", list("\\`*_{}[]()<>#+-.!|~$:&^=@/"))
def test_every_active_character_becomes_an_entity(active: str) -> None:
    """No character that Markdown or Streamlit acts on is left as it is, and none is lost."""
    escaped = escape_markdown(f"a{active}b")
    assert active not in escaped.replace("&#", "").replace(";", "") or active in "&#"
    assert _seen(escaped) == f"a{active}b"


def test_escaped_text_reads_the_same() -> None:
    """A text full of tricks reads back as exactly its characters."""
    assert _seen(escape_markdown(NASTY)) == NASTY


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example",
        "HTTP://A.example",
        "www.a.example",
        "mailto:me@a.example",
        ":streamlit:",
        "a -> b",
        "a <- b",
        "a <= b",
        "a >= b",
        "a --> b",
    ],
)
def test_what_entities_do_not_stop_is_taken_apart(text: str) -> None:
    """Addresses, Streamlit's own picture and arrows are looked for when entities are characters again."""
    shown = html.unescape(escape_markdown(text))
    assert text not in shown
    assert shown.replace("\u2060", "") == text


def test_line_breaks_become_spaces() -> None:
    """An escaped text stays on its line, so it cannot open a heading, a list or a table."""
    assert escape_markdown("one\n\n# two\r\n\u2028three") == "one &#35; two three"


def test_control_and_direction_characters_are_made_visible() -> None:
    """Terminal escapes, direction overrides and halves of characters cannot hide or reorder what is read, or stop the page."""
    assert readable("a\ud800b") == "a\ufffdb"
    assert readable("10 %\r20 %\r\n") == "10 %\n20 %\n"
    assert readable("a\x1b[31mb\u202ec\n\td") == "a\ufffd[31mb\ufffdc\n\td"


def test_long_text_is_cut_and_says_so() -> None:
    """A very long text ends with the number of characters that were left out."""
    assert readable("x" * 10, limit=4) == "xxxx\n… (6 more characters)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Use `a * b` here.", "Use `a * b` here&#46;"),
        ("`x`", "`x`"),
        ("one\n`two` three", "one `two` three"),
        ("a ` alone", "a &#96; alone"),
        ("`a``b`", "&#96;a&#96;&#96;b&#96;"),
        ("empty `` here", "empty &#96;&#96; here"),
        ("*x* `y`", "&#42;x&#42; `y`"),
    ],
)
def test_backticks_in_pairs_mark_code(text: str, shown: str) -> None:
    """Between backticks that come in pairs stands code; any other backtick is a character like the rest."""
    assert prose(text) == shown
