"""The editor behind one interface, so that another one can take its place.

The default is streamlit-ace, mended in the browser by ``assets/mend.js``: no live completion, a label, a way out by keyboard,
and a check that carries the text as it stands, as does leaving the page. ``assets/keep.js`` holds in the browser tab what the server
has not kept yet. Where mending fails, a plain button appears after a few seconds and everything still works. The other choice is a
labelled text area.
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
# Lines that the mended editor shows at least, and up to how many it grows with the code.
_LINES = (23, 36)


@dataclass(frozen=True, slots=True)
class Mark:
    """A note in the gutter about something wrong. ``line`` counts from 1."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the editor shows: ``text`` under ``key``; ``marks`` are set anew whenever ``revision`` changes.

    ``answered`` counts the checks the server has dealt with: the Check button rests until it changes. ``news`` is read out.
    ``done`` is the last check whose outcome these marks and news know of, 0 for none: a page that shows a later one asks for them.
    ``place`` names whose text of what it is; ``owner`` is the session that has it, ``base`` the revision of the draft that it grew from,
    ``kept`` says that it is saved.
    """

    key: str
    text: str
    dark: bool = False
    marks: tuple[Mark, ...] = ()
    revision: str = ""
    answered: int = 0
    news: str = ""
    done: int = 0
    place: str = ""
    owner: str = ""
    base: int = 0
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Ears:
    """Who hears what of the editor.

    Args:
        on_text: called with what the editor reports, whenever it is drawn; gives what it shows from now on.
        on_check: called with the exact text to check, or with None where the newest text may still be on its way.
        on_leave: called with the newest text when the learner goes to another page before it was reported.
        on_resume: called with a text that the browser tab held while nobody listened, the revision that it grew from, the session it
            was written in, and whether the editor shows it.
    """

    on_text: Callable[[str], Sheet]
    on_check: Callable[[str | None], None]
    on_leave: Callable[[str], None]
    on_resume: Callable[[str, int, str, bool], None]


def code_editor(sheet: Sheet, ears: Ears, *, plain: bool) -> None:
    """Draw the editor with its Check button.

    Args:
        sheet: what to show.
        ears: who hears of what is written and pressed.
        plain: a labelled text area instead of the code editor.
    """
    if plain:
        _text_area(sheet, ears)
    else:
        _ace(sheet, ears)


def _text_area(sheet: Sheet, ears: Ears) -> None:
    key = f"{sheet.key}-plain"
    st.session_state.setdefault(key, sheet.text)
    with st.container(key="plain", gap="xsmall"):
        # A click on a link commits the text and leaves in one go: only a callback is sure to be called.
        text = st.text_area(_LABEL, key=key, height=_HEIGHT, on_change=lambda: ears.on_leave(st.session_state[key]))
        st.caption("Your text is kept when you leave the field. Press Check to have it checked.")
    with st.container(key="mend-unseen"):
        _mend(ears.on_text(text), ears)
    with st.container(key="check-plain"):
        st.button("Check", type="primary", key=f"{key}-check", on_click=ears.on_check, args=(None,))


def _ace(sheet: Sheet, ears: Ears) -> None:
    with st.container(key="editor"):
        reported: str = st_ace(
            value=sheet.text,
            key=sheet.key,
            language="python",
            theme="tomorrow_night" if sheet.dark else "chrome",
            height=_HEIGHT,
            font_size=15,
            auto_update=True,
        )
    _mend(ears.on_text(reported), ears)
    with st.container(key="check-fallback"):
        st.button("Check", type="primary", key=f"{sheet.key}-check", on_click=ears.on_check, args=(None,))


def _mend(sheet: Sheet, ears: Ears) -> None:
    key = f"{sheet.key}-mend"
    _mender()(
        key=key,
        data={
            "label": f"{_LABEL}. Tab indents; press Escape, then Tab, to leave the editor.",
            "lines": _LINES,
            "marks": [{"row": mark.line - 1, "column": 0, "text": mark.text, "type": "error"} for mark in sheet.marks],
            "revision": sheet.revision,
            "answered": sheet.answered,
            "news": sheet.news,
            "done": sheet.done,
            "text": sheet.text,
            "sheet": sheet.key,
            "heard": st.session_state.get(f"{key}-heard", 0),
            **{name: getattr(sheet, name) for name in ("place", "owner", "base", "kept")},
        },
        on_check_change=lambda: _sent(key, "check", ears.on_check),
        on_leave_change=lambda: _sent(key, "leave", ears.on_leave),
        on_resume_change=lambda: _resumed(key, ears.on_resume),
        # Nothing to do but to draw again, marks and clock with it.
        on_outcome_change=lambda: None,
    )


def _sent(key: str, what: str, take: Callable[[str], None]) -> None:
    match st.session_state[key].get(what):
        case {"text": str(text), "n": number}:
            take(text)
            # Told back to the page, which leaves only then.
            st.session_state[f"{key}-heard"] = number


def _resumed(key: str, take: Callable[[str, int, str, bool], None]) -> None:
    match st.session_state[key].get("resume"):
        case {"text": str(text), "base": int(base), "owner": str(owner), "shown": bool(shown)}:
            take(text, base, owner, shown)


@cache
def _mender() -> ComponentRenderer:
    html, css, keep, mend = (
        (_ASSETS / name).read_text("utf-8") for name in ("mend.html", "mend.css", "keep.js", "mend.js")
    )
    js = f"{keep}\n{mend}"
    return st.components.v2.component("tutor_mend", html=html, css=css, js=js)
