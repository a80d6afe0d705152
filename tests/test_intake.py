"""What is refused before anything runs, each with one plain sentence and a next step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.intake import accept, decode
from tutor.model import Refusal

LIMIT = 1_000


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1", "x = 1"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        ("# √dₖ 漢字 🦀".encode(), "# √dₖ 漢字 🦀"),
        (b"!pip install torch\nx = 1", "!pip install torch\nx = 1"),
        (b"x" * LIMIT, "x" * LIMIT),
    ],
)
def test_ordinary_files_are_taken(data: bytes, text: str) -> None:
    """UTF-8 with or without a mark, any line ends, any script and a full size come through as text."""
    assert decode(data, LIMIT) == text


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "empty", None),
        (b" \n\t\r\n", "empty", None),
        (b"x" * (LIMIT + 1), "too-large", None),
        (b"a = 1\nb = '\xe9'\n", "not-utf8", 2),
        (b"a = 1\rb = 2\r\nc = '\xe9'\r", "not-utf8", 3),
        (b"\xff\xfex\x00", "not-utf8", 1),
        (b"a\nb\nc\x00d", "bad-character", 3),
    ],
)
def test_what_is_no_python_file_is_refused(data: bytes, code: str, line: int | None) -> None:
    """Each kind of bad file has its own code, a line where there is one, a sentence and a next step."""
    refusal = decode(data, LIMIT)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.line) == (code, line)
    assert refusal.message.endswith(".")
    assert refusal.next_step.endswith(".")


def test_half_a_surrogate_pair_is_refused() -> None:
    """Text from an editor can hold half a character; the line is named."""
    refusal = accept("a\nb = '\ud800'", LIMIT)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.line) == ("bad-character", 2)


def test_the_size_counts_bytes() -> None:
    """The cap is on UTF-8 bytes, and the message names both figures."""
    refusal = accept("é" * 501, LIMIT)
    assert isinstance(refusal, Refusal)
    assert "1,002 bytes" in refusal.message
    assert "1,000" in refusal.message


@given(st.binary(max_size=200))
def test_any_bytes_give_text_or_a_refusal(data: bytes) -> None:
    """No input whatever raises; text that is taken is storable UTF-8 without NUL or carriage returns."""
    taken = decode(data, 150)
    if isinstance(taken, str):
        assert taken.encode().strip()
        assert not set(taken) & {"\0", "\r"}
