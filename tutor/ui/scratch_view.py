"""A scratch area: the learner's file is run, then a few lines of their own, and what they print is shown."""

from __future__ import annotations

import streamlit as st

from tutor.opening import opening
from tutor.trials import LINES_CHARS, Looked, Purpose, Scratch
from tutor.ui.desk import Desk
from tutor.ui.text import readable
from tutor.ui.trial_view import render_stopped, render_trial


def render_scratch(desk: Desk) -> None:
    """Draw the lines, the button that runs them, and what came of it."""
    key = f"scratch-{desk.exercise.slug}"
    st.session_state.setdefault(key, _first_lines(desk))
    with st.container(key="scratch"):
        lines: str = st.text_area(
            "Your lines",
            key=key,
            height="content",
            max_chars=LINES_CHARS,
            help="They run below your file, behind the same walls as a check. A run is no attempt.",
        )
        if st.button("Run", key=f"{key}-run", icon=":material/play_arrow:"):
            with st.spinner("Running"):
                desk.trying.ask(desk.text, Scratch(lines=lines))
        looked = render_trial(desk, Purpose.SCRATCH, Looked)
        with st.container(key="scratch-result", gap="small"):
            if looked is not None:
                _result(looked)


def _first_lines(desk: Desk) -> str:
    last = desk.trying.look(Purpose.SCRATCH)
    return last.trial.lines if last is not None and isinstance(last.trial, Scratch) else opening(desk.exercise)


def _result(looked: Looked) -> None:
    if looked.printed:
        st.caption("Printed")
        st.code(readable(looked.printed, 20_000), language=None, wrap_lines=True)
    elif looked.stopped is None:
        st.caption(
            "It ran to its end and printed nothing. End your lines with a value, such as output.shape, to see it."
        )
    if looked.stopped is not None:
        render_stopped(looked.stopped)
