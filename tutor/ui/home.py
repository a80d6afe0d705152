"""The first page: what this is, and the path through the lessons with what has been reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from tutor.content import Exercise, Milestone
from tutor.curriculum import Step
from tutor.progress import Progress, Reached
from tutor.service import Tutor
from tutor.ui.checker_view import render_checker_line, render_checker_problem
from tutor.ui.text import escape_markdown
from tutor.ui.words import look, path_words

_LOOK_SECONDS = 1.0


def render(tutor: Tutor, pages: Mapping[str, st.Page], unknown: str = "") -> None:
    """Draw the path; ``pages`` maps slugs to their pages. ``unknown`` is an exercise somebody asked for by address that does not exist."""
    with st.container(key="home"):
        st.title("Attention, written by you", anchor=False)
        st.markdown(
            "Write the attention mechanism from scratch, one milestone at a time, and be told what holds, what does not, and where to look."
        )
        if unknown:
            name = escape_markdown(unknown[:80])
            st.info(f"There is no exercise called “{name}”. These are the ones there are:", icon=":material/signpost:")
        state = tutor.checker_state()
        st.fragment(_checker, run_every=None if state.ready else _LOOK_SECONDS)(tutor, was_ready=state.ready)
        _path(tutor, pages, tutor.progress(tutor.learner()))
        render_checker_line(state)


def _checker(tutor: Tutor, *, was_ready: bool) -> None:
    """What is wrong with the checker, looked at again until it is ready; then the page is drawn anew."""
    state = tutor.checker_state()
    if state.ready and not was_ready:
        st.rerun()
    render_checker_problem(state)


def _path(tutor: Tutor, pages: Mapping[str, st.Page], reached: Progress) -> None:
    exercises = {exercise.slug: exercise for exercise in tutor.exercises()}
    _overall(list(exercises.values()), reached)
    next_one = next((slug for slug, exercise in exercises.items() if _left(exercise, reached)), "")
    numbers = {slug: number for number, slug in enumerate(exercises, start=1)}
    for number, lesson in enumerate(tutor.lessons()):
        with st.container(key=f"lesson-{number}"):
            st.markdown(f"**{lesson.title}** · {lesson.about}")
        for step in lesson.exercises:
            exercise = exercises[step.slug]
            with st.container(border=True, key=f"exercise-{step.slug}"):
                st.subheader(f"{numbers[step.slug]}. {exercise.title}", anchor=False)
                st.markdown(exercise.summary)
                _before(step, exercises, reached)
                _milestones(exercise, reached.get(step.slug, {}), is_open=step.slug == next_one)
                with st.container(key=f"go-{step.slug}" if step.slug == next_one else f"see-{step.slug}"):
                    st.page_link(
                        pages[step.slug],
                        label=_invitation(exercise, reached.get(step.slug, {})),
                        icon=":material/arrow_forward:",
                        icon_position="right",
                    )


def _overall(exercises: Sequence[Exercise], reached: Progress) -> None:
    """How far the learner has come on the whole path, and how far without hints; nothing before the first milestone."""
    total = sum(len(exercise.milestones) for exercise in exercises)
    passed = [one for exercise in exercises for one in _passed(exercise, reached.get(exercise.slug, {}))]
    if passed:
        words = path_words(len(passed), total, sum(one.hinted for one in passed))
        st.progress(len(passed) / total, text=words)


def _before(step: Step, exercises: Mapping[str, Exercise], reached: Progress) -> None:
    """What is best done first and is not yet."""
    titles = [exercises[slug].title for slug in step.after if _left(exercises[slug], reached)]
    if titles:
        st.caption(f"Best after {' and '.join(titles)}.")


def _milestones(exercise: Exercise, reached: Mapping[str, Reached], *, is_open: bool) -> None:
    passed, total = len(_passed(exercise, reached)), len(exercise.milestones)
    with (
        st.expander(f"{passed} of {total} milestones", expanded=is_open),
        st.container(key=f"path-{exercise.slug}"),
    ):
        st.markdown("\n".join(f"1. {_step(one, reached.get(one.id))}" for one in exercise.milestones))


def _passed(exercise: Exercise, reached: Mapping[str, Reached]) -> list[Reached]:
    """The milestones of it that have been passed; what was reached in others that it once had is left out."""
    found = (reached.get(milestone.id) for milestone in exercise.milestones)
    return [one for one in found if one is not None and one.passed]


def _left(exercise: Exercise, reached: Progress) -> int:
    """How many milestones of it have not been passed."""
    return len(exercise.milestones) - len(_passed(exercise, reached.get(exercise.slug, {})))


def _step(milestone: Milestone, best: Reached | None) -> str:
    seen = look(best.status, hinted=best.hinted) if best else look(None)
    return f":{seen.colour}[:material/{seen.icon}:] {escape_markdown(milestone.title)} :gray[:small[{seen.word}]]"


def _invitation(exercise: Exercise, reached: Mapping[str, Reached]) -> str:
    passed, total = len(_passed(exercise, reached)), len(exercise.milestones)
    if passed == total:
        return "All passed: look again"
    return f"Continue: {passed} of {total} passed" if reached else "Start"
