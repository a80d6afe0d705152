"""Every attempt at an exercise, the newest first: what came of it, why, what had changed, and a way to have its text again."""

from __future__ import annotations

from textwrap import shorten

import streamlit as st

from tutor.attempts import Attempt
from tutor.model import Status, SubmissionState
from tutor.ui.desk import Desk, same_text
from tutor.ui.past import difference
from tutor.ui.text import escape_markdown, prose, readable
from tutor.ui.words import Look, ago, look, moment

_SHOWN_CHARS = 20_000
_REASON_CHARS = 60


def render_history(desk: Desk) -> None:
    """Draw a page of attempts; the text of one is read when its row is opened."""
    with st.container(key="history", gap="small"):
        attempts = desk.past.attempts(desk.newest)
        if desk.past.unread:
            st.warning("Your earlier attempts cannot be listed just now, which is our fault. They are kept.", icon=":material/build_circle:")  # fmt: skip
        elif not attempts:
            st.caption("Nothing here yet. Every text that you check is kept here, with what came of it.")
        with st.container(key="attempts", gap="xsmall"):
            for attempt in attempts:
                _row(desk, attempt)
        if desk.past.more:
            st.button("Show older", key=f"older-{desk.exercise.slug}", icon=":material/expand_more:", on_click=desk.past.older)  # fmt: skip


def _row(desk: Desk, attempt: Attempt) -> None:
    row = st.expander(_label(attempt), key=f"attempt-{attempt.id}", on_change="rerun")
    if not row.open:
        return
    with row, st.container(gap="small"):
        st.caption(_facts(attempt))
        if why := _why(attempt):
            st.markdown(why)
        text = desk.past.text(attempt.id)
        if text is None:
            st.caption("The text of this attempt cannot be shown just now. It is kept; please try again in a minute.")
            return
        _change(desk, attempt, text)
        _restore(desk, attempt, text)


def _label(attempt: Attempt) -> str:
    seen = _look(attempt)
    count = f"{attempt.passed} of {attempt.total} milestones" if attempt.total else "no result"
    if attempt.status is Status.BROKEN:
        count = "does not count"
    elif attempt.state is not SubmissionState.DONE:
        count = "on its way"
    return (
        f":{seen.colour}[:material/{seen.icon}:] {count}{_briefly(attempt)} :gray[:small[{ago(attempt.submitted_at)}]]"
    )


def _briefly(attempt: Attempt) -> str:
    """The first words of the reason, or the check that failed first."""
    told = (attempt.how or attempt.first).replace("`", "") if attempt.status is Status.FAILED else ""
    return f" :gray[· {escape_markdown(shorten(told, _REASON_CHARS, placeholder=' …'))}]" if told else ""


def _look(attempt: Attempt) -> Look:
    return (
        Look("hourglass_top", "on its way", "gray")
        if attempt.state is not SubmissionState.DONE
        else look(attempt.status)
    )


def _facts(attempt: Attempt) -> str:
    """When it was, to the minute, and what it took."""
    hints = f" · {attempt.hints_taken} hint{'s' * (attempt.hints_taken != 1)} read" if attempt.hints_taken else ""
    took = f" · checked in {attempt.seconds:.1f} s" if attempt.seconds else ""
    return f"{moment(attempt.submitted_at, st.context.timezone)}{took}{hints}"


def _why(attempt: Attempt) -> str:
    """The reason in a line or two."""
    match attempt.status:
        case Status.PASSED:
            return ""
        case Status.BROKEN:
            return "The check did not work, which was our fault."
        case Status.FAILED if attempt.how:
            return f":material/search: {prose(attempt.how)}"
        case Status.FAILED:
            return f"The first check that failed: {escape_markdown(attempt.first)}"
        case _:
            return "" if attempt.state is not SubmissionState.DONE else "What came of it cannot be shown here."


def _change(desk: Desk, attempt: Attempt, text: str) -> None:
    """What had changed since the attempt before; all of it where there is nothing to compare it with."""
    before = desk.past.before(attempt.id)
    earlier = None if before is None else desk.past.text(before)
    if earlier is None:
        st.caption("The first attempt" if before is None else "The text")
        st.code(readable(text, _SHOWN_CHARS), language="python", wrap_lines=True)
        return
    changed = difference(earlier, text)
    st.caption("What changed since the attempt before" if changed else "The same text as in the attempt before.")
    if changed:
        st.code(readable(changed, _SHOWN_CHARS), language="diff", wrap_lines=True)


def _restore(desk: Desk, attempt: Attempt, text: str) -> None:
    if same_text(text, desk.text):
        st.caption(":material/check: This is the text in the editor.")
        return
    if st.button("Put this text into the editor", key=f"restore-{attempt.id}", icon=":material/edit_document:"):
        desk.replace(text, elsewhere=True)
        st.rerun()
    st.caption("Your present text stays within reach: “Bring back my text”, under the editor, returns it.")
