"""The frame of every page: one ``Tutor``, the address, the look, and what happens when we fail ourselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tutor.service import Tutor
from tutor.ui import exercise, home
from tutor.ui.guard import guard

_ASSETS = Path(__file__).with_name("assets")


@st.cache_resource(show_spinner=False, on_release=Tutor.close)
def shared_tutor() -> Tutor:
    """The one ``Tutor`` of this server, built on the first visit."""
    from tutor.settings import load_settings  # noqa: PLC0415  the pages can be tested without an engine
    from tutor.wiring import build_tutor  # noqa: PLC0415

    return build_tutor(load_settings())


def main(open_tutor: Callable[[], Tutor] = shared_tutor) -> None:
    """Draw the page the address asks for.

    Args:
        open_tutor: gives the ``Tutor``; tests hand in one with a fake engine.
    """
    st.set_page_config(page_title="Attention tutor", page_icon=str(_ASSETS / "icon.svg"), layout="wide")
    st.html(_ASSETS / "page.css")

    def draw() -> None:
        with guard("page"):
            _route(open_tutor(), page)

    page = st.Page(draw, title="Attention tutor", url_path="home", default=True)
    st.navigation([page], position="hidden").run()


def _route(tutor: Tutor, page: st.Page) -> None:
    slug = st.query_params.get("exercise", "")
    found = tutor.exercise(slug) if slug else None
    if found is not None:
        exercise.render(tutor, found, page)
        return
    home.render(tutor, page, unknown=slug)
