"""Foreign text stays text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.fakes import NASTY
from tutor.plain import printable
from tutor.ui.text import escape_markdown, label, prose, readable

# What Streamlit's front end turns into something else in a text that is not code, once entities are characters.
_TURNED = re.compile(
    r"(https?://|www(?=\.))([-.\w]+)|(?<![-.\w+])([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)|:streamlit:|:[\w+-]+:|:material[/_]\w+:"
    r"|(^|\s)(<->|->|<-|--|>=|<=|~=)(?=\s|$)",
    re.IGNORECASE,
)


def _parts(escaped: str) -> tuple[list[str], list[str]]:
    """What stands in text, and what in code, as the page shows them; backticks are marks there and nowhere else."""
    parts = escaped.split("`")
    assert len(parts) % 2
    assert "" not in parts[1:-1]
    return [html.unescape(one) for one in parts[::2]], parts[1::2]


def _seen(escaped: str) -> str:
    """What the page shows, and what is copied from it."""
    text, code = _parts(escaped)
    return "".join(one for pair in zip_longest(text, code, fillvalue="") for one in pair)


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
        "see (http://a.example/x_y), then [www.a.example]",
        "www.a.example",
        "mailto:me@a.example",
        "q@k.transpose(-2, -1)",
        ":streamlit:",
        ":smile: :material/home: :material_home:",
        "a -> b",
        "a <- b",
        "a <-> b",
        "a <= b",
        "a >= b",
        "a ~= b",
        "a -- b",
        "->",
        "`a`->`b` http://`c`www.d",
        "|->|www.a|$:x:$`",
        NASTY,
    ],
)
@pytest.mark.parametrize("shown", [escape_markdown, prose, label])
def test_what_entities_do_not_stop_is_code(text: str, shown: Callable[[str], str]) -> None:
    """Addresses, pictures and signs are looked for when entities are characters again, but not in code; every character can be copied."""
    assert not [one for one in _parts(shown(text))[0] if _TURNED.search(one)]
    assert _seen(shown(text)).replace("`", "") == text.replace("`", "")


@given(st.text(st.sampled_from("a:/.@w` -<>=~|[]$\\h1(") | st.characters()))
def test_no_text_turns_into_anything_and_none_has_an_invisible_character(text: str) -> None:
    """Whatever is written, only code holds what the front end would act on, and nothing is added or lost."""
    for shown in (escape_markdown, prose, label):
        made = shown(text)
        assert not [one for one in _parts(made)[0] if _TURNED.search(one)]
        assert not any("[" in one or "]" in one or "$" in one for one in _parts(escape_markdown(text))[1])
        assert printable(html.unescape(made)) == html.unescape(made)
    assert _seen(escape_markdown(text)) == printable(re.sub(r"[\r\n\v\f\x85\u2028\u2029]+", " ", text))


def test_a_plain_operator_stays_text() -> None:
    """A product of matrices is copied as it was written, and its sign makes no address of it."""
    assert escape_markdown("q @ k") == "q &#64; k"
    assert _seen(escape_markdown("scores = q @ k.transpose(-2, -1)")) == "scores = q @ k.transpose(-2, -1)"


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
