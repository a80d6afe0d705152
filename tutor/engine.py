"""Puts the checking side together: exercises, sandbox, device. The pages never import this module.

Whatever needs torch is imported inside the functions: the zygote is started first, so that both processes import torch, which
takes each of them more than a second, at the same time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tutor.catalog import Catalog, load_catalog
from tutor.errors import SettingsError
from tutor.model import Submission, Verdict
from tutor.sandbox.inside.policy import MIB
from tutor.sandbox.launcher import Configuration
from tutor.sandbox.worker import Source
from tutor.settings import Settings
from tutor.trials import Lost, Outcome
from tutor.walls import Proof

if TYPE_CHECKING:
    from tutor.checking import Checker
    from tutor.sandbox.pool import Pool


def open_catalog(settings: Settings) -> Catalog:
    """All exercises.

    Raises:
        ContentError: one of them is wrong.
    """
    return load_catalog(*settings.shelves)


def open_pool(settings: Settings) -> Pool:
    """Start the sandbox and prove its walls.

    Raises:
        SettingsError: the settings ask for what this machine cannot do.
        WallMissing: the sandbox did not prove that it holds.
        SandboxError: it did not start.
    """
    make_source = worker_source(settings)
    # Its imports run beside our own.
    first = make_source()
    from tutor.sandbox.pool import Pool

    return Pool(
        make_source,
        workers=settings.workers,
        print_bytes=settings.print_bytes,
        slow=settings.slow_workers,
        first=first,
        unsafe=settings.unsafe_run_without_walls,
    ).start()


def worker_source(settings: Settings) -> Callable[[], Source]:
    """How this machine makes workers: by forking where that is possible, else one by one.

    Raises:
        SettingsError: the settings ask for what this machine cannot do.
    """
    device = "cuda" if settings.device == "cuda" else ""
    configuration = Configuration(settings.memory_mib * MIB, device=device)
    linux = sys.platform == "linux"
    if settings.sandbox == "fork" and (device or not linux):
        why = (
            "a driver that was started must not be forked" if device else f"only Linux can, and this is {sys.platform}"
        )
        raise SettingsError(f"TUTOR_SANDBOX=fork: workers cannot be forked here, because {why}. Use spawn or auto.")
    if linux and settings.sandbox != "spawn" and not device:
        from tutor.sandbox.zygote import Zygote

        return lambda: Zygote(configuration)
    from tutor.sandbox.spawned import Spawner

    return lambda: Spawner(configuration)


def open_checker(settings: Settings, catalog: Catalog) -> Checker:
    """A checker on a sandbox of its own.

    Raises:
        SettingsError: the device cannot be had.
        WallMissing: the sandbox did not prove that it holds.
    """
    device = choose_device(settings.device)
    pool = open_pool(settings)
    try:
        return on_pool(settings, catalog, pool, device)
    except BaseException:
        pool.close()
        raise


def on_pool(settings: Settings, catalog: Catalog, pool: Pool, device: str) -> Checker:
    """A checker on a sandbox that is open already.

    Raises:
        ContentError: a reference cannot be loaded.
    """
    import torch

    from tutor.checking import Checker

    # One thread: the tensors are tiny, and a thread pool would only compete with the submissions for the cores.
    torch.set_num_threads(1)
    return Checker(catalog, pool, settings, device)


def choose_device(wanted: str) -> str:
    """The device submissions run on.

    ``auto`` takes the CPU: for tensors of the exercises' size it is quicker than a GPU from end to end, and the walls around
    it are stronger.

    Raises:
        SettingsError: ``cuda`` was asked for, and torch finds none, or this is not Linux.
    """
    if wanted != "cuda":
        return "cpu"
    import torch

    if sys.platform != "linux":
        raise SettingsError(
            f"TUTOR_DEVICE=cuda works on Linux only, and this is {sys.platform}. Set it to cpu or auto."
        )
    if not torch.cuda.is_available():
        raise SettingsError(
            f"TUTOR_DEVICE=cuda: torch {torch.__version__} finds no CUDA device here. Set TUTOR_DEVICE to cpu or auto, or install a "
            "torch with CUDA and the driver."
        )
    return "cuda"


class SubmissionChecking:
    """A checker as the worker loop wants it: submissions in, verdicts or outcomes of trials out."""

    def __init__(self, checker: Checker, catalog: Catalog) -> None:
        self._checker, self._catalog = checker, catalog

    @property
    def device(self) -> str:
        return self._checker.device

    @property
    def proof(self) -> Proof:
        return self._checker.proof

    def check(self, submission: Submission) -> Verdict | Outcome:
        """Judge one submission, or make a trial run.

        Raises:
            SandboxError: the sandbox failed.
            KeyError: the exercise is gone since it was handed in.
        """
        exercise = self._catalog[submission.slug]
        if submission.trial is not None:
            return self._checker.tryout.run(exercise, submission.source, submission.trial)
        return self._checker.check(exercise, submission.source.encode())

    def broken(self, submission: Submission, reason: str) -> Verdict | Outcome:
        """The result that says we could not run it; also for an exercise that is gone since."""
        if submission.trial is not None:
            return Lost(reason=reason)
        return self._checker.broken(submission.slug, submission.exercise_version, submission.source.encode(), reason)

    def close(self) -> None:
        self._checker.close()


def open_checking(settings: Settings) -> SubmissionChecking:
    """Everything a checking process needs besides its store."""
    catalog = open_catalog(settings)
    return SubmissionChecking(open_checker(settings, catalog), catalog)
