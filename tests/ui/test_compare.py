"""What is shown after a pass, and only then: the reference, the library's own layer, a question about the student's code."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.ui.fakes import AFTER, NASTY, exercise, fake_tutor, hand_in
from tutor.model import Mark
from tutor.service import Tutor
from tutor.ui.undocumented import undocumented

SLUG = "multi-head-attention"
PASSES = f"# passes\n# {NASTY}\n"


def _app(open_tutor) -> None:
    import streamlit as st  # noqa: PLC0415  the function's text alone is run

    from tutor.ui import compare_page  # noqa: PLC0415

    def show() -> None:
        compare_page.render(open_tutor(), {"multi-head-attention": here}, here)

    here = st.Page(show, title="Here", default=True)
    st.navigation([here], position="hidden").run()


def _open(tutor: Tutor, slug: str = SLUG) -> AppTest:
    app = AppTest.from_function(_app, args=(lambda: tutor,), default_timeout=20)
    app.query_params["exercise"] = slug
    app.run()
    assert not app.exception
    return app


def _said(app: AppTest) -> str:
    return "\n".join(str(one.value) for kind in (app.markdown, app.info, app.code, app.caption) for one in kind)


def test_before_a_pass_the_right_answer_is_not_shown() -> None:
    """Neither before the first check nor after one that failed; the page says what will be here."""
    tutor = fake_tutor(seconds=0.0)
    for source in (None, "view(B, h, T"):
        if source:
            hand_in(tutor, source)
        app = _open(tutor)
        assert "Once all milestones are passed" in _said(app)
        assert not app.code


def test_after_a_pass_both_stand_side_by_side() -> None:
    """One's own text as it was handed in, the reference, the library, and how close the numbers are."""
    tutor = fake_tutor(seconds=0.0)
    hand_in(tutor, PASSES)
    hand_in(tutor, "view(B, h, T")
    app = _open(tutor)
    assert [code.value for code in app.code] == [
        PASSES.strip(),
        undocumented(exercise().reference).strip(),
        exercise().library.strip(),
    ]
    assert "In 29 calls" in _said(app)
    assert "than 1e-6: that is rounding" in _said(app)
    assert "differ from yours by at most 2e-7" in _said(app)


def test_the_question_about_the_own_code_is_marked_and_kept() -> None:
    """Wrong, then right; on the next visit it stands as it was answered."""
    tutor = fake_tutor(seconds=0.0)
    passed = hand_in(tutor, PASSES)
    app = _open(tutor)
    for text, mark in (("(2, 7, 7)", Mark.WRONG), ("2x3x7x7", Mark.RIGHT)):
        app.text_input[0].set_value(text)
        app.button[0].click().run()
        stands = tutor.own_question(tutor.learner(), passed)
        assert stands is not None
        assert stands.mark is mark
    assert AFTER.question is not None
    assert AFTER.question.why in _said(_open(tutor)).replace("&#44;", ",").replace("&#40;", "(").replace(
        "&#41;", ")"
    ).replace("&#46;", ".")


def test_an_address_that_names_nothing_is_told() -> None:
    """With the way back, and the name as text."""
    assert "This page belongs to an exercise: choose one." in _said(_open(fake_tutor(), ""))
    assert "There is no exercise called “&#60;b&#62;”" in _said(_open(fake_tutor(), "<b>"))
