"""What is said where two tabs hold different texts of one exercise: neither is overwritten until the learner says which."""

from __future__ import annotations

import streamlit as st

from tutor.ui.desk import Desk


def render_other_tab(desk: Desk) -> None:
    """Say that another tab saved a newer text, and let the learner choose; nothing where none did."""
    if desk.newer is None:
        return
    with st.container(key="other-tab", border=True, gap="small"):
        st.markdown(
            ":orange[:material/tab:] **This exercise is also open in another tab, which saved a newer text.** "
            "Until you choose, both texts are kept: the newer one as it was saved, and yours here in the editor."
        )
        with st.container(horizontal=True, gap="small"):
            take = st.button("Take the newer text", key="take-newer", icon=":material/download:")
            keep = st.button("Keep mine", key="keep-mine", icon=":material/edit:")
        st.caption(
            "If you take the newer text, yours stays within reach: “Bring back my text”, under the editor, returns it."
        )
    if take or keep:
        desk.take_newer() if take else desk.keep_mine()
        st.rerun()
