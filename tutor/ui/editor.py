"""The editor behind one interface, so that another one can take its place.

The default is streamlit-ace, mended in the browser by ``assets/mend.js``: no live completion, a label, a way out by keyboard,
and a check that carries the text as it stands, as does leaving the page. Where mending fails, a plain button appears after a few seconds and everything
still works. The other choice is a labelled text area.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer
from streamlit_ace import st_ace

_ASSETS = Path(__file__).with_name("assets")
_LABEL = "Your code"
_HEIGHT = 420


@dataclass(frozen=True, slots=True)
class Mark:
    """A note in the gutter about something wrong. ``line`` counts from 1."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the editor shows: ``text`` under ``key``; ``marks`` are set anew whenever ``revision`` changes.

    ``answered`` counts the checks the server has dealt with: the Check button rests until it changes. ``news`` is read out.
    """

    key: str
    text: str
    dark: bool = False
    marks: tuple[Mark, ...] = ()
    revision: str = ""
    answered: int = 0
    news: str = ""


def code_editor(
    sheet: Sheet, *, plain: bool, on_check: Callable[[str | None], None], on_leave: Callable[[str], None]
) -> str:
    """Draw the editor with its Check button and return the text it reports.

    Args:
        sheet: what to show.
        plain: a labelled text area instead of the code editor.
        on_check: called with the exact text to check, or with None where the newest text may still be on its way.
        on_leave: called with the newest text when the learner goes to another page before it was reported.
    """
    return _text_area(sheet, on_check, on_leave) if plain else _ace(sheet, on_check, on_leave)


def _text_area(sheet: Sheet, on_check: Callable[[str | None], None], on_leave: Callable[[str], None]) -> str:
    key = f"{sheet.key}-plain"
    st.session_state.setdefault(key, sheet.text)
    with st.container(key="plain", gap="xsmall"):
        # A click on a link commits the text and leaves in one go: only a callback is sure to be called.
        text = st.text_area(_LABEL, key=key, height=_HEIGHT, on_change=lambda: on_leave(st.session_state[key]))
        st.caption("What you write here is kept when you leave the field or press Ctrl+Enter; only Check checks it.")
    with st.container(key="mend-unseen"):
        _mend(sheet, on_check, on_leave)
    with st.container(key="check-plain"):
        st.button("Check", type="primary", key=f"{key}-check", on_click=on_check, args=(None,))
    return text


def _ace(sheet: Sheet, on_check: Callable[[str | None], None], on_leave: Callable[[str], None]) -> str:
    with st.container(key="editor"):
        reported: str = st_ace(
            value=sheet.text,
            key=sheet.key,
            language="python",
            theme="tomorrow_night" if sheet.dark else "chrome",
            height=_HEIGHT,
            font_size=16,
            auto_update=True,
        )
    _mend(sheet, on_check, on_leave)
    with st.container(key="check-fallback"):
        st.button("Check", type="primary", key=f"{sheet.key}-check", on_click=on_check, args=(None,))
    return reported


def _mend(sheet: Sheet, on_check: Callable[[str | None], None], on_leave: Callable[[str], None]) -> None:
    _mender()(
        key=f"{sheet.key}-mend",
        data={
            "label": f"{_LABEL}. Tab indents; press Escape, then Tab, to leave the editor.",
            "height": _HEIGHT,
            "marks": [{"row": mark.line - 1, "column": 0, "text": mark.text, "type": "error"} for mark in sheet.marks],
            "revision": sheet.revision,
            "answered": sheet.answered,
            "news": sheet.news,
        },
        on_check_change=lambda: _sent(f"{sheet.key}-mend", "check", on_check),
        on_leave_change=lambda: _sent(f"{sheet.key}-mend", "leave", on_leave),
    )


def _sent(key: str, what: str, take: Callable[[str], None]) -> None:
    sent = st.session_state[key].get(what)
    if isinstance(sent, dict) and isinstance(sent.get("text"), str):
        take(sent["text"])


@cache
def _mender() -> ComponentRenderer:
    html, css, js = ((_ASSETS / f"mend.{suffix}").read_text("utf-8") for suffix in ("html", "css", "js"))
    return st.components.v2.component("tutor_mend", html=html, css=css, js=js)
