"""The learning questions of an exercise, one at a time, in a fragment of its own: answering one never disturbs the editor."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import streamlit as st

from tutor.content import Exercise
from tutor.errors import StoreError
from tutor.marking import Standing
from tutor.model import Learner, Mark
from tutor.quiz import Open, Predict, Question
from tutor.replies import Reply
from tutor.service import Tutor
from tutor.ui.answer_fields import collect, draw
from tutor.ui.guard import guard
from tutor.ui.held_answers import held, let_go, watch
from tutor.ui.text import prose, readable
from tutor.ui.words import KINDS_OF_QUESTION, NOT_KEPT, mark_badge

_log = logging.getLogger(__name__)

_PILLS = ".st-key-questions [role='radiogroup'][aria-label='Question']"
_OWN_MARKS = {Mark.RIGHT: "I had it", Mark.PARTLY: "Partly", Mark.WRONG: "Not yet"}


@st.fragment
def render_quiz(tutor: Tutor, learner: Learner, exercise: Exercise) -> None:
    """Draw the questions; the one to begin with is the first that is not done."""
    with guard("questions"), st.container(key="questions", gap="small"):
        stands = tutor.quiz(learner, exercise.slug)
        done = sum(one.done for one in stands)
        st.progress(done / len(stands), text=f"{done} of {len(stands)} questions done")
        shown = _chosen(exercise, stands)
        render_question(tutor, learner, exercise, shown)
        _onward(exercise, stands, shown)
        watch(exercise.slug, [one.question for one in stands], shown.question, _key(exercise, shown.question))


def render_question(tutor: Tutor, learner: Learner, exercise: Exercise, shown: Standing) -> None:
    """Draw one question with its fields and what is said to the newest answer."""
    # Two elements whatever the question: nothing of the one before stands beside it while the page is drawn.
    st.markdown(_about(exercise, shown.question))
    st.markdown(_paragraphs(shown.question.ask))
    _form(tutor, learner, exercise, shown)
    _reply(tutor, learner, exercise, shown)


def _chosen(exercise: Exercise, stands: Sequence[Standing]) -> Standing:
    """The question that is to be shown, by its number."""
    key = f"question-{exercise.slug}"
    first = next((number for number, one in enumerate(stands) if not one.done), 0)
    if st.session_state.get(key) not in range(len(stands)):
        last = st.session_state.get(f"{key}-last", first)
        st.session_state[key] = last if last < len(stands) else first
    # The browser knows a pill by its text, which must stay; so what is done is ticked by a style sheet.
    ticked = [f"{_PILLS} > :nth-child({number})::after" for number, one in enumerate(stands, start=1) if _ticked(one)]
    st.html(f"<span hidden></span><style>{', '.join(ticked)} {{ content: '\u2009✓'; }}</style>")
    number = st.pills(
        "Question",
        range(len(stands)),
        key=key,
        label_visibility="collapsed",
        required=True,
        format_func=lambda number: str(number + 1),
    )
    number = first if number is None else number
    if st.session_state.get(f"{key}-last") != number:
        st.session_state.update(
            {f"{key}-last": number, _visit(exercise): st.session_state.get(_visit(exercise), 0) + 1}
        )
    return stands[number]


def _ticked(stands: Standing) -> bool:
    """Whether a question is done and has no answer that was wrong for good: a prediction is made once."""
    return stands.done and not (isinstance(stands.question, Predict) and stands.mark is not Mark.RIGHT)


def _about(exercise: Exercise, question: Question) -> str:
    """What is to be done, and the milestone that it belongs to."""
    task = f"**{KINDS_OF_QUESTION[question.kind]}**"
    foretold = question.about.partition("/")[0]
    for number, milestone in enumerate(exercise.milestones, start=1):
        if milestone.id == foretold:
            return f"{task}, for milestone {number}: “{prose(milestone.title)}”"
    return task


def _paragraphs(text: str) -> str:
    return "\n\n".join(prose(paragraph.strip()) for paragraph in text.split("\n\n"))


def _visit(exercise: Exercise) -> str:
    return f"visit-{exercise.slug}"


def _key(exercise: Exercise, question: Question) -> str:
    """Another one at every visit to a question, so that its fields are new ones."""
    return f"answer-{exercise.slug}-{question.id}-{st.session_state.get(_visit(exercise), 0)}"


def _form(tutor: Tutor, learner: Learner, exercise: Exercise, shown: Standing) -> None:
    question = shown.question
    key = _key(exercise, question)
    what = "Commit" if isinstance(question, Predict) else "Compare" if isinstance(question, Open) else "Check answer"
    with st.form(f"{key}-form", border=False):
        draw(key, shown, held(exercise.slug, question))
        st.form_submit_button(what, on_click=_take, args=(tutor, learner, exercise, question))


def _take(tutor: Tutor, learner: Learner, exercise: Exercise, question: Question) -> None:
    """Mark what stands in the fields. What cannot be read or kept is said until the next answer."""
    key = _key(exercise, question)
    st.session_state.pop(f"{key}-told", None)
    with guard("answer"):
        try:
            told = tutor.answer(learner, exercise.slug, question.id, collect(key, question))
        except StoreError as error:
            _log.warning("An answer to %s of %s was not kept: %s", question.id, exercise.slug, error)
            told = Reply(None, NOT_KEPT)
        if told.mark is not None:
            let_go(exercise.slug, question)
        else:
            st.session_state[f"{key}-told"] = told


def _reply(tutor: Tutor, learner: Learner, exercise: Exercise, shown: Standing) -> None:
    told: Reply | None = st.session_state.get(f"{_key(exercise, shown.question)}-told")
    reply = told or shown.reply
    with st.container(key="reply", gap="small"):
        if reply is None:
            st.caption("Not answered yet.")
            return
        st.markdown(mark_badge(None if told else shown.mark, shown.question))
        if reply.truth:
            _side_by_side(shown, reply)
        st.markdown(_paragraphs(reply.says))
        if isinstance(shown.question, Open) and not told:
            _own_marks(tutor, learner, exercise, shown.question)


def _side_by_side(shown: Standing, reply: Reply) -> None:
    if isinstance(shown.question, Open):
        with st.container(key="model", gap="small"):
            st.caption("A model answer")
            st.markdown(_paragraphs(reply.truth))
        return
    for column, name, value in zip(
        st.columns(2, gap="small"), ("Your prediction", "The truth"), (shown.given[0], reply.truth), strict=True
    ):
        with column, st.container(gap=None):
            st.caption(name)
            st.code(readable(value), language=None, wrap_lines=True)


def _own_marks(tutor: Tutor, learner: Learner, exercise: Exercise, question: Question) -> None:
    st.caption("Compare the two, then mark your own.")
    with st.container(key="own-mark", horizontal=True, gap="small"):
        for how, label in _OWN_MARKS.items():
            st.button(
                label,
                key=f"own-{question.id}-{how}",
                on_click=_mark_own,
                args=(tutor, learner, exercise, question, how),
            )


def _mark_own(tutor: Tutor, learner: Learner, exercise: Exercise, question: Question, how: Mark) -> None:
    with guard("mark"):
        try:
            tutor.mark_own(learner, exercise.slug, question.id, how)
        except StoreError as error:
            _log.warning("A mark for %s of %s was not kept: %s", question.id, exercise.slug, error)
            st.session_state[f"{_key(exercise, question)}-told"] = Reply(None, NOT_KEPT)


def _onward(exercise: Exercise, stands: Sequence[Standing], shown: Standing) -> None:
    """The way to the next question; always there, so that the focus never has to be looked for."""
    following = (stands.index(shown) + 1) % len(stands)
    st.button(
        "Next question" if following else "Back to the first question",
        key=f"next-{exercise.slug}", type="tertiary", icon=":material/arrow_forward:",
        on_click=lambda: st.session_state.update({f"question-{exercise.slug}": following}),
    )  # fmt: skip
