"""The first page: what this is, and the path of exercises with what has been reached."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tutor.content import Exercise, Milestone
from tutor.model import Status
from tutor.service import Tutor
from tutor.ui.checker_view import render_checker_line, render_checker_problem
from tutor.ui.text import escape_markdown
from tutor.ui.words import look


def render(tutor: Tutor, pages: Mapping[str, st.Page], unknown: str = "") -> None:
    """Draw the path; ``pages`` maps slugs to their pages. ``unknown`` is an exercise somebody asked for by address that does not exist."""
    with st.container(key="home"):
        st.title("Attention, written by you", anchor=False)
        st.markdown(
            "Write the attention mechanism from scratch, one milestone at a time, and be told what holds, what does not, and where to look."
        )
        if unknown:
            name = escape_markdown(unknown[:80])
            st.info(f"There is no exercise called “{name}”. These are the ones there are:", icon=":material/signpost:")
        state = tutor.checker_state()
        render_checker_problem(state)
        reached = tutor.progress(tutor.learner())
        for number, exercise in enumerate(tutor.exercises(), start=1):
            _card(number, exercise, reached.get(exercise.slug, {}), pages[exercise.slug])
        render_checker_line(state)


def _card(number: int, exercise: Exercise, reached: Mapping[str, Status], page: st.Page) -> None:
    passed = sum(reached.get(milestone.id) is Status.PASSED for milestone in exercise.milestones)
    with st.container(border=True, key=f"exercise-{exercise.slug}"):
        st.subheader(f"{number}. {exercise.title}", anchor=False)
        st.markdown(exercise.summary)
        with st.container(key=f"path-{exercise.slug}"):
            st.markdown("\n".join(f"1. {_step(one, reached.get(one.id))}" for one in exercise.milestones))
        with st.container(key=f"go-{exercise.slug}"):
            st.page_link(
                page,
                label=_invitation(passed, len(exercise.milestones), bool(reached)),
                icon=":material/arrow_forward:",
                icon_position="right",
            )


def _step(milestone: Milestone, best: Status | None) -> str:
    seen = look(best)
    return f":{seen.colour}[:material/{seen.icon}:] {escape_markdown(milestone.title)} :gray[:small[{seen.word}]]"


def _invitation(passed: int, total: int, tried: bool) -> str:
    if passed == total:
        return "All passed: look again"
    return f"Continue: {passed} of {total} passed" if tried else "Start"
