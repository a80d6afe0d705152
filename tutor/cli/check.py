"""``python -m tutor check``: many files, one warm pool, reports in the order of the files."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tutor.catalog import with_unlisted
from tutor.cli.report import write_report
from tutor.content import Exercise
from tutor.engine import open_catalog, open_checker
from tutor.errors import SandboxError
from tutor.model import Status, Verdict
from tutor.plain import printable
from tutor.settings import Settings

if TYPE_CHECKING:
    from tutor.checking import Checker

PASSED, FAILED, USAGE, OURS = 0, 1, 2, 3
TRIES = 3
READ_BYTES = 16_777_216
NOT_SAFE = (
    "These submissions run WITHOUT walls that hold, because TUTOR_UNSAFE_RUN_WITHOUT_WALLS is set: they could read files and use the "
    "network. `python -m tutor doctor` says what is missing."
)
File = tuple[str, bytes]


def check_files(settings: Settings, slug: str, paths: Sequence[str], *, as_json: bool, seed: int | None) -> int:
    """Check the files and write a report on each; returns the exit code of the contract."""
    errors = Console(stderr=True)
    # An author tries an exercise before the path lists it.
    catalog = with_unlisted(open_catalog(settings), slug, *settings.shelves)
    exercise = catalog.find(slug)
    if exercise is None:
        known = ", ".join(known.slug for known in catalog.exercises)
        errors.print(Text(f"There is no exercise called “{slug}”. There are: {known}."), soft_wrap=True)
        return USAGE
    files, unreadable = _read(paths)
    for message in unreadable:
        errors.print(Text(message), soft_wrap=True)
    if unreadable:
        return USAGE
    checker = open_checker(settings, catalog)
    if not checker.proof.holds:
        errors.print(Text(NOT_SAFE, style="bold red"), soft_wrap=True)
    try:
        return _report(_verdicts(checker, exercise, files, seed, settings.workers), _writer(as_json))
    finally:
        checker.close()


def _read(paths: Sequence[str]) -> tuple[list[File], list[str]]:
    files, unreadable = [], []
    for path in paths:
        try:
            files.append((path, _bytes(path)))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a usable path"
            unreadable.append(f"{printable(path)} cannot be read: {reason}. Nothing was checked.")
    return files, unreadable


def _bytes(path: str) -> bytes:
    """The file, or the beginning of one that is far too large for any submission."""
    if path != "-":
        with Path(path).open("rb") as file:
            return file.read(READ_BYTES)
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer.read(READ_BYTES)


def _verdicts(
    checker: Checker, exercise: Exercise, files: Sequence[File], seed: int | None, workers: int
) -> Iterator[Verdict]:
    with ThreadPoolExecutor(workers) as threads:
        yield from threads.map(lambda file: _one(checker, exercise, file, seed), files)


def _one(checker: Checker, exercise: Exercise, file: File, seed: int | None) -> Verdict:
    path, data = file
    reason = ""
    for _ in range(TRIES):
        try:
            return checker.check(exercise, data, file=path, seed=seed)
        except SandboxError as error:
            reason = str(error)
        except Exception as error:
            # Anything unexpected is a fault of ours; the other files still get their verdicts.
            reason = f"{type(error).__name__}: {error}"
    return checker.broken(exercise.slug, exercise.version, data, reason, file=path)


def _writer(as_json: bool) -> Callable[[Verdict], None]:
    if as_json:
        return lambda verdict: print(json.dumps(verdict.model_dump(mode="json"), ensure_ascii=True), flush=True)
    console = Console()
    return lambda verdict: write_report(console, verdict)


def _report(verdicts: Iterator[Verdict], write: Callable[[Verdict], None]) -> int:
    code = PASSED
    for verdict in verdicts:
        write(verdict)
        code = max(code, {Status.PASSED: PASSED, Status.FAILED: FAILED, Status.BROKEN: OURS}[verdict.status])
    return code
