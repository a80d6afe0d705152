"""Why a check failed, and the hints that lead to the mending of it, one at a time and only on request.

The cause is said at once: it is what a learner came for. The hints lead to the answer, so each has to be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc

import streamlit as st

from tutor.hints import Rung, height, rungs
from tutor.model import Diagnosis, Status, Submission
from tutor.ui.text import prose, readable
from tutor.ui.words import ALL_HINTS, NO_HINT, hint_caption, hint_request

# Called with the submission's id and the number of hints the page shows.
TakeHint = Callable[[int, int], None]


def render_diagnosis(shown: Submission, *, on_hint: TakeHint, lost: bool) -> None:
    """Draw the diagnosis of a failed verdict; nothing where there is none.

    Args:
        shown: the submission whose result is on the page.
        on_hint: takes one more hint.
        lost: the last hint that was asked for could not be taken, which is our fault.
    """
    verdict = shown.verdict
    if verdict is None or verdict.status is not Status.FAILED or verdict.diagnosis is None:
        return
    with st.container(key="diagnosis", gap="small"):
        _reason(verdict.diagnosis)
        if height(verdict):
            _ladder(shown, verdict.diagnosis, on_hint)
        if lost:
            st.text(NO_HINT)


def _reason(diagnosis: Diagnosis) -> None:
    title = "The reason" if len(diagnosis.traps) < 2 else "The reasons"
    line = f" :gray-badge[line {diagnosis.line}]" if diagnosis.line else ""
    with st.container(gap="xsmall"):
        st.markdown(f":material/search: **{title}**{line}")
        st.markdown(prose(diagnosis.how))


def _ladder(shown: Submission, diagnosis: Diagnosis, on_hint: TakeHint) -> None:
    taken, following = rungs(diagnosis, shown.hints_taken)
    # Always a block, so that the button below keeps its place in the tree and with it the focus.
    with st.container(gap="small"):
        for number, rung in enumerate(taken, start=1):
            _rung(number, rung)
    if following is None:
        st.caption(ALL_HINTS)
        return
    # The count is in the key: a second click on a button that has had its hint finds nothing to press.
    with st.container(key="next-hint"):
        st.button(
            hint_request(following),
            key=f"hint-{shown.id}-{len(taken)}",
            icon=":material/lightbulb:",
            on_click=on_hint,
            args=(shown.id, len(taken)),
        )


def _rung(number: int, rung: Rung) -> None:
    with st.container(key=f"hint-{number}", gap=None):
        st.caption(hint_caption(rung))
        for place, part in enumerate(rung.text.split("```")):
            if place % 2:
                st.code(readable(cleandoc(part.removeprefix("python"))), language="python", wrap_lines=True)
            elif part.strip():
                st.markdown(prose(part.strip()))
