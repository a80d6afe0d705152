"""One of several working processes: ``python -m tests.dispatch.crowd DATABASE_URL LOG``. It ends when its stdin does.

Its checks pass at once. Every start and every end is appended to LOG with the learner and the submission.
"""

from __future__ import annotations

import os
import sys
import threading

from tests.dispatch.helpers import broken
from tests.store.samples import verdict
from tutor.model import Submission, Verdict
from tutor.store.sql import open_store
from tutor.worker import Worker


def main(url: str, log: str) -> None:
    """Work with two threads, one check of each learner at once."""
    store = open_store(url)
    told = os.open(log, os.O_WRONLY | os.O_APPEND)

    def check(submission: Submission) -> Verdict:
        for event in ("start", "end"):
            os.write(told, f"{event} {submission.learner_id} {submission.id}\n".encode())
        return verdict()

    name = f"crowd-{os.getpid()}"
    worker = Worker(store, check, broken, name=name, concurrency=2, lease_seconds=60, on_done=lambda _: None, each=1)
    stop = threading.Event()
    loop = threading.Thread(target=worker.run, args=(stop,))
    loop.start()
    sys.stdin.read()
    stop.set()
    loop.join()
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
