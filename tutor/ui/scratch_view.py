"""A scratch area: the learner's file is run, then a few lines of their own, and what they print is shown."""

from __future__ import annotations

import streamlit as st

from tutor.content import Exercise
from tutor.opening import opening
from tutor.trials import LINES_CHARS, Looked, Purpose, Scratch
from tutor.ui.desk import Desk
from tutor.ui.text import readable
from tutor.ui.trial_view import render_stopped, render_trial

HEIGHT = 320


def render_scratch(desk: Desk) -> None:
    """Draw the lines, the button that runs them, and what came of it."""
    key = lines_key(desk.exercise.slug)
    st.session_state.setdefault(key, _first_lines(desk))
    with st.container(key="scratch"):
        # As high in a tab that is not open as in one that is: what fits its content is measured at no height there.
        lines: str = st.text_area(
            "Your lines",
            key=key,
            height=HEIGHT,
            max_chars=LINES_CHARS,
            help="They run below your file, behind the same walls as a check. A run is no attempt.",
        )
        with st.container(gap=None):
            if lines and lines == st.session_state.get(_put_key(desk.exercise.slug)):
                st.caption("These are the lines of the smallest example. Press Run to see what they print.")
        pressed = _buttons(desk, key, lines)
        with st.container(gap=None):
            if pressed:
                with st.spinner("Running"):
                    desk.trying.ask(desk.text, Scratch(lines=lines))
        looked = render_trial(desk, Purpose.SCRATCH, Looked)
        with st.container(key="scratch-result", gap="small"):
            if looked is not None:
                _result(desk, looked)


def lines_key(slug: str) -> str:
    """Under which the lines of an exercise stand in the session."""
    return f"scratch-{slug}"


def put_lines(exercise: Exercise, lines: str) -> None:
    """Put lines of ours in the place of the learner's, which stay within reach."""
    _replace(exercise, lines)
    st.session_state[_put_key(exercise.slug)] = lines


def _buttons(desk: Desk, key: str, lines: str) -> bool:
    """Run, and the ways back to other lines; True if they are to be run."""
    exercise, starter = desk.exercise, opening(desk.exercise)
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button("Run", key=f"{key}-run", icon=":material/play_arrow:")
        if _aside_key(exercise.slug) in st.session_state:
            st.button(
                "Bring back my lines",
                key=f"{key}-back",
                icon=":material/undo:",
                type="tertiary",
                on_click=_bring_back,
                args=(exercise,),
            )
        if starter and lines != starter:
            st.button(
                "Starter lines",
                key=f"{key}-starter",
                icon=":material/restart_alt:",
                type="tertiary",
                on_click=_replace,
                args=(exercise, starter),
            )
    return pressed


def _bring_back(exercise: Exercise) -> None:
    _replace(exercise, st.session_state.pop(_aside_key(exercise.slug)))


def _replace(exercise: Exercise, lines: str) -> None:
    """Other lines; those that were there are kept aside if the learner wrote them."""
    key = lines_key(exercise.slug)
    there = st.session_state.get(key, "")
    if there.strip() and there not in {lines, opening(exercise), st.session_state.get(_put_key(exercise.slug))}:
        st.session_state[_aside_key(exercise.slug)] = there
    st.session_state[key] = lines


def _put_key(slug: str) -> str:
    return f"{lines_key(slug)}-put"


def _aside_key(slug: str) -> str:
    return f"{lines_key(slug)}-aside"


def _first_lines(desk: Desk) -> str:
    last = desk.trying.look(Purpose.SCRATCH)
    return last.trial.lines if last is not None and isinstance(last.trial, Scratch) else opening(desk.exercise)


def _result(desk: Desk, looked: Looked) -> None:
    if looked.printed:
        st.caption("Printed")
        st.code(readable(looked.printed, 20_000), language=None, wrap_lines=True)
    elif looked.stopped is None:
        st.caption(
            "It ran to its end and printed nothing. End your lines with a value, such as output.shape, to see it."
        )
    if looked.stopped is not None:
        render_stopped(desk, Purpose.SCRATCH, looked.stopped)
