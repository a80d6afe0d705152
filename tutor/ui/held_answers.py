"""What was written into the fields of a question that somebody turned away from: kept in the session until it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from tutor.marking import parts_of
from tutor.quiz import Order, Question
from tutor.replies import Given
from tutor.ui.answer_fields import choices_of

_ASSETS = Path(__file__).with_name("assets")


def held(slug: str, question: Question) -> Given | None:
    """What stood in the fields of a question when it was left; None where nothing was written."""
    found: Given | None = st.session_state.get(_key(slug, question))
    return found


def let_go(slug: str, question: Question) -> None:
    """It was answered."""
    st.session_state.pop(_key(slug, question), None)


def watch(slug: str, questions: Sequence[Question], shown: Question, key: str) -> None:
    """Hold from now on what is written into the fields of ``shown``, whose keys begin with ``key``."""
    name = f"hold-{slug}"
    _watcher()(
        key=name,
        data={"key": key, "question": shown.id, "parts": parts_of(shown)},
        on_hold_change=lambda: _hold(slug, questions, st.session_state[name].get("hold")),
    )


def _hold(slug: str, questions: Sequence[Question], sent: object) -> None:
    match sent:
        case {"question": str(name), "parts": [*parts]}:
            for question in questions:
                if question.id == name and len(parts) == parts_of(question):
                    st.session_state[_key(slug, question)] = tuple(_text(question, part) for part in parts)


def _text(question: Question, part: object) -> str:
    """One part of an answer as its field takes it."""
    choices = choices_of(question)
    if choices:
        return choices[part] if isinstance(part, int) and 0 <= part < len(choices) else ""
    text = part if isinstance(part, str) else ""
    if isinstance(question, Order):
        return text if text.isdecimal() and 1 <= int(text) <= len(question.steps) else ""
    return text


def _key(slug: str, question: Question) -> str:
    return f"held-{slug}-{question.id}"


@cache
def _watcher() -> ComponentRenderer:
    return st.components.v2.component("tutor_hold", html="<span></span>", js=(_ASSETS / "hold.js").read_text("utf-8"))
