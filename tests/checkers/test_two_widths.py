"""Layers from one width to another: what is said of them."""

from __future__ import annotations

import dataclasses

from checkers.base import Parameter
from tests.checkers.making import ABOUT, find, seen


def test_exchanged_widths_are_told_which_comes_first():
    """Where two widths differ, the advice is about their order, and not about one full width."""
    about = dataclasses.replace(ABOUT, roles={"q": "d_out d_in"}, dims={"a": {"d_in": 10, "d_out": 15}})
    observed = seen(parameters=(Parameter("q.weight", (10, 15)),), bound={"q": "q.weight"})
    finding = find("matrices", observed, about=about)
    assert (finding.code, finding.expected, finding.actual) == ("matrix-shape", "(15, 10) = (d_out, d_in)", "(10, 15)")
    assert "comes in first" in finding.next_step


def test_one_width_is_told_as_one():
    """Where both are one width, every matrix maps all of it to all of it."""
    about = dataclasses.replace(ABOUT, roles={"q": "d d"}, dims={"a": {"d": 10}})
    observed = seen(parameters=(Parameter("q.weight", (10, 5)),), bound={"q": "q.weight"})
    assert "full width" in find("matrices", observed, about=about).next_step
