"""What the page says of the checker itself: a banner when something is wrong with it, and one quiet line when not."""

from __future__ import annotations

import streamlit as st

from tutor.dispatch.protocol import CheckerState
from tutor.ui.text import escape_markdown
from tutor.ui.words import checker_words, wall_words

NOT_SAFE = (
    "**This server runs code without walls that hold.** Its operator has switched that on (`TUTOR_UNSAFE_RUN_WITHOUT_WALLS`), which is "
    "meant for a private machine. Check only code here that you wrote or have read: it could read files and use the network."
)


def render_checker_problem(state: CheckerState) -> None:
    """A banner while nothing can be checked, or while what is checked has no walls; nothing when all is well."""
    if state.ready:
        # A checker that found holes and refuses runs nothing, so this is not said of it.
        if not state.proof.holds:
            with st.container(key="not-safe"):
                st.error(NOT_SAFE, icon=":material/gpp_bad:")
        return
    with st.container(key="checker-state"):
        if state.problem:
            problem = escape_markdown(state.problem)
            st.warning(
                f"Nothing can be checked at the moment, which is our fault. {problem} What you hand in is kept and checked later.",
                icon=":material/build_circle:",
            )
        else:
            st.info(
                "The checker is starting. What you hand in is kept and checked in a moment.",
                icon=":material/hourglass_top:",
            )


def render_checker_line(state: CheckerState) -> None:
    """Where the code runs, what it cannot do there, and the way to the page that says why."""
    if state.ready:
        kept = state.proof.holds
        with st.container(key="checker-line"):
            st.caption(
                f"{checker_words(state)} [{'What keeps it in' if kept else 'What is missing'}](./walls)",
                help=(wall_words(state) or None) if kept else None,
            )
