"""``Tutor``: everything the pages may call, and nothing else. It knows no page and imports no torch."""

from __future__ import annotations

import time

from tutor.attempts import Attempt
from tutor.catalog import Catalog
from tutor.content import Exercise
from tutor.curriculum import Lesson
from tutor.dispatch.protocol import CheckerState, Dispatch
from tutor.hints import height
from tutor.intake import MINUTE_SECONDS, Limits, accept, crowded, without_unreadable
from tutor.marking import Standing, about_own, mark, standing
from tutor.model import Draft, Learner, Mark, Refusal, Submission, SubmissionState
from tutor.progress import Progress
from tutor.replies import Given, Reply
from tutor.store.protocol import Store
from tutor.trials import Purpose, Trial


class Tutor:
    """The one door between the pages and everything behind them."""

    def __init__(self, catalog: Catalog, store: Store, dispatch: Dispatch, limits: Limits) -> None:
        self._catalog, self._store, self._dispatch, self._limits = catalog, store, dispatch, limits

    def learner(self) -> Learner:
        """Who is sitting here: on a machine without login, the one local learner."""
        return self._store.local_learner()

    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises in the order of the curriculum."""
        return self._catalog.exercises

    def lessons(self) -> tuple[Lesson, ...]:
        """The path that the exercises lie on."""
        return self._catalog.lessons

    def exercise(self, slug: str) -> Exercise | None:
        return self._catalog.find(slug)

    def draft(self, learner: Learner, slug: str) -> Draft | None:
        return self._store.draft(learner.id, slug)

    def save_draft(
        self,
        learner: Learner,
        slug: str,
        source: str,
        base: int | None = None,
        *,
        aside: str | None = None,
        writer: str | None = None,
    ) -> Draft | Refusal | None:
        """Keep the newest text of the editor. An empty text is a draft too; one over the size cap is refused.

        Args:
            learner: whose text it is.
            slug: of the exercise.
            source: the text.
            base: the revision it grew from, 0 if there was none; None saves whatever is there.
            aside: the text that was replaced, to be kept within reach.
            writer: the session that saves it.

        Returns:
            The draft as it is kept; or None if another one than ``base`` is there, which stays.
        """
        taken = accept(source, self._limits.source_bytes)
        if isinstance(taken, Refusal) and taken.code != "empty":
            return taken
        # What was replaced may be a text that would be refused; a character that cannot be kept must not hold up this one.
        aside = aside and without_unreadable(aside)
        return self._store.save_draft(learner.id, slug, source, base, aside=aside, writer=writer)

    def submit(self, learner: Learner, slug: str, source: str) -> Submission | Refusal:
        """Store the submission, then ring the doorbell; or say in a sentence why it is not taken.

        Raises:
            KeyError: there is no such exercise.
            StoreError: the database refused; nothing was stored.
        """
        return self._hand_in(learner, slug, source, None)

    def try_out(self, learner: Learner, slug: str, source: str, trial: Trial) -> Submission | Refusal:
        """Have the text run for a look, which is no attempt; else as ``submit``."""
        return self._hand_in(learner, slug, source, trial)

    def latest_trial(self, learner: Learner, slug: str, purpose: Purpose) -> Submission | None:
        """The learner's newest trial of a kind in an exercise."""
        return self._store.latest_submission(learner.id, slug, purpose)

    def _hand_in(self, learner: Learner, slug: str, source: str, trial: Trial | None) -> Submission | Refusal:
        exercise = self._catalog[slug]
        text = accept(source, self._limits.source_bytes)
        if isinstance(text, Refusal):
            return text
        full = crowded(self._store.load(learner.id, MINUTE_SECONDS), self._limits)
        if full is not None:
            return full
        submission = self._store.add_submission(learner.id, slug, exercise.version, text, trial)
        self._dispatch.ring(submission.id)
        return submission

    def submission(self, learner: Learner, submission_id: int) -> Submission | None:
        """One of the learner's own submissions; None for anybody else's, as if it did not exist."""
        found = self._store.submission(submission_id)
        return found if found is not None and found.learner_id == learner.id else None

    def latest(self, learner: Learner, slug: str) -> Submission | None:
        return self._store.latest_submission(learner.id, slug)

    def history(self, learner: Learner, slug: str, limit: int = 10, before: int | None = None) -> tuple[Attempt, ...]:
        """The learner's attempts at an exercise, the newest first; only those older than the one with the id ``before``."""
        return self._store.history(learner.id, slug, limit, before)

    def wait(self, learner: Learner, submission_id: int, seconds: float) -> Submission | None:
        """The submission as soon as it is done, or as it stands after so many seconds."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.submission(learner, submission_id)
            left = deadline - time.monotonic()
            if found is None or found.state is SubmissionState.DONE or left <= 0:
                return found
            self._dispatch.wait(submission_id, min(left, 0.25))

    def take_hint(self, learner: Learner, submission_id: int, seen: int) -> Submission | None:
        """Take the next hint on one of the learner's own submissions, and return it as it then stands; None as in ``submission``.

        Args:
            learner: who asks.
            submission_id: what the hints are for.
            seen: how many hints the page shows. If more were taken by now (a second click, another tab), none is added.
        """
        found = self.submission(learner, submission_id)
        if found is None or seen >= height(found.verdict):
            return found
        self._store.take_hint(submission_id, seen)
        return self.submission(learner, submission_id)

    def ahead(self, submission_id: int) -> int:
        """How many submissions are being checked or have their turn before this one; 0 if it is not waiting."""
        return self._store.submissions_ahead(submission_id)

    def progress(self, learner: Learner) -> Progress:
        """What the learner reached in every milestone that had a result, and whether with hints."""
        return self._store.progress(learner.id)

    def quiz(self, learner: Learner, slug: str) -> tuple[Standing, ...]:
        """The learning questions of an exercise, each as it stands for the learner.

        Raises:
            KeyError: there is no such exercise.
        """
        given = self._store.answers(learner.id, slug)
        return tuple(standing(question, given.get(question.id)) for question in self._catalog[slug].quiz)

    def passed(self, learner: Learner, slug: str) -> Submission | None:
        """The learner's newest submission that passed the whole exercise: what may be shown beside the right answer."""
        return self._store.latest_passed(learner.id, slug)

    def own_question(self, learner: Learner, passed: Submission) -> Standing | None:
        """The question about the code of a submission that passed, as it stands for the learner; None where there is none."""
        question = about_own(passed)
        given = self._store.answers(learner.id, passed.slug) if question else {}
        return None if question is None else standing(question, given.get(question.id))

    def answer(self, learner: Learner, slug: str, question_id: str, given: Given) -> Reply:
        """Mark an answer and keep it, unless it cannot be read or is the one that was given last.

        Raises:
            KeyError: there is no such exercise or question.
            StoreError: the database refused; nothing was stored.
        """
        passed = self.passed(learner, slug)
        asked = [*self._catalog[slug].quiz, passed and about_own(passed)]
        question = next((one for one in asked if one is not None and one.id == question_id), None)
        if question is None:
            raise KeyError(question_id)
        reply, text = mark(question, given), "\n".join(given)
        if reply.mark is not None:
            last = self._store.answers(learner.id, slug).get(question_id)
            if last is None or last.text != text:
                self._store.add_answer(learner.id, slug, question_id, text, reply.mark)
        return reply

    def mark_own(self, learner: Learner, slug: str, question_id: str, how: Mark) -> None:
        """Keep how the learner marks the newest answer in their own words; nothing where there is none."""
        last = self._store.answers(learner.id, slug).get(question_id)
        if last is not None and last.mark is not how:
            self._store.add_answer(learner.id, slug, question_id, last.text, how)

    def checker_state(self) -> CheckerState:
        """What the checker says about itself: ready or not, its device, its walls."""
        return self._dispatch.state()

    def close(self) -> None:
        self._dispatch.close()
        self._store.close()
