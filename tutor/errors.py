"""Exceptions of the tutor. A student's fault is a value and never appears here.

TutorError
├── ContentError       an exercise is wrong: file, key, what is allowed
├── SettingsError      a TUTOR_… variable is wrong
├── SandboxError       ours: the sandbox could not run a check; the check ends as ``broken``
│   └── WallMissing    the start-up self-test failed; no student code runs
└── StoreError         ours: the database refused
"""

from __future__ import annotations

from tutor.walls import Proof


class TutorError(Exception):
    """Base of everything the tutor raises on purpose."""


class ContentError(TutorError):
    """An exercise is wrong.

    Args:
        file: the file, relative to the exercises folder.
        key: dotted path of the key inside the file, "" for the file as a whole.
        problem: what is wrong and what is allowed, in one sentence.
    """

    def __init__(self, file: str, key: str, problem: str) -> None:
        self.file, self.key, self.problem = file, key, problem
        super().__init__(f"{file}: {key + ': ' if key else ''}{problem}")

    def __reduce__(self) -> tuple[type[ContentError], tuple[str, str, str]]:
        """From one process to another it travels in its parts."""
        return type(self), (self.file, self.key, self.problem)


class SettingsError(TutorError):
    """A setting has a value the tutor cannot work with."""


class SandboxError(TutorError):
    """The sandbox, not the submission, failed."""


class WallMissing(SandboxError):
    """The sandbox did not prove that it holds, so it refuses to run anything.

    Args:
        problem: what was found, in words.
        proof: every layer as it was found; None where the test did not come so far.
    """

    def __init__(self, problem: str, proof: Proof | None = None) -> None:
        self.proof = proof
        super().__init__(problem)


class StoreError(TutorError):
    """The database did not do what was asked."""
