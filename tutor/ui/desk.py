"""One learner at one exercise in one browser tab: the newest text, and what was done with it. Knows no Streamlit."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tutor.errors import StoreError
from tutor.model import Refusal, Submission, SubmissionState
from tutor.ui.paper import Paper, same_text
from tutor.ui.past import Past
from tutor.ui.trying import Trying
from tutor.ui.words import not_stored

__all__ = ["Desk", "same_text"]

_log = logging.getLogger(__name__)

FIRST_LOOK_SECONDS = 1.0
# streamlit-ace sends what was typed after a pause of 0.2 s; a native button waits that long for the newest text.
SETTLE_SECONDS = 0.35


@dataclass
class Desk(Paper):
    """The text in the editor and the attempts; lives in the session, while drafts and attempts live in the store.

    ``answered`` counts checks asked for. ``unread`` says that the last submission is there but could not be read, ``hint_lost``
    that the last hint could not be had.
    """

    asked_at: float | None = None
    fresh: int | None = None
    answered: int = 0
    unread: bool = False
    hint_lost: bool = False
    last_done: Submission | None = field(default=None, repr=False)
    newest: Submission | None = field(default=None, repr=False)
    trying: Trying = field(init=False, repr=False)
    past: Past = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.trying = Trying(self.tutor, self.learner, self.exercise.slug)
        self.past = Past(self.tutor, self.learner, self.exercise.slug)

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
            return None
        self.newest = found
        if found is not None and found.state is SubmissionState.DONE:
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
