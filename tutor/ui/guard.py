"""Our own exceptions end as one plain sentence on the page and as a traceback in the server's log, never the other way round."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from tutor.ui.words import OUR_FAULT

_log = logging.getLogger(__name__)


@contextmanager
def guard(what: str) -> Iterator[None]:
    """Run a part of a page; ``what`` names it in the log. Streamlit's own control flow is no ``Exception`` and passes."""
    try:
        yield
    except Exception:
        _log.exception("The page failed: %s", what)
        with st.container(key="our-fault"):
            st.error(OUR_FAULT, icon=":material/build_circle:")
