"""A verdict as a rail of milestones; the first one that is not right is open.

Whatever may quote the student (messages, wanted, got, printed text) goes into plain elements or is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import streamlit as st

from tutor.content import Exercise, Milestone
from tutor.model import CheckOutcome, MilestoneOutcome, Refusal, Status, Submission, Verdict
from tutor.progress import Reached
from tutor.ui.diagnosis_view import TakeHint, render_diagnosis
from tutor.ui.text import escape_markdown, readable
from tutor.ui.words import BROKEN, ONCE_MORE, UNREAD, Look, ago, line_chip, look, passed_before


def render_refusal(refusal: Refusal, what: Sequence[str]) -> None:
    """Why the text was not taken, in plain words; ``what`` says what was not done with it, a badge each."""
    with st.container(key="refusal", gap=None):
        st.markdown(" ".join(f":orange-badge[:material/block: {one}]" for one in what))
        st.text(readable(refusal.message))
        if refusal.next_step:
            st.text(readable(refusal.next_step))


def render_unread() -> None:
    """Stands where the result would be when it could not be read."""
    with st.container(key="unread"):
        st.warning(UNREAD, icon=":material/build_circle:")


def render_verdict(
    exercise: Exercise,
    shown: Submission | None,
    *,
    earlier: bool,
    reached: Mapping[str, Reached],
    on_hint: TakeHint,
    hint_lost: bool = False,
) -> None:
    """Draw the result of ``shown``, or the rail as it stands before the first check.

    Args:
        exercise: whose milestones are the rail.
        shown: a submission that is done, or None.
        earlier: the editor now holds another text than the one this result is for.
        reached: milestone id → what was reached there, all attempts together.
        on_hint: takes one more hint on ``shown``.
        hint_lost: the last hint that was asked for could not be taken.
    """
    verdict = shown.verdict if shown else None
    with st.container(gap="small"):
        if shown is not None and verdict is not None:
            _summary(exercise, shown, verdict, earlier, reached)
            render_diagnosis(shown, on_hint=on_hint, lost=hint_lost)
    _rail(exercise, verdict, reached)
    if verdict and verdict.printed:
        with st.expander("What your code printed", icon=":material/terminal:"):
            st.code(readable(verdict.printed), language=None, wrap_lines=True)


def _rail(exercise: Exercise, verdict: Verdict | None, reached: Mapping[str, Reached]) -> None:
    outcomes = {one.id: one for one in verdict.milestones} if verdict else {}
    following = _following(verdict) if verdict else None
    with st.container(key="rail", gap=None):
        for number, one in enumerate(exercise.milestones, start=1):
            outcome, best = outcomes.get(one.id), reached.get(one.id)
            _milestone(number, one, outcome, opened=one.id == following, best=best)


def _following(verdict: Verdict) -> str | None:
    """The milestone to work on next: the first that failed."""
    return next((one.id for one in verdict.milestones if one.status is Status.FAILED), None)


def _summary(
    exercise: Exercise, shown: Submission, verdict: Verdict, earlier: bool, reached: Mapping[str, Reached]
) -> None:
    passed = sum(one.status is Status.PASSED for one in verdict.milestones)
    total = len(exercise.milestones)
    with st.container(key="summary", gap=None):
        if verdict.status is Status.BROKEN:
            # The reason is for the log: the student could do nothing with it.
            st.subheader("This check did not work", anchor=False)
            st.text(BROKEN)
        elif passed == total:
            st.subheader(f"All {total} milestones passed", anchor=False)
        else:
            st.subheader(f"{passed} of {total} milestones passed", anchor=False)
            _invite(exercise, verdict)
        when = ago(shown.finished_at or shown.submitted_at)
        st.caption(f"Tried {when}" if verdict.status is Status.BROKEN else f"Checked {when} in {verdict.seconds:.2f} s")
        if verdict.status is Status.PASSED and _first_with_hints(shown, reached):
            st.caption(ONCE_MORE)
        if earlier:
            with st.container(key="earlier"):
                st.markdown(":orange-badge[:material/history: This result belongs to an earlier version of your code]")
        if shown.exercise_version != exercise.version:
            st.text("The exercise has changed since; press Check to see how your code does now.")


def _invite(exercise: Exercise, verdict: Verdict) -> None:
    """Which milestone is next."""
    following = _following(verdict)
    for number, one in enumerate(exercise.milestones, start=1):
        if one.id == following:
            st.markdown(f":material/flag: Next: **{number}\\. {escape_markdown(one.title)}**")


def _first_with_hints(shown: Submission, reached: Mapping[str, Reached]) -> bool:
    """With this text the last milestone was passed for the first time, and hints had been taken for one of them."""
    fresh = any(one.passed_at == shown.submitted_at for one in reached.values())
    return fresh and any(one.hinted for one in reached.values())


def _milestone(
    number: int, milestone: Milestone, outcome: MilestoneOutcome | None, *, opened: bool, best: Reached | None
) -> None:
    seen = look(outcome.status if outcome else None, hinted=best is not None and best.hinted)
    label = f"{number}\\. {escape_markdown(milestone.title)} {seen.badge}"
    with st.container(key=f"milestone-{milestone.id}"), st.expander(label, expanded=opened):
        if milestone.goal:
            st.caption(milestone.goal)
        if best is not None and best.passed and (outcome is None or outcome.status is not Status.PASSED):
            st.markdown(passed_before(best))
        if outcome is None:
            _plan(milestone)
        else:
            _checks(milestone.id, outcome.checks)


def _plan(milestone: Milestone) -> None:
    _list(_line(look(None), check.title) for check in milestone.checks)


def _checks(name: str, checks: Sequence[CheckOutcome]) -> None:
    """What needs attention first, then what is right, then what waits, each group under the reason it shares."""
    for check in checks:
        if check.status is Status.FAILED:
            _finding(f"{name}-{check.id}", check)
    _list(_line(look(check.status), check.title) for check in checks if check.status in {Status.PASSED, Status.BROKEN})
    waiting = [check for check in checks if check.status is Status.NOT_RUN]
    for reason, group in groupby(waiting, key=lambda check: check.message):
        lines = [_line(look(check.status), check.title) for check in group]
        if reason:
            said = f":gray[:material/hourglass_empty: {escape_markdown(reason)}]"
            lines = ["\n".join((said, *(f"  - {line}" for line in lines)))]
        _list(lines)


def _list(lines: Iterable[str]) -> None:
    """One element for many lines: a page of elements costs the browser more than the check did."""
    if text := "\n".join(f"- {line}" for line in lines):
        st.markdown(text)


def _line(seen: Look, title: str) -> str:
    return f":{seen.colour}[:material/{seen.icon}:] :gray[{escape_markdown(title)}]"


def _finding(key: str, check: CheckOutcome) -> None:
    seen = look(check.status)
    with st.container(key=f"check-{key}", gap="small"):
        st.markdown(f":{seen.colour}[:material/{seen.icon}:] **{escape_markdown(check.title)}**{line_chip(check.line)}")
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
