"""Folders under ``exercises/`` become ``Exercise`` values; every complaint names file, key and what is allowed."""

from __future__ import annotations

from pathlib import Path

from tutor.model import Exercise


class Catalog:
    """All exercises in curriculum order."""

    def __init__(self, exercises: tuple[Exercise, ...]) -> None:
        self.exercises = exercises

    def find(self, slug: str) -> Exercise | None:
        return next((exercise for exercise in self.exercises if exercise.slug == slug), None)

    def __getitem__(self, slug: str) -> Exercise:
        found = self.find(slug)
        if found is None:
            raise KeyError(slug)
        return found


def load_catalog(folder: Path, reference_folder: Path) -> Catalog:
    raise ContentError
