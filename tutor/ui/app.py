"""The frame of every page: one ``Tutor``, the addresses, the look, and what happens when we fail ourselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import streamlit as st

from tutor.content import Exercise
from tutor.service import Tutor
from tutor.settings import limits, load_settings
from tutor.ui import compare_page, exercise, home, walls_page
from tutor.ui.guard import guard
from tutor.ui.ways import Ways

NAME = "Attention tutor"
_ASSETS = Path(__file__).with_name("assets")


@st.cache_resource(show_spinner=False, on_release=Tutor.close)
def shared_tutor() -> Tutor:
    """The one ``Tutor`` of this server, built on the first visit."""
    from tutor.wiring import build_tutor  # noqa: PLC0415  the pages can be tested without an engine

    return build_tutor(load_settings())


def main(open_tutor: Callable[[], Tutor] = shared_tutor) -> None:
    """Draw the page the address asks for.

    Args:
        open_tutor: gives the ``Tutor``; tests hand in one with a fake engine.
    """
    st.set_page_config(page_title=NAME, page_icon=str(_ASSETS / "icon.svg"), layout="wide")
    st.html(_ASSETS / "page.css")
    with guard("start"):
        _navigate(open_tutor())


def _navigate(tutor: Tutor) -> None:
    """One address per exercise, ``/<slug>``; ``/?exercise=<slug>`` leads there too."""

    def show_home() -> None:
        with guard("home"):
            wanted = st.query_params.get("exercise", "")
            if wanted in pages:
                st.switch_page(pages[wanted])
            home.render(tutor, pages, unknown=wanted)

    def page_of(task: Exercise) -> st.Page:
        def show() -> None:
            with guard(task.slug):
                exercise.render(tutor, task, Ways(start, compare, pages.get(following.get(task.slug, ""))))

        return st.Page(show, title=task.title, url_path=task.slug)

    def show_walls() -> None:
        with guard("walls"):
            walls_page.render(tutor.checker_state(), limits(load_settings()), start)

    def show_compare() -> None:
        with guard("compare"):
            compare_page.render(tutor, pages, start)

    start = st.Page(show_home, title=NAME, url_path="home", default=True)
    walls = st.Page(show_walls, title="What keeps your code in", url_path="walls")
    compare = st.Page(show_compare, title="Beside the reference", url_path="compare")
    slugs = [task.slug for task in tutor.exercises()]
    following = dict(pairwise(slugs))
    pages = {task.slug: page_of(task) for task in tutor.exercises()}
    page = st.navigation([start, walls, compare, *pages.values()], position="hidden")
    if page is not start:
        st.set_page_config(page_title=f"{page.title} · {NAME}")
    page.run()
