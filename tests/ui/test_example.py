"""The smallest example on the page, run without a browser."""

from __future__ import annotations

import html

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, fake_tutor, hand_in
from tests.ui.outcomes import SNIPPET
from tests.ui.test_pages import _open, _said
from tutor.service import Tutor
from tutor.trials import Grid
from tutor.ui.example_view import FAILED, PASSED, UNCHECKED
from tutor.ui.number_tables import in_axes, tables

SLUG = "multi-head-attention"
LINES = f"scratch-{SLUG}"


def _found(tutor: Tutor, source: str = "x = 1") -> AppTest:
    """The page after the button was pressed for a text."""
    tutor.save_draft(tutor.learner(), SLUG, source)
    app = _open(tutor)
    app.button(key=f"example-{SLUG}-find").click().run()
    assert not app.exception
    return app


def test_what_differs_has_a_sign_and_what_is_right_beside_it() -> None:
    """Weights, inputs and both results are there in named axes; a number that differs carries more than a colour."""
    said = _said(_found(fake_tutor(seconds=0.0)))
    assert "Your numbers differ in this case" in said
    assert (
        "The case: B = 1, T_q = 2, T_k = 2, d_model = 4, h = 2. It is a call in training mode that comes after" in said
    )
    assert "**W_Q.weight**" in html.unescape(said)
    assert "(4, 4) = (d_model, d_model)" in html.unescape(said)
    assert "| 0 | True | False |" in said.replace(":gray[0]", "0")
    assert "| 1 | 1.00 | :red-background[**≠ -11.50**] | :red-background[**≠ not finite**] | 3.00 |" in said.replace(
        ":gray[1]", "1"
    )
    assert "| 1 | 1.00 | 1.50 | -0.75 | 3.00 |" in said.replace(":gray[1]", "1")
    assert "head 1" in said
    assert "≠ a value of type" in said


def test_the_lines_go_into_the_scratch_area_which_opens() -> None:
    """One click puts them there and opens the panel; what is there already replaces nothing."""
    app = _found(fake_tutor(seconds=0.0))
    assert "press Run there" not in _said(app)
    app.button(key=f"example-{SLUG}-put").click().run()
    assert app.text_area(key=LINES).value == SNIPPET
    assert app.session_state[f"panels-{SLUG}"] == "Try it"
    said = _said(app)
    assert "The lines are under Try it now; press Run there." in said
    assert "These are the lines of the smallest example. Press Run to see what they print." in said
    app.button(key=f"example-{SLUG}-put").click().run()
    assert app.text_area(key=LINES).value == SNIPPET
    assert "Bring back my lines" not in [button.label for button in app.button]


@pytest.mark.parametrize(
    ("source", "checked", "told"),
    [
        ("passes", True, PASSED),
        ("only rules", True, FAILED),
        ("only rules", False, UNCHECKED),
    ],
)
def test_where_nothing_differs_that_is_said(source: str, checked: bool, told: str) -> None:
    """In the words that fit what is known of the same text."""
    tutor = fake_tutor(seconds=0.0)
    if checked:
        hand_in(tutor, source)
    said = _said(_found(tutor, source))
    assert told in said
    assert "Your numbers differ" not in said
    assert "≠" not in said


def test_code_that_stops_says_where_and_in_which_case() -> None:
    """The explanation, its line and the numbers it was given; nothing of the text acts."""
    said = _said(_found(fake_tutor(seconds=0.0), "raises"))
    assert "**It stopped** :gray-badge[line 8]" in said
    assert NASTY in html.unescape(said)
    assert "Look again" in said
    assert "The case: B = 1" in said
    assert SNIPPET in said


def test_a_vector_has_no_rows_and_a_number_as_many_digits_as_it_needs() -> None:
    """What is given is shown as it is, what is compared to so many decimals; nothing is -0."""
    given = Grid(shape=(3,), values=(1.0, -0.002, 2.0))
    assert list(tables(given, ("d",))) == [("", "| 0 | 1 | 2 |\n| --: | --: | --: |\n| 1 | -0.002 | 2 |")]
    assert next(tables(given, ("d",), 2))[1].endswith("| 1.00 | 0.00 | 2.00 |")
    assert in_axes(("d",), (3,)) == "(3,) = (d)"


def test_a_result_of_another_shape_is_shown_in_its_own() -> None:
    """Its axes have no names, and every number is at its place."""
    odd = Grid(shape=(2, 1, 2), values=(1.0, 2.0, 3.0, 4.0))
    found = list(tables(odd, ("T_q", "d_v"), 1))
    assert [of for of, _ in found] == ["axis 0", "axis 1"]
    assert found[1][1].endswith("| :gray[0] | 3.0 | 4.0 |")
    assert in_axes(("T_q", "d_v"), odd.shape) == "(2, 1, 2)"
    assert next(tables(Grid(shape=(), values=(4.0,)), (), 1))[1].endswith("| 4.0 |")
