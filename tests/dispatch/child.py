"""A real checking process with a made-up check: ``python -m tests.dispatch.child DATABASE_URL LOG``.

The source of a submission says what its check does: "slow" waits a minute on the first try, "gate" waits until LOG.go is there,
anything else passes at once. Every start of a check is appended to LOG, so that a test can count them across processes.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.store.samples import verdict
from tutor.doorbell import serve_doorbell
from tutor.model import Status, Submission, Verdict
from tutor.store.sql import open_store
from tutor.walls import Proof, Wall

MADE_UP = Proof(walls=(Wall(id="made up", on=True),))
LEASE_SECONDS = 1.0


class MadeUpChecking:
    device = "cpu"
    proof = MADE_UP

    def __init__(self, log: Path) -> None:
        self._log = log

    def check(self, submission: Submission) -> Verdict:
        with self._log.open("a") as file:
            file.write(f"{submission.id}\n")
        print("a stray print of a library", flush=True)
        os.write(1, b"and one below Python\n")
        if submission.source == "slow" and submission.tries == 1:
            time.sleep(60)
        while submission.source == "gate" and not self._log.with_suffix(".go").exists():
            time.sleep(0.01)
        return verdict()

    def broken(self, submission: Submission, reason: str) -> Verdict:
        return verdict(status=Status.BROKEN, printed=reason)

    def close(self) -> None:
        with self._log.open("a") as file:
            file.write("closed\n")


if __name__ == "__main__":
    url, log = sys.argv[1:]
    code = serve_doorbell(
        lambda: open_store(url), lambda: MadeUpChecking(Path(log)), concurrency=2, lease_seconds=LEASE_SECONDS
    )
    sys.exit(code)
