"""Why a check failed, and the hints that lead to the mending of it, one at a time and only on request.

The cause is said at once: it is what a learner came for. The hints lead to the answer, so each has to be asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc

import streamlit as st

from tutor.hints import Rung, rungs
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
    taken, following = rungs(verdict.diagnosis, shown.hints_taken)
    with st.container(key="diagnosis", gap="small"):
        # One block that is never empty: the button below it keeps its place in the tree while hints are added.
        with st.container(gap="small"):
            _reason(verdict.diagnosis)
            for number, rung in enumerate(taken, start=1):
                _rung(number, rung)
        if following is not None:
            _request(following, shown.id, len(taken), on_hint)
        elif taken:
            st.caption(ALL_HINTS)
        if lost:
            st.text(NO_HINT)


def _reason(diagnosis: Diagnosis) -> None:
    title = "The reason" if len(diagnosis.traps) < 2 else "The reasons"
    line = f" :gray-badge[line {diagnosis.line}]" if diagnosis.line else ""
    with st.container(gap="xsmall"):
        st.markdown(f":material/search: **{title}**{line}")
        st.markdown(prose(diagnosis.how))


def _request(rung: Rung, submission_id: int, seen: int, on_hint: TakeHint) -> None:
    # The count is in the key: a second click on a button that has had its hint finds nothing to press.
    with st.container(key="next-hint"):
        st.button(
            hint_request(rung),
            key=f"hint-{submission_id}-{seen}",
            icon=":material/lightbulb:",
            on_click=on_hint,
            args=(submission_id, seen),
        )


def _rung(number: int, rung: Rung) -> None:
    with st.container(key=f"hint-{number}", gap=None):
        st.caption(hint_caption(rung))
        if rung.code:
            _code(rung.code)
            return
        for place, part in enumerate(rung.text.split("```")):
            if place % 2:
                _code(cleandoc(part.removeprefix("python")))
            elif part.strip():
                st.markdown(prose(part.strip()))


def _code(text: str) -> None:
    st.code(readable(text), language="python", wrap_lines=True)
