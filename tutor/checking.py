"""``Checker.check``: the one thing workers, command line and page all use. Observe, judge, diagnose, say where and when."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from checkers.base import Ending, Seen
from tutor import __version__
from tutor.after_pass import Afterwards
from tutor.catalog import Catalog
from tutor.content import Exercise
from tutor.diagnose import Explained
from tutor.expected import Reference
from tutor.intake import decode
from tutor.judge import assess, give_up, refuse
from tutor.model import AfterPass, Assessment, Diagnosis, Refusal, Status, Verdict, source_sha256
from tutor.observing import observations
from tutor.placing import with_places
from tutor.planning import Plan, plan
from tutor.reader import Reader
from tutor.sandbox.pool import Pool
from tutor.sandbox.run import Run
from tutor.settings import Settings
from tutor.tryout import Ran, TryOut
from tutor.walk import walk
from tutor.walked import Walk
from tutor.walls import Proof

log = logging.getLogger(__name__)
Told = TypeVar("Told")


@dataclass(frozen=True)
class _Checked:
    """What came of one run; ``waited`` are seconds that nobody worked in."""

    assessment: Assessment
    diagnosis: Diagnosis | None = None
    printed: str = ""
    waited: float = 0.0
    after: AfterPass | None = None
    walk: Walk | None = None


class Checker:
    """Checks submissions one at a time or from several threads at once.

    Args:
        catalog: the exercises; their references are loaded now, so that a broken one is found at start.
        pool: where submissions run.
        settings: the limits on what is handed in.
        device: name of the device submissions run on.
    """

    def __init__(self, catalog: Catalog, pool: Pool, settings: Settings, device: str) -> None:
        self._catalog, self._pool, self._settings, self.device = catalog, pool, settings, device
        self._references = {exercise.slug: Reference(exercise) for exercise in catalog.exercises}
        self._diagnosers = {
            exercise.slug: self._references[exercise.slug].diagnoser(exercise) for exercise in catalog.exercises
        }
        self._afterwards = {exercise.slug: Afterwards(exercise) for exercise in catalog.exercises}
        self.tryout = TryOut(self._ran, self._references, self._diagnosers)
        self._readers = {exercise.slug: Reader.of(self._diagnosers[exercise.slug]) for exercise in catalog.exercises}

    @property
    def proof(self) -> Proof:
        """The walls, and what the start-up test found."""
        return self._pool.proof

    def check(self, exercise: Exercise, source: bytes, *, file: str = "", seed: int | None = None) -> Verdict:
        """Check one submission.

        Args:
            exercise: what it answers.
            source: the bytes of a file as they are, or UTF-8 text from the editor.
            file: path for the report.
            seed: replays an earlier verdict; None draws a fresh one.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        text = decode(source, self._settings.source_bytes)
        drawn = secrets.randbits(62) if seed is None else seed
        done = _Checked(refuse(exercise, text)) if isinstance(text, Refusal) else self._run(exercise, text, drawn)
        verdict = self._verdict(exercise.slug, exercise.version, source, done.assessment, file)
        more = {"printed": done.printed, "diagnosis": done.diagnosis, "after": done.after, "walk": done.walk}
        seconds = time.perf_counter() - started - done.waited
        return verdict.model_copy(update=more | {"seed": drawn, "seconds": seconds})

    def broken(self, slug: str, version: int, source: bytes, reason: str, *, file: str = "") -> Verdict:
        """The verdict for a check that we could not finish, even if the exercise is gone: it counts against nobody."""
        exercise = self._catalog.find(slug)
        return self._verdict(slug, version, source, give_up(exercise.milestones if exercise else (), reason), file)

    def close(self) -> None:
        self._pool.close()

    def _run(self, exercise: Exercise, text: str, seed: int) -> _Checked:
        planned = plan(exercise, seed)
        run, seen = self._observed(planned, text)
        # Only now, after the worker's bytes have arrived and it is dead, do the right answers come into being.
        planned, seen = self._readers[exercise.slug].read(planned, seen)
        expected = self._references[exercise.slug].observe(planned)
        assessment = assess(exercise, text, seen, expected)
        stroll = partial(walk, self._diagnosers[exercise.slug], planned, text, seen, assessment)
        if assessment.status is Status.PASSED:
            look = partial(self._afterwards[exercise.slug].look, planned, text, seen, expected, seed)
            after, walked = _beside(exercise, look), _beside(exercise, stroll)
            return _Checked(assessment, None, run.printed, run.waited, after, walked)
        explained = self._explained(exercise, planned, text, seen, assessment)
        reason = explained.diagnosis.line if explained.diagnosis else None
        walked = _beside(exercise, partial(stroll, known=explained.known, reason=reason))
        placed = with_places(assessment, explained)
        return _Checked(placed, explained.diagnosis, run.printed, run.waited, walk=walked)

    def _observed(self, planned: Plan, text: str) -> tuple[Run, Seen]:
        run = self._pool.run(
            planned.job(text, self.device),
            planned.tensors,
            case_seconds=self._settings.case_seconds,
            check_seconds=self._settings.check_seconds,
            max_body_bytes=self._settings.result_bytes,
        )
        return run, _with_limit(observations(planned, run), self._settings.memory_mib)

    def _ran(self, planned: Plan, text: str) -> Ran:
        started = time.perf_counter()
        run, seen = self._observed(planned, text)
        return Ran(seen, run.printed, time.perf_counter() - started - run.waited)

    def _explained(self, exercise: Exercise, planned: Plan, text: str, seen: Seen, assessment: Assessment) -> Explained:
        """A diagnosis explains a verdict and never costs one: whatever goes wrong in it is for our log."""
        try:
            return self._diagnosers[exercise.slug].explain(planned, text, seen, assessment)
        except Exception:
            log.exception("A submission for %s could not be diagnosed.", exercise.slug)
            return Explained(None)

    def _verdict(self, slug: str, version: int, source: bytes, assessment: Assessment, file: str) -> Verdict:
        return Verdict(
            exercise=slug,
            exercise_version=version,
            file=file,
            source_sha256=source_sha256(source),
            checker_version=__version__,
            status=assessment.status,
            ending=assessment.ending,
            milestones=assessment.milestones,
            error=assessment.error,
            device=self.device,
            isolation=self.proof.isolation,
        )


def _beside(exercise: Exercise, look: Callable[[], Told | None]) -> Told | None:
    """A verdict stays what it is whatever goes wrong in what is told beside it: that is for our log."""
    try:
        return look()
    except Exception:
        log.exception("A submission for %s could not be looked at again.", exercise.slug)
        return None


def _with_limit(seen: Seen, memory_mib: int) -> Seen:
    """Whoever ran out of memory is told how much there was."""
    return {
        name: replace(one, limit=f"{memory_mib:,} MiB") if one.ending is Ending.OUT_OF_MEMORY else one
        for name, one in seen.items()
    }
