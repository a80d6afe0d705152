"""What became of the last check, and what else there is to see of the code: panels under the editor."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from tutor.model import Status, Submission, SubmissionState
from tutor.progress import Reached
from tutor.ui.checker_view import render_checker_line, render_checker_problem
from tutor.ui.desk import Desk, same_text
from tutor.ui.example_view import render_example
from tutor.ui.guard import guard
from tutor.ui.history_view import render_history
from tutor.ui.lens_view import render_lens
from tutor.ui.other_tab_view import render_other_tab
from tutor.ui.panels import TRY_IT, panels
from tutor.ui.scratch_view import render_scratch
from tutor.ui.verdict_view import render_unread, render_verdict
from tutor.ui.walk_view import render_walk
from tutor.ui.ways import Ways, render_onward

_PATIENCE_SECONDS = 15.0


def unfinished(submission: Submission | None) -> bool:
    return submission is not None and submission.state is not SubmissionState.DONE


def render_results(desk: Desk, ways: Ways) -> None:
    """Draw the state of the last check above the panels; it is the body of a fragment that a clock redraws."""
    with guard("results"), st.container(key="results"):
        desk.settle()
        submission = desk.look()
        desk.notice()
        state = desk.tutor.checker_state()
        # The same number of blocks in the same order every time: what follows never moves to another place in the tree.
        with st.container(gap=None):
            render_other_tab(desk)
        with st.container(gap=None):
            render_checker_problem(state)
        with st.container(gap=None):
            if submission is not None and unfinished(submission):
                _waiting(desk, submission)
            if desk.unread:
                render_unread()
        lens = desk.exercise.lens
        heads = ["Heads"] if lens is not None else []
        verdict, shapes, example, *looks, scratch, history = panels(
            desk.exercise.slug, ["Verdict", "Shapes", "Smallest example", *heads, TRY_IT, "History"]
        )
        with verdict:
            _verdict(desk, ways)
        with shapes, guard("shapes"):
            render_walk(desk)
        with example, guard("example"):
            render_example(desk)
        if lens is not None:
            with looks[0], guard("lens"):
                render_lens(desk, lens)
        with scratch, guard("scratch"):
            render_scratch(desk)
        with history, guard("history"):
            render_history(desk)
        render_checker_line(state)
        # Behind all that an outcome changes. The clock redraws the results alone: by this the editor's marks see that one has come.
        st.html(f'<span data-done="{desk.last_done.id if desk.last_done else 0}"></span>')


def _verdict(desk: Desk, ways: Ways) -> None:
    shown = desk.last_done
    earlier = shown is not None and not same_text(shown.source, desk.text)
    reached = _reached(desk)
    with st.container(gap=None):
        if shown is not None and shown.verdict is not None and shown.verdict.status is Status.PASSED:
            render_onward(desk.exercise.slug, ways)
        elif shown is not None and same_text(shown.source, desk.exercise.starter):
            st.markdown(":material/edit_note: Nothing written yet: this is the starter.")
        elif _passed_before(desk, reached):
            st.caption("You have passed this exercise before.")
            render_onward(desk.exercise.slug, ways)
    render_verdict(
        desk.exercise,
        shown,
        earlier=earlier,
        reached=reached,
        on_hint=lambda number, seen: _take_hint(desk, number, seen),
        hint_lost=desk.hint_lost,
    )


def _passed_before(desk: Desk, reached: Mapping[str, Reached]) -> bool:
    """Whether one text passed the whole exercise, not each milestone a text of its own."""
    ever = all(one.id in reached and reached[one.id].passed for one in desk.exercise.milestones)
    return ever and desk.tutor.passed(desk.learner, desk.exercise.slug) is not None


def _take_hint(desk: Desk, submission_id: int, seen: int) -> None:
    with guard("hint"):
        desk.take_hint(submission_id, seen)


def _reached(desk: Desk) -> Mapping[str, Reached]:
    return desk.tutor.progress(desk.learner).get(desk.exercise.slug, {})


def _waiting(desk: Desk, submission: Submission) -> None:
    with st.container(key="waiting", gap=None):
        if submission.state is SubmissionState.RUNNING:
            st.markdown(":material/play_circle: **Running your code**")
        else:
            ahead = desk.tutor.ahead(submission.id)
            st.markdown(f":material/hourglass_top: **{f'Waiting, {ahead} ahead' if ahead else 'Next in line'}**")
        if (datetime.now(UTC) - submission.submitted_at).total_seconds() > _PATIENCE_SECONDS:
            st.caption("This takes longer than usual. Your code is kept; you may leave this page and come back.")
