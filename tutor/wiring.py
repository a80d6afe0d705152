"""Puts the page side together: exercises, store, doorbell. Imports no torch."""

from __future__ import annotations

import sys

from tutor.catalog import load_catalog
from tutor.dispatch.local import LocalDispatch
from tutor.intake import Limits
from tutor.service import Tutor
from tutor.settings import PROJECT, Settings
from tutor.store.sql import open_store


def build_tutor(settings: Settings) -> Tutor:
    """The one object the pages call, with its store open and its checker starting in a process beside it.

    Raises:
        ContentError: an exercise is wrong.
        StoreError: the database cannot be opened.
    """
    catalog = load_catalog(*settings.shelves)
    store = open_store(settings.effective_database_url)
    dispatch = LocalDispatch([sys.executable, "-m", "tutor", "worker"], cwd=PROJECT)
    limits = Limits(
        source_bytes=settings.source_bytes,
        learner_waiting=settings.learner_waiting,
        waiting=settings.waiting,
        learner_seconds=settings.learner_seconds,
    )
    return Tutor(catalog, store, dispatch, limits)
