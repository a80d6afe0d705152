"""The panels under the editor: one is open at a time, and another panel may open it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

TRY_IT = "Try it"


def panels(slug: str, names: Sequence[str]) -> Sequence[DeltaGenerator]:
    """The panels of an exercise, the first of them open at first. They are told apart on the server, so that a click elsewhere can open one."""
    return st.tabs(names, key=_key(slug), on_change="rerun")


def open_panel(slug: str, name: str) -> None:
    """Open a panel; for a callback, which runs before the panels are drawn."""
    st.session_state[_key(slug)] = name


def _key(slug: str) -> str:
    return f"panels-{slug}"
