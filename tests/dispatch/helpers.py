"""Workers with made-up checks, and waiting for things to happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.store.samples import SLUG, verdict
from tutor.errors import SandboxError
from tutor.model import Status, Submission, Verdict
from tutor.store.protocol import Store
from tutor.worker import Worker

Check = Callable[[Submission], Verdict]


def broken(submission: Submission, reason: str) -> Verdict:
    return verdict(status=Status.BROKEN, printed=reason)


def passes(submission: Submission) -> Verdict:
    return verdict()


def fails(submission: Submission) -> Verdict:
    raise SandboxError("The sandbox did not answer.")


def make_worker(
    store: Store,
    check: Check,
    done: list[int] | None = None,
    *,
    name: str = "w",
    lease: float = 30.0,
    many: int = 2,
    each: int | None = None,
) -> Worker:
    told = [] if done is None else done
    return Worker(
        store,
        check,
        broken,
        name=name,
        concurrency=many,
        lease_seconds=lease,
        on_done=told.append,
        each=each,
        retry_seconds=0.02,
    )


@contextmanager
def running(*workers: Worker) -> Iterator[None]:
    stop = threading.Event()
    threads = [threading.Thread(target=worker.run, args=(stop,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(10)


def add(store: Store, source: str = "x") -> int:
    return store.add_submission(store.local_learner().id, SLUG, 1, source).id


def read(store: Store, number: int) -> Submission:
    found = store.submission(number)
    assert found is not None
    return found
