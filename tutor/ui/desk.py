"""One learner at one exercise in one browser tab: the newest text, and what was done with it. Knows no Streamlit."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tutor.content import Exercise
from tutor.errors import StoreError
from tutor.model import Learner, Refusal, Submission, SubmissionState
from tutor.service import Tutor
from tutor.ui.trying import Trying
from tutor.ui.words import not_stored

_log = logging.getLogger(__name__)

FIRST_LOOK_SECONDS = 1.0
# streamlit-ace sends what was typed after a pause of 0.2 s; a native button waits that long for the newest text.
SETTLE_SECONDS = 0.35


def same_text(one: str, other: str) -> bool:
    """True if two texts are the same submission: line ends do not count."""
    return one.replace("\r\n", "\n").replace("\r", "\n") == other.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class Desk:
    """The state of the editor; lives in the session, while drafts and attempts live in the store.

    ``generation`` counts replacements of the whole text (the editor gets a new key). ``echo`` is what the editor component
    last reported, so that a late report of an older text is told from a new one. ``answered`` counts checks asked for.
    ``unread`` says that the last submission is there but could not be read, ``hint_lost`` that the last hint could not be had.
    """

    tutor: Tutor
    learner: Learner
    exercise: Exercise
    text: str
    saved: str
    generation: int = 0
    echo: str | None = None
    aside: str | None = None
    refusal: Refusal | None = None
    draft_problem: Refusal | None = None
    asked_at: float | None = None
    fresh: int | None = None
    answered: int = 0
    unread: bool = False
    hint_lost: bool = False
    last_done: Submission | None = field(default=None, repr=False)
    trying: Trying = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.trying = Trying(self.tutor, self.learner, self.exercise.slug)

    @classmethod
    def open(cls, tutor: Tutor, learner: Learner, exercise: Exercise) -> Desk:
        """Sit down: the stored draft, or the starter where there is none."""
        draft = tutor.draft(learner, exercise.slug)
        text = exercise.starter if draft is None else draft.source
        return cls(tutor, learner, exercise, text=text, saved=text)

    def report(self, reported: str) -> None:
        """Take what the editor component reports; the same report twice is no news."""
        if reported == self.echo:
            return
        first, self.echo = self.echo is None, reported
        if not first or not same_text(reported, self.text):
            self.write(reported)

    def write(self, text: str) -> None:
        """The learner changed the text: keep it as the draft."""
        if text == self.text:
            return
        self.text, self.aside, self.refusal = text, None, None
        self.save()

    def save(self) -> None:
        if self.text == self.saved:
            self.draft_problem = None
            return
        try:
            self.draft_problem = self.tutor.save_draft(self.learner, self.exercise.slug, self.text)
        except StoreError as error:
            _log.warning("A draft for %s was not saved: %s", self.exercise.slug, error)
            self.draft_problem = not_stored("The draft could not be saved just now.")
        if self.draft_problem is None:
            self.saved = self.text

    def replace(self, text: str) -> None:
        """Put another text into the editor and keep the present one within reach."""
        self.text, self.aside = text, self.text
        self.generation, self.echo, self.refusal = self.generation + 1, None, None
        self.save()

    def swap_editor(self) -> None:
        """Another kind of editor takes over the same text."""
        self.generation, self.echo = self.generation + 1, None

    def bring_back(self) -> None:
        if self.aside is not None:
            self.replace(self.aside)
            self.aside = None

    def ask(self) -> None:
        """A native button was pressed: the newest text may still be on its way."""
        self.asked_at = time.monotonic()

    def settle(self) -> bool:
        """Submit what a native button asked for once the text has had time to arrive; True if it was submitted now."""
        if self.asked_at is None or time.monotonic() - self.asked_at < SETTLE_SECONDS:
            return False
        self.submit()
        return True

    def submit(self, text: str | None = None) -> None:
        """Hand in ``text`` (the newest text if None). A second click on an unfinished check is the same check."""
        if text is not None:
            self.write(text)
        self.asked_at, self.answered, self.refusal = None, self.answered + 1, None
        self.hint_lost = False
        latest = self._read(self.latest)
        if latest and latest.state is not SubmissionState.DONE and same_text(latest.source, self.text):
            self.fresh = latest.id
            return
        try:
            taken = self.tutor.submit(self.learner, self.exercise.slug, self.text)
        except StoreError as error:
            _log.warning("A text for %s was not handed in: %s", self.exercise.slug, error)
            taken = not_stored("Your code could not be handed in just now.")
        if isinstance(taken, Refusal):
            self.refusal = taken
        else:
            self.fresh = taken.id

    def take_hint(self, submission_id: int, seen: int) -> None:
        """One more hint on the result on the page, which shows ``seen`` of them."""
        try:
            found = self.tutor.take_hint(self.learner, submission_id, seen)
        except StoreError:
            _log.exception("A hint for %s could not be taken", self.exercise.slug)
            self.hint_lost = True
            return
        self.hint_lost = False
        # While a newer check is on its way, nobody else looks at this one again.
        if found is not None and self.last_done is not None and self.last_done.id == found.id:
            self.last_done = found

    def latest(self) -> Submission | None:
        return self.tutor.latest(self.learner, self.exercise.slug)

    def look(self) -> Submission | None:
        """The latest submission; right after a check, wait a moment so that the same page can show its verdict.

        Never raises: what cannot be read is None with ``unread`` set, so that the editor is drawn whatever happened.
        """
        fresh, self.fresh = self.fresh, None
        if fresh is not None:
            self._read(lambda: self.tutor.wait(self.learner, fresh, FIRST_LOOK_SECONDS))
        found = self._read(self.latest)
        if self.unread:
            self.last_done = None
        elif found is not None and found.state is SubmissionState.DONE:
            self.last_done = found
        return found

    def _read(self, ask: Callable[[], Submission | None]) -> Submission | None:
        """What ``ask`` finds. The log hears of the first failure, not of every look at the same one."""
        try:
            found = ask()
        except Exception:
            if not self.unread:
                _log.exception("The last submission for %s could not be read", self.exercise.slug)
            self.unread = True
            return None
        self.unread = False
        return found
