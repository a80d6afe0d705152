"""The attempts of one learner at one exercise, looked back on: a page of them at a time. Knows no Streamlit."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import islice

from tutor.attempts import Attempt
from tutor.errors import StoreError
from tutor.model import Learner, Submission, SubmissionState
from tutor.service import Tutor

_log = logging.getLogger(__name__)

PAGE = 10
DIFF_LINES = 400
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@$")


@dataclass
class Past:
    """What was handed in before; lives in the session, as the rows do in the store. ``unread``: the list cannot be read just now."""

    tutor: Tutor
    learner: Learner
    slug: str
    unread: bool = False
    _wanted: int = field(default=PAGE, repr=False)
    # One more than is shown: what the last one shown is compared with.
    _found: tuple[Attempt, ...] = field(default=(), repr=False)
    _as_of: object = field(default=None, repr=False)
    _texts: dict[int, str] = field(default_factory=dict, repr=False)

    def attempts(self, newest: Submission | None) -> tuple[Attempt, ...]:
        """The newest attempts, as many as were asked for; read again only when there may be something new.

        Args:
            newest: the newest attempt as it stands.
        """
        if newest is not None:
            as_of = (newest.id, newest.state, newest.hints_taken, self._wanted)
            if as_of != self._as_of or any(one.state is not SubmissionState.DONE for one in self._found):
                self._read(as_of)
        return self._found[: self._wanted]

    @property
    def more(self) -> bool:
        """There are older ones than those listed."""
        return len(self._found) > self._wanted

    def older(self) -> None:
        """List one page more from now on."""
        self._wanted += PAGE

    def before(self, number: int) -> int | None:
        """The attempt before one that is listed; None where that was the first."""
        return next((one.id for one in self._found if one.id < number), None)

    def text(self, number: int) -> str | None:
        """What was handed in as that attempt; None where it cannot be read."""
        if number not in self._texts:
            try:
                found = self.tutor.submission(self.learner, number)
            except StoreError as error:
                _log.warning("The text of attempt %s at %s could not be read: %s", number, self.slug, error)
                return None
            if found is None:
                return None
            self._texts[number] = found.source
        return self._texts[number]

    def _read(self, as_of: object) -> None:
        try:
            self._found = self.tutor.history(self.learner, self.slug, self._wanted + 1)
        except StoreError as error:
            if not self.unread:
                _log.warning("The attempts at %s could not be listed: %s", self.slug, error)
            self.unread = True
        else:
            self.unread, self._as_of = False, as_of


def difference(old: str, new: str) -> str:
    """What changed from one text to the next, with the lines of the new one, no longer than one reads; empty where they are the same."""
    found = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    lines = [_HUNK.sub(_where, line) if line.startswith("@@") else line for line in islice(found, 2, None)]
    if len(lines) > DIFF_LINES:
        lines = [*lines[:DIFF_LINES], f"... and {len(lines) - DIFF_LINES:,} more lines"]
    return "\n".join(lines)


def _where(hunk: re.Match[str]) -> str:
    start, count = int(hunk[1]), int(hunk[2] or 1)
    if count == 0:
        return f"after line {start}" if start else "at the beginning"
    return f"line {start}" if count == 1 else f"lines {start} to {start + count - 1}"
