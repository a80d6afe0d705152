"""Where a role was found, as an observation writes it, and how it is said."""

from __future__ import annotations

import pytest

from checkers._places import Piece, listed, numel, pieces, together
from checkers.base import Parameter
from tests.checkers.making import seen

NAMES = {"W.weight": (6, 6), "p": (2, 6), "heads[0]": (6, 3), "again": (6, 6)}
PARAMETERS = tuple(
    Parameter(name, shape, same_as="W.weight" if name == "again" else None) for name, shape in NAMES.items()
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("W.weight", [("W.weight", "", False)]),
        ("W.weight.T", [("W.weight", "", True)]),
        ("W.weight[0:3]", [("W.weight", "[0:3]", False)]),
        ("W.weight[:, 3:6].T", [("W.weight", "[:, 3:6]", True)]),
        ("p + W.weight[3]", [("p", "", False), ("W.weight", "[3]", False)]),
        ("heads[0]", [("heads[0]", "", False)]),
        ("heads[0].T", [("heads[0]", "", True)]),
        ("heads[0][1:2]", [("heads[0]", "[1:2]", False)]),
        ("heads[0] + p", [("heads[0]", "", False), ("p", "", False)]),
        ("gone", []),
        ("gone[0:3] + p", [("p", "", False)]),
        ("p]", []),
        (None, []),
    ],
)
def test_a_place_is_read_as_it_is_written(text, found):
    """Whole, in part, turned and in several pieces; a parameter may have a bracket in its name."""
    (observation,) = seen(parameters=PARAMETERS, bound={"W": text}).values()
    assert [(piece.parameter.name, piece.part, piece.turned) for piece in pieces(observation, "W")] == found
    assert pieces(observation, "another") == ()


def test_pieces_are_compared_by_what_they_hold():
    """A second name for the same numbers makes no second place; the start is the first number of the part."""
    whole, more, _, again = (Piece(parameter) for parameter in PARAMETERS)
    assert again.key == whole.key == ("W.weight", "")
    assert Piece(PARAMETERS[0], "[3:6]").key != whole.key
    assert [Piece(PARAMETERS[0], part).start for part in ("", "[3:6]", "[:, 12:18]", "[1]")] == [0, 3, 12, 1]
    assert numel((whole, more)) == 48


def test_pieces_and_names_are_listed_for_people():
    """The first few with their shapes, and how many more there are."""
    some = tuple(Piece(parameter) for parameter in PARAMETERS)
    assert listed(()) == ""
    assert listed(some[:2]) == "W.weight (6, 6), p (2, 6)"
    assert listed(some[:3]) == "W.weight (6, 6), p (2, 6), heads[0] (6, 3)"
    assert listed(some) == "W.weight (6, 6), p (2, 6), heads[0] (6, 3) and 1 more"
    assert listed(some, 1) == "W.weight (6, 6) and 3 more"
    assert [together(names) for names in (["q"], ["q", "k"], ["q", "k", "v"])] == ["q", "q and k", "q, k and v"]
