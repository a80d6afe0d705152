"""One exercise: the task beside the editor, and under the editor what became of the last check.

Editor and results are nested fragments. A keystroke or a check redraws both, so a verdict appears in the very run that asked
for it; the clock redraws the results alone, fast only while something is on its way.
"""

from __future__ import annotations

import streamlit as st

from tutor.content import Exercise
from tutor.model import Status, Submission
from tutor.service import Tutor
from tutor.ui.desk import Desk, same_text
from tutor.ui.editor import Ears, Mark, Sheet, code_editor
from tutor.ui.guard import guard
from tutor.ui.quiz_view import render_quiz
from tutor.ui.results import render_results, unfinished
from tutor.ui.text import readable
from tutor.ui.verdict_view import render_refusal
from tutor.ui.ways import Ways
from tutor.ui.words import BROKEN

_FAST_SECONDS = 0.5
# Also how a page finds its way back after the server was restarted.
_SLOW_SECONDS = 10.0


def render(tutor: Tutor, exercise: Exercise, ways: Ways) -> None:
    """Draw the page of one exercise. No widget stands outside the fragments: a full run would disturb the typing."""
    desk = _desk(tutor, exercise)
    task, work = st.columns([4, 6], gap="medium")
    with task:
        with st.container(key="head", gap=None):
            st.page_link(ways.home, label="All exercises", icon=":material/arrow_back:")
            st.title(exercise.title, anchor=False)
            with st.container(key="to-editor"):
                st.markdown("[To the editor](#your-code)")
        with st.container(key="task"):
            _task(desk)
    with work:
        st.html('<span id="your-code"></span>')
        _workbench(desk, ways)


def _task(desk: Desk) -> None:
    if not desk.exercise.quiz:
        with st.expander("The task", expanded=True):
            st.markdown(desk.exercise.statement)
        return
    task, questions = st.tabs(["The task", f"Questions ({len(desk.exercise.quiz)})"])
    with task:
        st.markdown(desk.exercise.statement)
    with questions:
        render_quiz(desk.tutor, desk.learner, desk.exercise)


def _desk(tutor: Tutor, exercise: Exercise) -> Desk:
    key = f"desk:{exercise.slug}"
    if key not in st.session_state:
        st.session_state[key] = Desk.open(tutor, tutor.learner(), exercise)
    desk: Desk = st.session_state[key]
    return desk


@st.fragment
def _workbench(desk: Desk, ways: Ways) -> None:
    with guard("workbench"):
        plain = bool(st.session_state.get(_plain_key(desk), False))
        submission = desk.look()
        code_editor(_sheet(desk), _ears(desk), plain=plain)
        _tools(desk)
        restless = unfinished(submission) or desk.asked_at is not None or not desk.tutor.checker_state().ready
        st.fragment(render_results, run_every=_FAST_SECONDS if restless else _SLOW_SECONDS)(desk, ways)


def _ears(desk: Desk) -> Ears:
    return Ears(
        on_text=lambda text: _reported(desk, text),
        on_check=lambda text: _submit(desk, text),
        on_leave=lambda text: _keep(desk, text),
        on_resume=lambda text, base, owner, shown: _resume(desk, text, base, owner, shown),
    )


def _reported(desk: Desk, text: str) -> Sheet:
    desk.report(text)
    return _sheet(desk)


def _resume(desk: Desk, text: str, base: int, owner: str, shown: bool) -> None:
    with guard("resume"):
        desk.resume(text, base, owner, shown=shown)


def _submit(desk: Desk, text: str | None) -> None:
    with guard("submit"):
        if text is None:
            desk.ask()
        else:
            desk.submit(text)


def _keep(desk: Desk, text: str) -> None:
    with guard("leave"):
        desk.write(text)


def _sheet(desk: Desk) -> Sheet:
    done = desk.last_done
    current = done is not None and same_text(done.source, desk.text)
    return Sheet(
        key=f"ace-{desk.exercise.slug}-{desk.generation}",
        text=desk.text,
        dark=st.context.theme.type == "dark",
        marks=_marks(done) if done and current else (),
        revision=f"{done.id}" if done and current else "",
        answered=desk.answered,
        news=_news(done) if current else "",
        done=done.id if done else 0,
        place=f"{desk.learner.id}/{desk.exercise.slug}",
        owner=desk.id,
        base=desk.base,
        kept=desk.is_kept,
    )


def _marks(done: Submission) -> tuple[Mark, ...]:
    """The lines that the diagnosis and failed checks speak of; those that say the same of a line share one mark."""
    if done.verdict is None:
        return ()
    last = done.source.count("\n") + 1
    found = [
        Mark(check.line, readable(check.message or check.title))
        for milestone in done.verdict.milestones
        for check in milestone.checks
        if check.status is Status.FAILED and check.line and check.line <= last
    ]
    why = done.verdict.diagnosis
    if why is not None and why.line and why.line <= last:
        found.insert(0, Mark(why.line, readable(why.how)))
    return tuple(dict.fromkeys(found))


def _news(done: Submission | None) -> str:
    """The verdict in one sentence, for those who hear the page."""
    if done is None or done.verdict is None:
        return ""
    if done.verdict.status is Status.BROKEN:
        return f"The check did not work. {BROKEN}"
    outcomes = done.verdict.milestones
    passed = sum(one.status is Status.PASSED for one in outcomes)
    failed = next((f" {one.title} failed." for one in outcomes if one.status is Status.FAILED), "")
    why = f" {readable(done.verdict.diagnosis.how)}" if done.verdict.diagnosis else ""
    return f"Checked: {passed} of {len(outcomes)} milestones passed.{failed}{why}"


def _tools(desk: Desk) -> None:
    with st.container(key="tools", horizontal=True, vertical_alignment="center", gap="medium"):
        st.toggle(
            "Plain text editor",
            key=_plain_key(desk),
            on_change=desk.swap_editor,
            help="A simple text field: Tab leaves it, and screen readers know it well.",
        )
        if st.button(
            "Start over", key=f"start-over-{desk.exercise.slug}", icon=":material/restart_alt:", type="tertiary"
        ):
            _confirm(desk)
        if desk.aside is not None:
            st.button(
                "Bring back my text",
                key="bring-back",
                icon=":material/undo:",
                type="tertiary",
                on_click=desk.bring_back,
            )
    with st.container(gap=None):
        told = desk.refusal or desk.draft_problem
        if told:
            what = {"not handed in": desk.refusal, "draft not saved": desk.draft_problem}
            render_refusal(told, [words for words, problem in what.items() if problem])


def _plain_key(desk: Desk) -> str:
    return f"plain:{desk.exercise.slug}"


@st.dialog("Start over?")
def _confirm(desk: Desk) -> None:
    st.write(
        "The editor goes back to the starter. Your present text stays within reach: “Bring back my text” returns it."
    )
    with st.container(horizontal=True):
        if st.button("Start over", type="primary", key="start-over-yes"):
            desk.replace(desk.exercise.starter)
            st.rerun()
        if st.button("Keep my text", key="start-over-no"):
            st.rerun()
