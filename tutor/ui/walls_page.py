"""The page that shows what keeps student code in: every wall with its state, every limit with its unit. For operators and the curious."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tutor.dispatch.protocol import CheckerState
from tutor.settings import Limit
from tutor.ui.checker_view import render_checker_problem
from tutor.ui.text import escape_markdown
from tutor.walls import MEANINGS, Wall

INTRODUCTION = (
    "What somebody hands in here runs in a process of its own, once, behind the walls below, and is then ended. Whenever the checker "
    "starts, test code attacks these walls."
)
PROMISE = (
    "Promised behind these walls: a submission reads no file, no secret and no other submission, reaches no network, starts nothing, and "
    "ends with its check. Not promised: faults of the operating system's kernel itself, and what can be learned from how long things take."
)
WEAKER = (
    "The driver of a device stays within reach of a submission, so less is promised here than on the CPU: no file, no network, no program, "
    "but the driver's own part of the system's kernel is open."
)
MORE = "The operator finds more in `docs/security.md`; `python -m tutor doctor` says the same as this page."


def render(state: CheckerState, limits: Sequence[Limit], start: st.Page | None = None) -> None:
    """Draw the page from what the checker said at its start; ``start`` is the way back to the exercises."""
    with st.container(key="walls"):
        if start is not None:
            st.page_link(start, label="All exercises", icon=":material/arrow_back:")
        st.title("What keeps your code in", anchor=False)
        render_checker_problem(state)
        st.markdown(INTRODUCTION)
        if state.proof.holes:
            st.markdown("What a submission could do here and should not: " + _listed(state.proof.holes) + ".")
        elif state.proof.walls and state.proof.holds:
            st.markdown("If one does not hold, nothing is run. " + (PROMISE if state.device in {"", "cpu"} else WEAKER))
        st.subheader("Walls", anchor=False)
        if state.proof.walls:
            st.markdown("\n".join(_line(wall) for wall in state.proof.walls))
            st.caption(_summary(state))
        else:
            st.markdown("The checker has not said yet which walls it has. Reload this page in a few seconds.")
        st.subheader("Limits", anchor=False)
        st.markdown("\n".join(_limit(limit) for limit in limits))
        st.caption(MORE)


def _line(wall: Wall) -> str:
    badge = (
        ":green-badge[:material/verified_user: on]" if wall.on else ":orange-badge[:material/remove_moderator: missing]"
    )
    meaning = capitalised(MEANINGS.get(wall.id, ""))
    detail = escape_markdown(wall.detail)
    if not wall.on:
        return f"- **{escape_markdown(wall.id)}** {badge}  \n  {meaning}. It is missing: {detail or 'the checker did not say why'}."
    return f"- **{escape_markdown(wall.id)}** {badge}  \n  {meaning}{f' ({detail})' if detail else ''}."


def _summary(state: CheckerState) -> str:
    on = sum(wall.on for wall in state.proof.walls)
    device = "the CPU" if state.device in {"", "cpu"} else escape_markdown(state.device)
    how = "each by itself and all together" if state.proof.each_alone else "all together"
    return f"{on} of {len(state.proof.walls)} walls are on; they were attacked {how} when the checker started. Code runs on {device}."


def _limit(limit: Limit) -> str:
    return f"- **{limit.amount}** {limit.description} :gray[:small[{limit.variable.replace('_', chr(92) + '_')}]]"


def capitalised(text: str) -> str:
    """With a capital, and nothing else changed."""
    return text[:1].upper() + text[1:]


def _listed(holes: Sequence[str]) -> str:
    return ", ".join(escape_markdown(hole) for hole in holes)
