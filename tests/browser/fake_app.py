"""The real pages on a fake engine: fast, every kind of verdict at will, and a fresh learner for every browser.

With ``FAKE_DATABASE`` set there is one learner, whose rows outlive the server.
"""

import os
import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.ui.fakes import READY, fake_tutor
from tutor.dispatch.protocol import CheckerState
from tutor.service import Tutor
from tutor.store.sql import open_store
from tutor.ui.app import main


@st.cache_resource(show_spinner=False)
def engine(browser: str) -> Tutor:
    missing, hole = os.environ.get("FAKE_CHECKER_PROBLEM", ""), os.environ.get("FAKE_HOLE", "")
    state = READY.model_copy(update={"proof": READY.proof.model_copy(update={"holes": (hole,)})}) if hole else READY
    database = os.environ.get("FAKE_DATABASE", "")
    return fake_tutor(
        state=CheckerState(ready=False, problem=missing) if missing else state,
        store=open_store(database) if database else None,
    )


main(lambda: engine(st.context.cookies.get("browser", "")))
