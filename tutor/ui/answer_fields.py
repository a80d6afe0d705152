"""The fields a learning question is answered in: plain Streamlit widgets, each with a label, all within reach of the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tutor.answers import TRUTHS
from tutor.marking import LONGEST, Standing, parts_of
from tutor.quiz import Asked, Buckets, Choice, Claim, Open, Order, Predict, Question, Shape, Table, Truth
from tutor.replies import Given
from tutor.sorting import named, shuffled
from tutor.ui.text import label, prose

_SAMPLES = {"number": "a number, such as 1,536 or 3*512", "shape": "a shape, such as (2, 7, 15)"}


def keys_of(key: str, question: Asked) -> tuple[str, ...]:
    """The key of every field, in the order of the parts of an answer."""
    return tuple(f"{key}-{number}" for number in range(parts_of(question)))


def collect(key: str, question: Asked) -> Given:
    """What stands in the fields."""
    found = (st.session_state.get(one) for one in keys_of(key, question))
    return tuple("" if text is None else str(text) for text in found)


def choices_of(question: Asked) -> Sequence[str]:
    """What can be chosen in every part of an answer; empty where it is written."""
    match question:
        case Truth():
            return TRUTHS
        case Predict() if question.of == "truth":
            return TRUTHS
        case Choice():
            return [option.text for option in question.options]
        case Claim():
            return [part.text for part in question.parts]
        case Buckets():
            return question.buckets
        case _:
            return ()


def draw(key: str, shown: Standing, held: Given | None = None) -> None:
    """Draw the fields; they begin with the newest answer.

    Args:
        key: of the question; the fields have it with a number behind. A field that comes back after others were shown in its place
            needs another key, or the browser may show it empty.
        shown: the question and its newest answer.
        held: what they begin with instead.
    """
    question, keys = shown.question, keys_of(key, shown.question)
    begin = dict(zip(keys, held or shown.given or [""] * len(keys), strict=True))
    if not isinstance(question, Order | Buckets | Table):
        _single(question, keys[0], begin[keys[0]])
        return
    with st.container(key="parts", gap="small" if isinstance(question, Buckets) else "xsmall"):
        match question:
            case Order():
                for number in shuffled(question):
                    _place(question, number, keys[number], begin[keys[number]])
            case Buckets():
                for one, item in zip(keys, question.items, strict=True):
                    _radio(label(item.text), question.buckets, one, begin[one], horizontal=True)
            case Table():
                st.caption(f"Fill in: {prose(question.head[-1])}")
                for one, row in zip(keys, question.rows, strict=True):
                    st.text_input(label(named(question, row)), begin[one], key=one, placeholder=_SAMPLES[question.of])


def _place(question: Order, number: int, key: str, begin: str) -> None:
    places = len(question.steps)
    value = int(begin) if begin else None
    name = label(question.steps[number])
    st.number_input(name, 1, places, value, 1, key=key, placeholder=f"1 to {places}")


def _radio(name: str, texts: Sequence[str], key: str, begin: str, *, horizontal: bool = False) -> None:
    chosen = texts.index(begin) if begin in texts else None
    st.radio(name, texts, chosen, key=key, horizontal=horizontal, format_func=prose)


def _single(question: Question, key: str, begin: str) -> None:
    name = "Your prediction" if isinstance(question, Predict) else "Your answer"
    match question:
        case _ if texts := choices_of(question):
            name = "The step that goes wrong" if isinstance(question, Claim) else name
            _radio(name, texts, key, begin, horizontal=texts is TRUTHS)
        case Open():
            st.text_area(name, begin, key=key, height=120, max_chars=LONGEST)
        case _:
            of = question.of if isinstance(question, Predict) else "shape" if isinstance(question, Shape) else "number"
            st.text_input(name, begin, key=key, placeholder=_SAMPLES[of])
