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
from tutor.ui.words import Look, ago, checker_words, look

_UNHAPPY = (Status.FAILED, Status.BROKEN)


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
            if verdict.error:
                _error(verdict.error)
    outcomes = {one.id: one for one in verdict.milestones} if verdict else {}
    first = next((one.id for one in outcomes.values() if one.status in _UNHAPPY), None)
    with st.container(key="rail", gap=None):
        for number, milestone in enumerate(exercise.milestones, start=1):
            outcome = outcomes.get(milestone.id)
            if outcome is None and verdict is not None and verdict.status is Status.BROKEN:
                outcome = MilestoneOutcome(id=milestone.id, title=milestone.title, status=Status.BROKEN, checks=())
            _milestone(
                number,
                milestone,
                outcome,
                opened=milestone.id == first,
                best=reached.get(milestone.id),
                blocker=_titles(outcomes),
            )
    if verdict and verdict.printed:
        with st.expander("What your code printed", icon=":material/terminal:"):
            st.code(readable(verdict.printed), language=None, wrap_lines=True)


def _titles(outcomes: Mapping[str, MilestoneOutcome]) -> Mapping[str, tuple[str, str]]:
    """Check id → its title and the title of its milestone, for checks that are not right."""
    return {
        check.id: (check.title, milestone.title)
        for milestone in outcomes.values()
        for check in milestone.checks
        if check.status is not Status.PASSED
    }


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
    blocker: Mapping[str, tuple[str, str]],
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
        for check in sorted(outcome.checks, key=_weight):
            _check(check, next((one.needs for one in milestone.checks if one.id == check.id), ()), blocker)


def _plan(milestone: Milestone) -> None:
    for check in milestone.checks:
        _quiet(look(None), check.title)


def _weight(check: CheckOutcome) -> int:
    """What needs attention comes first, then what waits, then what is right."""
    return (Status.FAILED, Status.BROKEN, Status.NOT_RUN, Status.PASSED).index(check.status)


def _check(check: CheckOutcome, needs: tuple[str, ...], blocker: Mapping[str, tuple[str, str]]) -> None:
    seen = look(check.status)
    if check.status is Status.PASSED:
        _quiet(seen, check.title)
    elif check.status is Status.NOT_RUN:
        awaited = next((blocker[need][0] for need in needs if need in blocker), "")
        _quiet(
            seen,
            f"{check.title} (waits for “{awaited}”)"
            if awaited
            else f"{check.title} ({check.message or 'waits for the steps before'})",
        )
    else:
        _finding(check, seen)


def _quiet(seen: Look, title: str) -> None:
    st.markdown(f":{seen.colour}[:material/{seen.icon}:] :gray[{escape_markdown(title)}]")


def _finding(check: CheckOutcome, seen: Look) -> None:
    with st.container(key=f"check-{check.id}", gap="small"):
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
