"""Why a check failed, and the hints that lead to the mending of it, one at a time and only on request.

The cause is said at once: it is what a learner came for. The hints lead to the answer, so each has to be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import cleandoc

import streamlit as st

from tutor.hints import Rung, rungs
from tutor.model import CheckOutcome, Diagnosis, Ending, Status, Submission, Verdict
from tutor.ui.text import prose, readable
from tutor.ui.words import ALL_HINTS, NO_HINT, hint_caption, hint_request, line_chip

# Called with the submission's id and the number of hints the page shows.
TakeHint = Callable[[int, int], None]

_STOPS = frozenset(Ending) - {Ending.RETURNED}


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
            _reason(verdict, verdict.diagnosis)
            for number, rung in enumerate(taken, start=1):
                _rung(number, rung)
        if following is not None:
            _request(following, shown.id, len(taken), on_hint)
        elif taken:
            st.caption(ALL_HINTS)
        if lost:
            st.text(NO_HINT)


def _reason(verdict: Verdict, diagnosis: Diagnosis) -> None:
    first = next(_failed(verdict), None)
    with st.container(gap="xsmall"):
        if first is not None and diagnosis.skips:
            st.markdown(f":material/flag: **First**{line_chip(first.line)}")
            st.text(readable(first.message or first.title))
        _causes(diagnosis)
        if first is not None and not diagnosis.skips and first.code in _STOPS:
            # What Python said of this very code; the reason speaks of the kind.
            st.text(readable(first.message))
        if diagnosis.proof:
            st.caption(prose(diagnosis.proof))


def _causes(diagnosis: Diagnosis) -> None:
    rest = " for the rest" if diagnosis.skips else ""
    if len(diagnosis.reasons) < 2:
        st.markdown(f":material/search: **The reason**{rest}{line_chip(diagnosis.line)}")
        st.markdown(prose(diagnosis.reasons[0].says if diagnosis.reasons else diagnosis.how))
    else:
        st.markdown(f":material/search: **The {len(diagnosis.reasons)} reasons**{rest}")
        st.markdown("\n".join(f"1. {prose(one.says)}{line_chip(one.line)}" for one in diagnosis.reasons))


def _failed(verdict: Verdict) -> Iterator[CheckOutcome]:
    return (one for milestone in verdict.milestones for one in milestone.checks if one.status is Status.FAILED)


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
