"""The text of one exercise in one browser tab, and the draft that it is kept in. Knows no Streamlit.

A draft is saved over the one it grew from and over no other. Where another tab saved since, both texts stay until the learner says which.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Self
from uuid import uuid4

from tutor.content import Exercise
from tutor.errors import StoreError
from tutor.model import Draft, Learner, Refusal
from tutor.service import Tutor
from tutor.ui.words import not_stored

_log = logging.getLogger(__name__)

# What a text grew from is not known: it stands in a browser that outlived its session.
UNKNOWN = -1


def same_text(one: str, other: str) -> bool:
    """True if two texts are the same submission: line ends do not count."""
    return one.replace("\r\n", "\n").replace("\r", "\n") == other.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class Paper:
    """The text in the editor; lives in the session, while the draft lives in the store.

    ``id`` tells one session's paper from the next one's. ``generation`` counts replacements of the whole text (the editor gets a
    new key). ``echo`` is what the editor component last reported, so that a late report of an older text is told from a new one.
    ``kept`` is the draft as it was last seen, ``base`` the revision that the text grew from, ``newer`` a draft that another tab saved
    since. ``aside`` is the text that was there before another was put in its place.
    """

    tutor: Tutor
    learner: Learner
    exercise: Exercise
    text: str
    kept: Draft | None = None
    base: int = 0
    newer: Draft | None = None
    aside: str | None = None
    generation: int = 0
    echo: str | None = None
    refusal: Refusal | None = None
    draft_problem: Refusal | None = None
    id: str = field(default_factory=lambda: uuid4().hex)
    _heir_of: str | None = field(default=None, repr=False)
    _blind: bool = field(default=False, repr=False)
    _elsewhere: str | None = field(default=None, repr=False)

    @classmethod
    def open(cls, tutor: Tutor, learner: Learner, exercise: Exercise) -> Self:
        """Sit down: the stored draft, or the starter where there is none."""
        draft = tutor.draft(learner, exercise.slug)
        if draft is None:
            return cls(tutor, learner, exercise, text=exercise.starter)
        return cls(
            tutor, learner, exercise, text=draft.source, kept=draft, base=draft.revision, aside=draft.aside
        )  # fmt: skip

    # --- what the editor says ---

    def report(self, reported: str) -> None:
        """Take what the editor component reports; the same report twice is no news."""
        if reported == self.echo:
            return
        first, self.echo = self.echo is None, reported
        if first and same_text(reported, self.text):
            return
        if first:
            self.base = UNKNOWN
        self.write(reported)

    def write(self, text: str) -> None:
        """The learner changed the text: keep it as the draft."""
        if text == self.text:
            return
        self.text, self.refusal = text, None
        self.save()

    def resume(self, text: str, base: int, owner: str, *, shown: bool) -> None:
        """Take a text that a browser tab kept while nobody listened.

        Args:
            text: the newest one of that tab.
            base: the revision it grew from.
            owner: the session it was written in; what that one saved is older than the text, also what it saves late.
            shown: the editor shows it already.
        """
        same = same_text(text, self.text)
        if same and self.base != UNKNOWN:
            return
        if not same:
            self.text, self.refusal = text, None
            if not shown:
                self.swap_editor()
        self.base, self.newer, self._heir_of = base, None, owner
        self.save()

    # --- the draft ---

    @property
    def is_kept(self) -> bool:
        """The draft in the store, as it was last seen, is the text as it stands."""
        if self.kept is None:
            return self.text == self.exercise.starter
        return (self.kept.source, self.kept.aside) == (self.text, self.aside)

    def save(self) -> None:
        if self.is_kept:
            self.draft_problem = None
            return
        try:
            taken = self.tutor.save_draft(
                self.learner, self.exercise.slug, self.text, self.base, aside=self.aside, writer=self.id
            )
        except StoreError as error:
            _log.warning("A draft for %s was not saved: %s", self.exercise.slug, error)
            self.draft_problem = not_stored("The draft could not be saved just now.")
            return
        self.draft_problem = taken if isinstance(taken, Refusal) else None
        if isinstance(taken, Draft):
            self.aside = taken.aside
            self._see(taken)
        elif taken is None:
            self.notice()

    def notice(self) -> None:
        """Look whether another tab saved since. Never raises; the log hears of the first failure, not of every look."""
        try:
            draft = self.tutor.draft(self.learner, self.exercise.slug)
        except StoreError as error:
            if not self._blind:
                _log.warning("The draft for %s could not be read: %s", self.exercise.slug, error)
            self._blind = True
            return
        self._blind = False
        if draft is None or draft.revision == self.base:
            self.newer = None
        elif same_text(draft.source, self.text):
            self.aside = self.aside if self.aside is not None else draft.aside
            self._see(draft)
        elif draft.writer is not None and draft.writer == self._heir_of:
            self.base, self.newer = draft.revision, None
            self.save()
        else:
            self.newer = draft

    def _see(self, draft: Draft) -> None:
        self.kept, self.base, self.newer, self._heir_of = draft, draft.revision, None, None

    # --- another text in its place ---

    def replace(self, text: str, *, elsewhere: bool = False) -> None:
        """Put another text into the editor and keep the present one within reach.

        Args:
            text: the other one.
            elsewhere: it can be had again, as an attempt can; while it stands unchanged it need not be kept within reach.
        """
        spare = (self.exercise.starter, self._elsewhere)
        if not any(one is not None and same_text(self.text, one) for one in spare):
            self.aside = self.text
        self.text, self._elsewhere = text, text if elsewhere else None
        self.generation, self.echo, self.refusal = self.generation + 1, None, None
        self.save()

    def swap_editor(self) -> None:
        """Another editor takes over the same text."""
        self.generation, self.echo = self.generation + 1, None

    def bring_back(self) -> None:
        if self.aside is not None:
            back, self.aside = self.aside, None
            self.replace(back)

    def take_newer(self) -> None:
        """The text of the other tab takes the place of this one, which stays within reach."""
        if self.newer is not None:
            newer = self.newer
            self._see(newer)
            self.replace(newer.source)

    def keep_mine(self) -> None:
        """This text replaces that of the other tab, which stays within reach where nothing else does."""
        if self.newer is not None:
            newer = self.newer
            self.aside = self.aside if self.aside is not None else newer.source
            self._see(newer)
            self.save()
