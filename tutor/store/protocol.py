"""What any store of the tutor offers. ``memory.py`` is the fake, ``sql.py`` the real one; both pass the same tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tutor.attempts import Attempt
from tutor.model import Answer, Draft, Learner, Load, Mark, Submission, Verdict
from tutor.progress import Progress
from tutor.trials import Outcome, Purpose, Trial


class Store(Protocol):
    """Rows of learners, drafts, submissions and answers. Every method is atomic and safe to call from several processes.

    Raises:
        StoreError: from every method, when the database cannot be reached or refuses.
    """

    def local_learner(self) -> Learner:
        """The one learner of a machine without login; made on first use."""

    def save_draft(
        self,
        learner_id: int,
        slug: str,
        source: str,
        base: int | None = None,
        *,
        aside: str | None = None,
        writer: str | None = None,
    ) -> Draft | None:
        """Keep the newest text, and the one set aside, as the next revision.

        Args:
            learner_id: whose draft it is.
            slug: of the exercise.
            source: the text.
            base: the revision that the text grew from, 0 if there was none; None saves whatever is there.
            aside: the text that was replaced, to be kept with it.
            writer: the session that saves it.

        Returns:
            The draft as it is stored now; None, and nothing is stored, if there is a draft and it is another one than ``base``.
        """

    def draft(self, learner_id: int, slug: str) -> Draft | None: ...

    def add_submission(
        self, learner_id: int, slug: str, exercise_version: int, source: str, trial: Trial | None = None
    ) -> Submission:
        """Store a submission as queued, before anything runs; or a trial, which replaces older ones of its kind."""

    def submission(self, submission_id: int) -> Submission | None: ...

    def latest_submission(self, learner_id: int, slug: str, purpose: Purpose = Purpose.CHECK) -> Submission | None:
        """The newest check of an exercise, or the newest trial of a kind."""

    def history(self, learner_id: int, slug: str, limit: int, before: int | None = None) -> tuple[Attempt, ...]:
        """The learner's checks of an exercise, the newest first and without their texts, at most ``limit``; only those with an id below ``before``."""

    def latest_passed(self, learner_id: int, slug: str) -> Submission | None:
        """The learner's newest submission for an exercise that passed it whole."""

    def submissions_ahead(self, submission_id: int) -> int:
        """How many submissions are being worked on or have their turn before this one; 0 if it is not waiting."""

    def load(self, learner_id: int, seconds: float) -> Load:
        """What the learner and all have in the queue, and the checking time the learner had in the last ``seconds``."""

    def take_hint(self, submission_id: int, seen: int) -> bool:
        """Count one more hint if exactly ``seen`` were taken so far; False if it is another number by now, or no such submission."""

    def claim(self, submission_id: int, worker: str, lease_seconds: float) -> Submission | None:
        """Take a queued submission, or a running one whose lease ran out; None if there is nothing to take. Counts one try.

        A lease is at most ``rules.LONGEST_LEASE_SECONDS`` long. One that would end later counts as one that ran out, so that a clock
        that was set back keeps nobody waiting until the old time comes round.
        """

    def waiting(self, limit: int = 100, each: int | None = None) -> tuple[int, ...]:
        """Ids that nobody is working on, queued or running with a lease that ran out, in the order of their turns.

        Every learner's oldest comes first, then everybody's second, and so on; what is being worked on counts as a turn. Of the same
        turn, learners without any verdict come first, then whose last verdict is the oldest, then the oldest submission.

        Args:
            limit: how many ids at most.
            each: leaves out what would be more than so many checks of one learner at once.
        """

    def renew(self, submission_id: int, worker: str, lease_seconds: float) -> bool:
        """Prolong one's own claim; False if it is no longer one's own."""

    def release(self, submission_id: int, worker: str) -> bool:
        """Put one's own claim back into the queue; the try stays counted."""

    def finish(self, submission_id: int, worker: str, result: Verdict | Outcome) -> bool:
        """Save the verdict, or the outcome of a trial, of one's own claim, exactly once; False if the claim is no longer one's own."""

    def progress(self, learner_id: int) -> Progress:
        """What the learner reached in every milestone that had a result; broken verdicts do not count.

        The status is the best there ever was (passed > failed > not_run). A milestone is passed with hints if, when the first text that
        passed it was handed in, a hint had been taken on a check in which it had failed. Hints that are taken later, failures
        and further passes change nothing about that.
        """

    def add_answer(self, learner_id: int, slug: str, question: str, text: str, mark: Mark) -> None:
        """Store one more answer to a learning question; earlier ones stay."""

    def answers(self, learner_id: int, slug: str) -> Mapping[str, Answer]:
        """Question → the learner's newest answer to it, with the best mark that any answer to it had."""

    def close(self) -> None: ...
