"""After a pass: one's own code beside the reference, the same layer from the library, and a question about what one has written."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tutor.content import Exercise
from tutor.model import AfterPass, Learner, Submission
from tutor.service import Tutor
from tutor.ui.guard import guard
from tutor.ui.quiz_view import render_question
from tutor.ui.text import escape_markdown, readable
from tutor.ui.undocumented import undocumented


def render(tutor: Tutor, pages: Mapping[str, st.Page], home: st.Page) -> None:
    """Draw the page for the exercise that the address names; without a pass it says what it will show, and where to go."""
    slug = st.query_params.get("exercise", "")
    exercise, learner = tutor.exercise(slug), tutor.learner()
    with st.container(key="compare"):
        if exercise is None:
            st.page_link(home, label="All exercises", icon=":material/arrow_back:")
            told = (
                f"There is no exercise called “{escape_markdown(slug[:80])}”."
                if slug
                else "This page belongs to an exercise: choose one."
            )
            st.info(told, icon=":material/signpost:")
            return
        st.page_link(pages[slug], label=exercise.title, icon=":material/arrow_back:")
        st.title("Beside the reference", anchor=False)
        passed = tutor.passed(learner, slug)
        if passed is None or passed.verdict is None:
            st.info(
                "Once all milestones are passed, this page shows your code beside the reference.",
                icon=":material/lock:",
            )
            return
        _compare(exercise, passed, passed.verdict.after)
        _own_question(tutor, learner, exercise, passed)


def _compare(exercise: Exercise, passed: Submission, after: AfterPass | None) -> None:
    if after is not None:
        st.markdown(
            f"In {after.calls} calls with the same weights and inputs no number of yours is further from the reference's than "
            f"{_small(after.from_reference)}: that is rounding."
        )
    mine, right = st.columns(2, gap="medium")
    with mine:
        st.subheader("Your code", anchor=False)
        _code(readable(passed.source, len(passed.source)))
    with right:
        st.subheader("The reference", anchor=False)
        _code(undocumented(exercise.reference))
    if exercise.library:
        _library(exercise, after)


def _code(text: str) -> None:
    st.code(text, language="python", line_numbers=True)


def _library(exercise: Exercise, after: AfterPass | None) -> None:
    st.subheader("The library's own", anchor=False)
    found = after.from_library if after else None
    same = f" Its numbers differ from yours by at most {_small(found)}." if found is not None else ""
    st.markdown(f"With the same weights torch gives the same: this is how it is called.{same}")
    st.code(exercise.library, language="python", wrap_lines=True)


@st.fragment
def _own_question(tutor: Tutor, learner: Learner, exercise: Exercise, passed: Submission) -> None:
    with guard("own question"):
        stands = tutor.own_question(learner, passed)
        if stands is not None:
            st.subheader("A question about your code", anchor=False)
            render_question(tutor, learner, exercise, stands)


def _small(number: float) -> str:
    return "0" if number == 0 else f"{number:.0e}".replace("e-0", "e-")
