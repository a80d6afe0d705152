"""What every panel with a trial run says the same way: not taken, on its way, lost, stopped, made with an earlier text."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from tutor.model import Submission, SubmissionState
from tutor.trials import Lost, Outcome, Purpose, Scratch, Stopped
from tutor.ui.desk import Desk, same_text
from tutor.ui.text import escape_markdown, readable
from tutor.ui.verdict_view import render_refusal
from tutor.ui.words import NOT_RUN

LONGEST_LINE = 200

Kind = TypeVar("Kind", bound=Outcome)


def render_trial(desk: Desk, purpose: Purpose, kind: type[Kind]) -> Kind | None:
    """Say how the newest trial of a kind stands, and return what came of it where there is something to show.

    Args:
        desk: the learner's.
        purpose: the kind of trial.
        kind: the class of its outcome.
    """
    refused, run = desk.trying.refused(purpose), desk.trying.look(purpose)
    with st.container(gap=None):
        if refused is not None:
            render_refusal(refused, ["not run"])
    with st.container(gap=None):
        _state(desk, run)
    return run.outcome if run is not None and isinstance(run.outcome, kind) else None


def render_stopped(desk: Desk, purpose: Purpose, stopped: Stopped) -> None:
    """Why the code did not come to its end, where, and what to do next.

    Args:
        desk: the learner's.
        purpose: the kind of trial, whose newest run stopped.
        stopped: what came of it.
    """
    where = f" :gray-badge[line {stopped.line}{' of your lines' * stopped.in_lines}]" if stopped.line else ""
    with st.container(gap="xsmall"):
        st.markdown(f":red[:material/cancel:] **It stopped**{where}")
        if line := _line(desk.trying.look(purpose), stopped).strip():
            st.code(readable(line, LONGEST_LINE), language="python", wrap_lines=True)
        st.text(readable(stopped.message))
        if stopped.next_step:
            st.markdown(f":material/arrow_forward: {escape_markdown(stopped.next_step)}")


def _line(run: Submission | None, stopped: Stopped) -> str:
    """The line on which a run stopped, in the text that was run; empty where it is not there."""
    if run is None or stopped.line is None:
        return ""
    text = run.source
    if stopped.in_lines:
        text = run.trial.lines if isinstance(run.trial, Scratch) else ""
    rows = text.split("\n")
    return rows[stopped.line - 1] if 1 <= stopped.line <= len(rows) else ""


def _state(desk: Desk, run: Submission | None) -> None:
    if run is None:
        return
    if run.state is not SubmissionState.DONE:
        st.markdown(":material/hourglass_top: **On its way**")
    elif isinstance(run.outcome, Lost):
        st.warning(NOT_RUN, icon=":material/build_circle:")
    elif not same_text(run.source, desk.text):
        st.markdown(":orange-badge[:material/history: Made with an earlier version of your code]")
