"""A verdict as a rail of milestones; the first one that is not right is open.

Whatever may quote the student (messages, wanted, got, printed text) goes into plain elements or is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from tutor.dispatch.protocol import CheckerState
from tutor.model import (
    CheckOutcome,
    ErrorReport,
    Exercise,
    Milestone,
    MilestoneOutcome,
    Refusal,
    Status,
    Submission,
    Verdict,
)
from tutor.ui.text import escape_markdown, readable
from tutor.ui.waiting import awaited_titles
from tutor.ui.words import Look, ago, checker_words, look


def render_refusal(refusal: Refusal) -> None:
    """Why the text was not taken, in plain words."""
    with st.container(key="refusal", gap=None):
        st.markdown(":orange-badge[:material/block: not handed in]")
        st.text(readable(refusal.message))
        if refusal.next_step:
            st.text(readable(refusal.next_step))


def render_checker_problem(state: CheckerState) -> None:
    """A banner while nothing can be checked; nothing when all is well."""
    if state.ready:
        return
    with st.container(key="checker-state"):
        if state.problem:
            problem = escape_markdown(state.problem)
            st.warning(
                f"Nothing can be checked at the moment, which is our fault: {problem} What you hand in is kept and checked later.",
                icon=":material/build_circle:",
            )
        else:
            st.info(
                "The checker is starting. What you hand in is kept and checked in a moment.",
                icon=":material/hourglass_top:",
            )


def render_checker_line(state: CheckerState) -> None:
    if state.ready:
        with st.container(key="checker-line"):
            st.caption(checker_words(state))


def render_verdict(
    exercise: Exercise, shown: Submission | None, *, earlier: bool, reached: Mapping[str, Status]
) -> None:
    """Draw the result of ``shown``, or the rail as it stands before the first check.

    Args:
        exercise: whose milestones are the rail.
        shown: a submission that is done, or None.
        earlier: the editor now holds another text than the one this result is for.
        reached: milestone id → best status ever.
    """
    verdict = shown.verdict if shown else None
    with st.container(gap="small"):
        if shown is not None and verdict is not None:
            _summary(exercise, shown, verdict, earlier)
            if verdict.error and not _told(verdict.error, verdict):
                _error(verdict.error)
    _rail(exercise, verdict, reached)
    if verdict and verdict.printed:
        with st.expander("What your code printed", icon=":material/terminal:"):
            st.code(readable(verdict.printed), language=None, wrap_lines=True)


def _told(error: ErrorReport, verdict: Verdict) -> bool:
    """True if a failed check already tells of this error."""
    failed = (check for one in verdict.milestones for check in one.checks if check.status is Status.FAILED)
    return any(error.type in check.actual and check.line == error.line for check in failed)


def _rail(exercise: Exercise, verdict: Verdict | None, reached: Mapping[str, Status]) -> None:
    outcomes = {one.id: one for one in verdict.milestones} if verdict else {}
    if verdict and verdict.status is Status.BROKEN and not outcomes:
        outcomes = {
            one.id: MilestoneOutcome(id=one.id, title=one.title, status=Status.BROKEN, checks=())
            for one in exercise.milestones
        }
    first = next((one.id for one in outcomes.values() if one.status is Status.FAILED), None)
    awaited = awaited_titles(exercise, verdict) if verdict else {}
    with st.container(key="rail", gap=None):
        for number, one in enumerate(exercise.milestones, start=1):
            outcome, best = outcomes.get(one.id), reached.get(one.id)
            _milestone(number, one, outcome, opened=one.id == first, best=best, awaited=awaited)


def _summary(exercise: Exercise, shown: Submission, verdict: Verdict, earlier: bool) -> None:
    passed = sum(one.status is Status.PASSED for one in verdict.milestones)
    total = len(exercise.milestones)
    with st.container(key="summary", gap=None):
        if verdict.status is Status.BROKEN:
            st.subheader("This check did not work", anchor=False)
            st.text(
                "This is our fault; it does not count. Your code is kept, and what you reached before stays. Press Check to try again."
            )
        elif passed == total:
            st.subheader(f"All {total} milestones passed", anchor=False)
        else:
            st.subheader(f"{passed} of {total} milestones passed", anchor=False)
        st.caption(f"Checked {ago(shown.finished_at or shown.submitted_at)} in {verdict.seconds:.2f} s")
        if earlier:
            with st.container(key="earlier"):
                st.markdown(":orange-badge[:material/history: This result belongs to an earlier version of your code]")
        if shown.exercise_version != exercise.version:
            st.text("The exercise has changed since; press Check to see how your code does now.")


def _error(error: ErrorReport) -> None:
    where = f" on line {error.line}" if error.line else ""
    with st.container(key="error", gap="small"):
        st.markdown(f":red[:material/error:] **{escape_markdown(error.type)}**{where}")
        if error.message:
            st.code(readable(error.message), language=None, wrap_lines=True)
        if error.explanation:
            st.text(readable(error.explanation))


def _milestone(
    number: int,
    milestone: Milestone,
    outcome: MilestoneOutcome | None,
    *,
    opened: bool,
    best: Status | None,
    awaited: Mapping[str, str],
) -> None:
    seen = look(outcome.status if outcome else None)
    label = f"{number}\\. {escape_markdown(milestone.title)} {seen.badge}"
    with st.container(key=f"milestone-{milestone.id}"), st.expander(label, expanded=opened):
        if milestone.goal:
            st.caption(milestone.goal)
        if best is Status.PASSED and seen.word != "passed":
            st.markdown(":green-badge[:material/verified: passed in an earlier attempt, and that counts]")
        if outcome is None:
            _plan(milestone)
            return
        if outcome.status is Status.BROKEN and not outcome.checks:
            st.text("This could not be checked. It is our fault and does not count.")
        _checks(milestone.id, outcome, awaited)


def _plan(milestone: Milestone) -> None:
    for check in milestone.checks:
        _quiet(look(None), check.title)


def _checks(name: str, outcome: MilestoneOutcome, awaited: Mapping[str, str]) -> None:
    """What needs attention first, then what is right, then what waits, each group under what it waits for."""
    waiting: dict[str, list[CheckOutcome]] = {}
    for check in outcome.checks:
        if check.status in {Status.FAILED, Status.BROKEN}:
            _finding(f"{name}-{check.id}", check, look(check.status))
        elif check.status is Status.NOT_RUN:
            waiting.setdefault(awaited.get(f"{name}/{check.id}", ""), []).append(check)
    for check in outcome.checks:
        if check.status is Status.PASSED:
            _quiet(look(check.status), check.title)
    for title, checks in waiting.items():
        st.caption(f"Waits for “{escape_markdown(title)}”:" if title else "Waits for the steps before:")
        for check in checks:
            _quiet(look(check.status), check.title)


def _quiet(seen: Look, title: str) -> None:
    st.markdown(f":{seen.colour}[:material/{seen.icon}:] :gray[{escape_markdown(title)}]")


def _finding(key: str, check: CheckOutcome, seen: Look) -> None:
    with st.container(key=f"check-{key}", gap="small"):
        line = f" :gray-badge[line {check.line}]" if check.line else ""
        st.markdown(f":{seen.colour}[:material/{seen.icon}:] **{escape_markdown(check.title)}**{line}")
        if check.message:
            st.text(readable(check.message))
        if check.expected or check.actual:
            wanted, got = st.columns(2, gap="small")
            with wanted:
                _value("Wanted", check.expected)
            with got:
                _value("Got", check.actual)
        if check.next_step:
            st.markdown(f":material/arrow_forward: {escape_markdown(check.next_step)}")


def _value(name: str, value: str) -> None:
    with st.container(gap=None):
        st.caption(name)
        st.code(readable(value, 1_000) if value else "nothing", language=None, wrap_lines=True)
