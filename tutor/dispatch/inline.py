"""A doorbell for tests: the work is done inside ``ring``, in the same thread."""

from __future__ import annotations

import logging
from collections.abc import Callable

from tutor.dispatch.protocol import CheckerState
from tutor.walls import Proof, Wall

log = logging.getLogger(__name__)


class InlineDispatch:
    """Calls ``work(submission_id)`` at once, for instance ``Worker.handle``. ``rings`` keeps what was rung, in order."""

    def __init__(self, work: Callable[[int], object], state: CheckerState | None = None) -> None:
        self._work = work
        self._state = state or CheckerState(
            ready=True, device="cpu", proof=Proof(walls=(Wall(id="none, this is a test", on=True),))
        )
        self.rings: list[int] = []
        self.closed = False

    def ring(self, submission_id: int) -> None:
        self.rings.append(submission_id)
        try:
            self._work(submission_id)
        except Exception:
            log.exception("The work for submission %d failed.", submission_id)

    def wait(self, submission_id: int, seconds: float) -> bool:
        return submission_id in self.rings

    def state(self) -> CheckerState:
        return self._state

    def close(self) -> None:
        self.closed = True
