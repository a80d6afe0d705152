"""Shapes in named axes: formulas, and dots for the axes in front."""

from __future__ import annotations

import pytest

from checkers._shapes import named, sizes, spelled

DIMS = {"B": 2, "h": 3, "T_q": 7, "T_k": 4, "d_v": 5}


@pytest.mark.parametrize(
    ("dims", "wanted"),
    [
        (DIMS, "B h T_q d_v"),
        ({"B": 2, "T_q": 7, "T_k": 4, "d_v": 5}, "B T_q d_v"),
        ({"T_q": 7, "T_k": 4, "d_v": 5}, "T_q d_v"),
    ],
)
def test_dots_stand_for_what_is_listed_before(dims, wanted):
    """None, one or several axes, by the order in which the case lists its dimensions."""
    assert spelled("... T_q d_v", dims) == wanted


def test_axes_without_dots_stay():
    """What is spelled out already is left as it is."""
    assert spelled("B T_q d_v", DIMS) == "B T_q d_v"
    assert spelled("", DIMS) == ""


def test_sizes_and_names_follow_the_dots():
    """The axes in front are counted and named like all others."""
    assert sizes("... T_q T_k", DIMS) == (2, 3, 7, 4)
    assert named("... T_q 2*d_v", DIMS) == "(2, 3, 7, 10) = (B, h, T_q, 2*d_v)"


@pytest.mark.parametrize("axes", ["...", "... 2*d_v", "... d_model", "B ... d_v"])
def test_dots_that_stand_for_nothing_are_refused(axes):
    """Dots stand first and right before the name of a dimension."""
    with pytest.raises(ValueError, match="dimension"):
        sizes(axes, DIMS)
