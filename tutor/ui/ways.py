"""Where one can go from an exercise."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Ways:
    """Pages that lead on from an exercise.

    Args:
        home: the path with all exercises.
        compare: shows, after a pass, one's code beside the right answer; it takes the slug as ``exercise`` in its address.
        following: the next exercise on the path; None behind the last.
    """

    home: st.Page
    compare: st.Page
    following: st.Page | None = None


def render_onward(slug: str, ways: Ways) -> None:
    """What there is to do once the exercise is passed."""
    with st.container(key="onward", horizontal=True, gap="medium"):
        st.page_link(
            ways.compare,
            label="Compare with the reference",
            icon=":material/compare:",
            query_params={"exercise": slug},
        )
        st.page_link(
            ways.following or ways.home,
            label=f"Next: {ways.following.title}" if ways.following else "All exercises",
            icon=":material/arrow_forward:",
            icon_position="right",
        )
