"""The smallest example: tiny whole numbers, what the learner's code makes of them, and what is right, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from checkers._shapes import given, plain
from tutor.model import Status
from tutor.trials import Compared, Example, Given, Purpose, SmallExample
from tutor.ui.desk import Desk, same_text
from tutor.ui.number_tables import in_axes, tables
from tutor.ui.panels import TRY_IT, open_panel
from tutor.ui.scratch_view import lines_key, put_lines
from tutor.ui.text import escape_markdown, readable
from tutor.ui.trial_view import render_stopped, render_trial

ABOUT = (
    "Your code is run on tiny tensors of whole numbers, the simplest first, until its numbers are not the right ones."
)
NO_CASES = "There are no small cases for this exercise."
PASSED = "Your numbers are right in all of them. Here is the first one, to look at."
FAILED = (
    "In none of the small cases do your numbers differ. What the checks found needs larger sizes to show, "
    "or it is a rule that is broken and not a number. Here is the first case, to look at."
)
UNCHECKED = (
    "In none of the small cases do your numbers differ. Press Check to see whether larger sizes and the rules are kept, "
    "too. Here is the first case, to look at."
)


def render_example(desk: Desk) -> None:
    """Draw the button that looks for it, and what came of it."""
    slug = desk.exercise.slug
    with st.container(key="example", gap="small"):
        if not desk.exercise.examples:
            st.caption(NO_CASES)
            return
        st.caption(ABOUT)
        if st.button("Find the smallest example", key=f"example-{slug}-find", icon=":material/search:"):
            with st.spinner("Looking"):
                desk.trying.ask(desk.text, SmallExample())
        found = render_trial(desk, Purpose.EXAMPLE, Example)
        with st.container(key="example-result", gap="small"):
            if found is not None:
                _result(desk, found)


def _result(desk: Desk, found: Example) -> None:
    if found.stopped is not None:
        render_stopped(desk, Purpose.EXAMPLE, found.stopped)
    elif found.differs:
        st.markdown(":red[:material/cancel:] **Your numbers differ in this case**")
    else:
        st.markdown(f":green[:material/check_circle:] {_nothing_found(desk)}")
    if not found.given:
        return
    st.text(_case(found))
    _givens("Weights", [one for one in found.given if "." in one.name])
    _givens("Inputs", [one for one in found.given if "." not in one.name])
    for one in found.compared:
        _result_of(one)
    _lines(desk, found.snippet)


def _nothing_found(desk: Desk) -> str:
    run, checked = desk.trying.look(Purpose.EXAMPLE), desk.last_done
    if run is None or checked is None or checked.verdict is None or not same_text(run.source, checked.source):
        return UNCHECKED
    return {Status.PASSED: PASSED, Status.FAILED: FAILED}.get(checked.verdict.status, UNCHECKED)


def _case(found: Example) -> str:
    """The sizes, and what came before it on the same layer."""
    case = given({**found.dims, **found.arguments})
    mode = " in training mode" if found.train else ""
    if found.call == 1:
        return f"The case: {case}."
    before = "one call" if found.call == 2 else f"{found.call - 1} calls"
    return f"The case: {case}. It is a call{mode} that comes after {before}; the lines below make them all."


def _givens(title: str, some: Sequence[Given]) -> None:
    if not some:
        return
    with st.container(gap=None):
        st.markdown(f"**{title}**")
        with st.container(horizontal=True):
            for one in some:
                with st.container(width="content", gap=None):
                    st.markdown(f"**{escape_markdown(one.name)}**")
                    st.caption(escape_markdown(in_axes(one.axes, one.grid.shape)))
                    for of, table in tables(one.grid, one.axes, truths=one.truths):
                        _table(of, table)


def _result_of(one: Compared) -> None:
    """Where they differ, the learner's number has a sign before it, besides its colour."""
    with st.container(gap=None):
        state = ":red-badge[≠ differs]" if one.differs else ":green-badge[= right]"
        st.markdown(f"**{escape_markdown(one.name)}** {escape_markdown(in_axes(one.axes, one.wanted.shape))} {state}")
        with st.container(horizontal=True, gap="medium"):
            with st.container(width="content", gap=None):
                _mine(one)
            with st.container(width="content", gap=None):
                st.caption("Right")
                for of, table in tables(one.wanted, one.axes, one.decimals):
                    _table(of, table)


def _mine(one: Compared) -> None:
    if one.mine is None:
        st.caption("Yours")
        st.text(readable(f"≠ {one.instead}", 200))
        return
    another = "" if one.mine.shape == one.wanted.shape else f", of another shape: {plain(one.mine.shape)}"
    st.caption(f"Yours{another}")
    for of, table in tables(one.mine, one.axes, one.decimals, frozenset(one.apart)):
        _table(of, table)


def _table(of: str, table: str) -> None:
    if of:
        st.caption(of)
    st.markdown(table)


def _lines(desk: Desk, snippet: str) -> None:
    """The same as lines for the scratch area."""
    slug = desk.exercise.slug
    with st.container(gap="small"):
        st.markdown("**The same in a few lines**")
        st.code(snippet, language="python", wrap_lines=True)
        st.button(
            "Put into Try it",
            key=f"example-{slug}-put",
            icon=":material/content_paste_go:",
            on_click=_put,
            args=(desk, snippet),
        )
        with st.container(gap="small"):
            if st.session_state.get(lines_key(slug)) == snippet:
                st.markdown(":green[:material/check:] The lines are under Try it now; press Run there.")


def _put(desk: Desk, snippet: str) -> None:
    put_lines(desk.exercise, snippet)
    open_panel(desk.exercise.slug, TRY_IT)
