"""The trial runs of one learner at one exercise: asked for from a panel, and looked at until they are done. Knows no Streamlit."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from tutor.errors import StoreError
from tutor.model import Learner, Refusal, Submission, SubmissionState
from tutor.service import Tutor
from tutor.trials import Purpose, Trial, purpose_of
from tutor.ui.words import not_stored

_log = logging.getLogger(__name__)

WAIT_SECONDS = 4.0


@dataclass
class Trying:
    """What was tried; lives in the session, as the rows do in the store."""

    tutor: Tutor
    learner: Learner
    slug: str
    _runs: dict[Purpose, Submission | None] = field(default_factory=dict, repr=False)
    _refused: dict[Purpose, Refusal] = field(default_factory=dict, repr=False)

    def ask(self, source: str, trial: Trial) -> None:
        """Have the text run, and wait a moment, so that the same page can show what came of it."""
        purpose = purpose_of(trial)
        self._refused.pop(purpose, None)
        try:
            taken = self.tutor.try_out(self.learner, self.slug, source, trial)
        except StoreError as error:
            _log.warning("A trial for %s was not handed in: %s", self.slug, error)
            taken = not_stored("Your code could not be handed in just now.")
        if isinstance(taken, Refusal):
            self._refused[purpose] = taken
            return
        self._runs[purpose] = taken
        try:
            self._runs[purpose] = self.tutor.wait(self.learner, taken.id, WAIT_SECONDS)
        except StoreError as error:
            _log.warning("A trial for %s could not be read: %s", self.slug, error)

    def refused(self, purpose: Purpose) -> Refusal | None:
        """Why the last one that was asked for is not run."""
        return self._refused.get(purpose)

    def look(self, purpose: Purpose) -> Submission | None:
        """The newest one of a kind as it stands, or as it was last seen where it cannot be read just now."""
        known = self._runs.get(purpose)
        if purpose in self._runs and (known is None or known.state is SubmissionState.DONE):
            return known
        try:
            if known is None:
                known = self.tutor.latest_trial(self.learner, self.slug, purpose)
            else:
                known = self.tutor.submission(self.learner, known.id)
        except StoreError as error:
            _log.warning("A trial for %s could not be read: %s", self.slug, error)
            return known
        self._runs[purpose] = known
        return known
