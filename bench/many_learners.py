"""The whole app, with a learner of their own for everybody who brings a cookie ``learner``: what login does, without login."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tutor.model import Learner
from tutor.service import Tutor
from tutor.settings import load_settings
from tutor.store.sql import open_store
from tutor.ui.app import main
from tutor.wiring import build_tutor


@st.cache_resource(show_spinner=False)
def engine() -> Tutor:
    settings = load_settings()
    tutor = build_tutor(settings)
    names = open_store(settings.effective_database_url)

    def learner() -> Learner:
        return names.learner_named(st.context.cookies.get("learner", "nobody"))

    tutor.learner = learner  # type: ignore[method-assign]
    return tutor


main(engine)
