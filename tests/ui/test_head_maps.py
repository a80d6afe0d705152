"""What is said about the map of a head."""

from __future__ import annotations

import json

import pytest

from tutor.catalog import Catalog
from tutor.model import CheckOutcome, Ending, MilestoneOutcome, Status, Verdict
from tutor.trials import Grid, HeadMap
from tutor.ui.head_maps import apart, cells, in_words, leaks, mask_failed, numbered
from tutor.ui.heatmap import HIDDEN, WEIGHT, heatmap

WORDS = ("the", "cat", "the")
RIGHT = Grid(shape=(3, 3), values=(1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.4, 0.3, 0.3))
LEAKS = Grid(shape=(3, 3), values=(0.9, 0.1, 0.0004, 0.5, 0.5, None, 0.4, 0.3, 0.3))


def test_a_cell_that_differs_is_counted() -> None:
    """What cannot be seen is no difference; what is no number is one."""
    close = tuple((value or 0.0) + 5e-4 for value in RIGHT.values)
    assert apart(HeadMap(look="l", wanted=RIGHT, mine=Grid(shape=(3, 3), values=close))) == 0
    assert apart(HeadMap(look="l", wanted=RIGHT, mine=LEAKS)) == 3
    assert apart(HeadMap(look="l", wanted=RIGHT)) == 0


def test_weight_on_a_later_word_leaks_only_where_it_is_hidden() -> None:
    """Above the diagonal of a causal map, and what is no number there cannot be trusted either."""
    head = HeadMap(look="l", wanted=RIGHT, mine=LEAKS)
    assert leaks(head, causal=True) == 2
    assert leaks(head, causal=False) == 0
    assert leaks(HeadMap(look="l", wanted=RIGHT), causal=True) == 0
    assert [(cell.row, cell.column) for cell in cells(LEAKS, causal=True) if cell.leaks] == [(0, 1), (1, 2)]


def test_words_that_come_twice_are_told_apart_by_their_places() -> None:
    """In the axes and in the sentence."""
    assert numbered(WORDS) == ["1 the", "2 cat", "3 the"]
    assert in_words(RIGHT, WORDS, WORDS) == "1 the → 1 the; 2 cat → 1 the and 2 cat; 3 the → 1 the"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((0.25,) * 4, "all alike"),
        ((0.33, 0.33, 0.33, 0.0), "the first 3 alike"),
        ((0.0, 0.5, 0.0, 0.5), "2 b and 4 d"),
        ((None, 0.5, 0.0, 0.5), "no number"),
    ],
)
def test_where_a_word_looks_is_said_in_words(row: tuple[float | None, ...], said: str) -> None:
    """Who cannot see the colours reads the same."""
    grid = Grid(shape=(1, 4), values=row)
    assert in_words(grid, ("a",), ("a", "b", "c", "d")) == f"1 a → {said}"


def _values(grid: Grid, *, causal: bool) -> dict[tuple[str, str], dict[str, str | float]]:
    chart = heatmap(grid, WORDS, WORDS, causal=causal)
    return {(one["row"], one["column"]): one for one in chart["datasets"]["cells"]}


def test_the_chart_marks_leaks_with_a_sign_and_shades_what_is_hidden() -> None:
    """Colour is never all there is."""
    drawn = _values(LEAKS, causal=True)
    assert drawn["1 the", "2 cat"]["sign"] == "✕"
    assert drawn["1 the", "2 cat"]["weight"] == "0.100, hidden"
    assert drawn["1 the", "2 cat"]["colour"] == WEIGHT
    assert drawn["1 the", "3 the"]["sign"] == ""
    assert drawn["1 the", "3 the"]["colour"] == HIDDEN
    assert drawn["2 cat", "3 the"]["weight"] == "no number, hidden"
    assert _values(LEAKS, causal=False)["2 cat", "3 the"]["sign"] == "?"


def test_the_strength_of_a_colour_stays_within_its_bounds() -> None:
    """A wrong map may hold any numbers."""
    strengths = [one["strength"] for one in _values(Grid(shape=(1, 3), values=(-5.0, 0.5, 7.0)), causal=False).values()]
    assert strengths == [pytest.approx(0.05), pytest.approx(0.525), pytest.approx(1.0)]


def test_the_same_map_is_the_same_chart() -> None:
    """The page is drawn again every few seconds, and a chart that changed would blink; its words are no part of the form."""
    one, other = (heatmap(RIGHT, words, words, causal=True) for words in (WORDS, ("a", "b", "c")))
    assert json.dumps(one) == json.dumps(heatmap(RIGHT, WORDS, WORDS, causal=True))
    assert one["layer"] == other["layer"]


@pytest.mark.parametrize(
    ("slug", "failed", "told"),
    [
        ("multi-head-attention", "causal/no-leak", True),
        ("multi-head-attention", "causal/any-mask", True),
        ("multi-head-attention", "split-order/equal", False),
        ("multi-head-attention", "skeleton/loads", False),
        ("scaled-dot-product-attention", "mask/equal", True),
        ("causal-attention", "causal/no-leak", False),
    ],
)
def test_a_check_of_the_mask_is_known_by_its_cases(catalog: Catalog, slug: str, failed: str, told: bool) -> None:
    """All of them are given the mask that the lens gives on request; where it gives none, there is nothing to turn on."""
    milestone, check = failed.split("/")
    outcome = CheckOutcome(id=check, title="t", status=Status.FAILED)
    verdict = Verdict(
        exercise=slug, exercise_version=1, source_sha256="", checker_version="", status=Status.FAILED, ending=Ending.RETURNED,
        milestones=(MilestoneOutcome(id=milestone, title="t", status=Status.FAILED, checks=(outcome,)),), device="cpu", isolation=(),
    )  # fmt: skip
    assert mask_failed(catalog[slug], verdict) is told
