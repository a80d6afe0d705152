"""Numbers and shapes are read however people write them, and what cannot be read is said in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.answers import LONGEST, Unclear, as_shown, has_names, read, read_number, read_shape, same, shown

COUNTS = st.integers(0, 10**12)
SIZES = st.lists(st.integers(0, 10**6), min_size=1, max_size=5)


@pytest.mark.parametrize(
    "text",
    [
        "1,048,576", "1048576", "1 048 576", "1\u202f048\u202f576", "1’048’576", "1'048'576", "1_048_576", "1.048.576",
        "4*512**2", "4·512²", "4 × 512 × 512", "4 x 512^2", "4X512^2", "= 4*512**2", "4 * 512² = 1,048,576", "4·(512·512)",
        "８·131,072", "2**10*2**10", "2¹⁰*2¹⁰", "1048576\n", "4⋅512∙512", "4•262,144", "1048577−1", "1048577 – 1", "2097152÷2",
        "4194304/2/2", "512²+512²+512²+512²", "1048576" + 73 * " ",
    ],
)  # fmt: skip
def test_a_million_is_read_in_every_spelling(text: str) -> None:
    """4·512² is the same number with any signs for times, power and thousands."""
    assert read_number(text) == 1_048_576


@given(COUNTS, st.sampled_from(["", ",", " ", "_", "’", "\u202f"]))
def test_thousands_may_be_set_apart(count: int, sign: str) -> None:
    """Whatever stands between the thousands, the number is the same."""
    assert read_number(f" {count:,} ".replace(",", sign)) == count


@given(st.integers(1, 10**4), st.integers(1, 10**4), st.integers(1, 10**4))
def test_calculations_are_worked_out(a: int, b: int, c: int) -> None:
    """Sums, products, powers and divisions that come out even are numbers."""
    assert read_number(f"{a}*{b} + {c}") == a * b + c
    assert read_number(f"({a}+{b})·{c}²") == (a + b) * c**2
    assert read_number(f"{a * b}/{b}") == a
    assert read_number(f"{a:,} - {b:,}") == a - b


@given(st.integers(1, 10**6), st.integers(2, 10**3))
def test_a_division_with_a_rest_is_no_number(a: int, b: int) -> None:
    """7/2 is neither 3 nor 4."""
    found = read_number(f"{a}/{b}")
    assert found == a // b if a % b == 0 else isinstance(found, Unclear)


@given(st.text(max_size=LONGEST + 20))
def test_any_text_is_read_or_answered(text: str) -> None:
    """No text raises: it is a value, or a sentence says what to write."""
    for found in (read_number(text), read_shape(text), read("truth", text)):
        if isinstance(found, Unclear):
            assert found.why.endswith(".")
        else:
            assert shown(found)


@given(st.text(alphabet="0123456789*/+-() .,²=xe_", max_size=LONGEST))
def test_no_calculation_takes_long_or_grows_without_end(text: str) -> None:
    """Whatever is calculated stays printable."""
    found = read_number(text)
    assert isinstance(found, Unclear) or abs(found) <= 10**15


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Nothing is written yet"),
        ("  ", "Nothing is written yet"),
        ("twelve", "cannot be read as a number"),
        ("50 MB", "cannot be read as a number"),
        ("True", "cannot be read as a number"),
        ("0.125", "can mean two things"),
        ("262.144", "can mean two things"),
        ("1,04", "can mean two things"),
        ("9**9**9", "far larger"),
        ("(((9**9)**9)**9)**9", "far larger"),
        ("9**11", "exponent above 10"),
        ("999999999999999999", "far larger"),
        ("10**9*10**9", "far larger"),
        ("1000000000000001", "far larger"),
        ("10**10*10**5 + 1", "far larger"),
        ("0*999999999999999999", "far larger"),
        ("(((1**1)**1)**1)**1", "far larger"),
        ("twelve = 12", "cannot be read as a number"),
        ("12 = twelve", "cannot be read as a number"),
        ("7/2", "whole number"),
        ("1/0", "whole number"),
        ("4**", "whole number"),
        ("-4", "whole number"),
        ("(" * 70, "whole number"),
        ("2=3", "two sides"),
        ("1" * 81, "longer than 80"),
    ],
)
def test_what_is_no_number_is_said(text: str, why: str) -> None:
    """The sentence says what was seen and what to write."""
    found = read_number(text)
    assert isinstance(found, Unclear)
    assert why in found.why


@pytest.mark.parametrize("text", ["1000000000000000", "10**10*10**5", "((10**5)**3)**1"])
def test_the_largest_number_is_read(text: str) -> None:
    """What is counted here is smaller; up to this everything is a number, and three powers one inside the other are no more than that."""
    assert read_number(text) == 10**15


@given(SIZES, st.sampled_from(["({})", "[{}]", "{}", "torch.Size([{}])", "size: {}", "Shape = ({})", " ( {} ) "]), st.sampled_from([",", ", ", "x", " x ", " × ", "×", " * ", " ", "·", "; "]))  # fmt: skip
def test_a_shape_is_read_in_every_spelling(sizes: list[int], around: str, between: str) -> None:
    """Brackets, commas, crosses, spaces and torch.Size are all the same shape."""
    found = read_shape(around.format(between.join(map(str, sizes))))
    assert found == tuple(map(str, sizes))


def test_named_axes_are_sizes_too() -> None:
    """Capitals and underscores in names do not count; the order does."""
    named = read_shape("B × h × T_q × d_k")
    assert named == ("B", "h", "T_q", "d_k")
    assert same(named, read_shape("(b, H, Tq, dk)"))
    assert not same(named, read_shape("(B, T_q, h, d_k)"))
    assert has_names(named)
    assert has_names(("2", "d_k"))
    assert not has_names(("2", "3"))
    assert read_shape("(2, X)") == ("2", "X")


@pytest.mark.parametrize("text", ["(3,)", "[3]", "3,", "torch.Size([3])", "3" + 79 * " "])
def test_a_shape_of_one_axis_is_read(text: str) -> None:
    """With the comma that Python writes, or without."""
    assert read_shape(text) == ("3",)


@pytest.mark.parametrize(
    ("text", "why"), [("", "Nothing is written"), ("2,,3", "A size is missing"), ("2, -3", "no size"), ("a+b", "no size"), ("2.5, 3", "“2.5”"), ("1," * 60, "longer than 80")]
)  # fmt: skip
def test_what_is_no_shape_is_said(text: str, why: str) -> None:
    """The sentence says what was seen and what to write."""
    found = read_shape(text)
    assert isinstance(found, Unclear)
    assert why in found.why


def test_values_are_shown_the_way_they_are_read_best() -> None:
    """Thousands get commas, shapes brackets, and truth is a word."""
    assert [shown(1_048_576), shown(("2", "7")), shown(("3",)), shown(()), shown(True)] == [
        "1,048,576",
        "(2, 7)",
        "(3,)",
        "()",
        "true",
    ]
    assert as_shown("number", "4*512**2") == "1,048,576"
    assert as_shown("number", "?") == "?"
    assert (read("truth", "true"), read("truth", "false")) == (True, False)
    assert not same(Unclear("a"), Unclear("a"))
    assert same(4, read_number("2*2"))
    assert not same(4, 5)
    assert not same(("4",), 4)
