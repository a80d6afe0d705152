"""Slow checks step aside: others get their place, and the processor, while they go on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox.conftest import PRINT_BYTES, configuration, header
from tests.waiting import eventually
from tutor.sandbox.inside import policy
from tutor.sandbox.lanes import Lanes
from tutor.sandbox.pool import Pool, Run
from tutor.sandbox.zygote import Zygote

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def narrow() -> Iterator[Pool]:
    """One place, and two beside it."""
    chosen = configuration()
    with Pool(lambda: Zygote(chosen), workers=1, slow=2, print_bytes=PRINT_BYTES) as started:
        yield started


def asked(pool: Pool, source: str, seconds: float = 60.0) -> Run:
    return pool.run({"source": source}, [], case_seconds=seconds, check_seconds=seconds, max_body_bytes=1_000)


def test_a_slow_check_gives_its_place_away_and_goes_on(narrow: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sleepers hold the places aside, a third check is answered at once, and the sleepers end as ever."""
    monkeypatch.setattr(policy, "QUICK_SECONDS", 0.1)
    with ThreadPoolExecutor(2) as threads:
        slow = [threads.submit(asked, narrow, f"import time\ntime.sleep(6)\nanswer = {n}") for n in range(2)]
        assert header(asked(narrow, "answer = 'quick'")) == {"answer": "quick"}
        assert not any(one.done() for one in slow)
        assert [header(one.result())["answer"] for one in slow] == [0, 1]


def test_the_slow_ones_yield_the_processor(narrow: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has taken long runs when nobody else wants to; in a session of its own that would hold among its own alone."""
    monkeypatch.setattr(policy, "QUICK_SECONDS", 0.1)
    assert eventually(lambda: len(narrow._idle) == 1)
    worker = narrow._idle[0]
    assert os.getsid(worker.pid) == os.getsid(0)
    runner = threading.Thread(target=asked, args=(narrow, "while True: pass", 2.0))
    runner.start()
    assert eventually(lambda: _urgency(worker.pid) == (policy.SLOW_NICENESS, os.SCHED_IDLE))
    runner.join()


def _urgency(pid: int) -> tuple[int, int] | None:
    try:
        return os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid)
    except ProcessLookupError:
        return None


def test_without_room_aside_a_slow_check_keeps_its_place() -> None:
    """No place is made up, and each is given back exactly once."""
    lanes = Lanes(1, 1)
    first = lanes.enter()
    first.step_aside(os.getpid() + 10_000_000)
    second = lanes.enter()
    second.step_aside(os.getpid() + 10_000_000)
    assert not lanes._quick.acquire(blocking=False)
    second.leave()
    first.leave()
    for lane in (lanes._quick, lanes._slow):
        assert lane.acquire(blocking=False)
        assert not lane.acquire(blocking=False)


def test_what_was_waited_for_is_told_apart(narrow: Pool) -> None:
    """The time in front of a place that somebody holds is not the check's own, so it can be left out of a learner's account."""
    held = narrow._lanes.enter()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(asked, narrow, "answer = 1")
        time.sleep(0.5)
        held.leave()
        run = waiting.result()
    assert run.waited >= 0.4
    assert run.seconds < run.waited + 30
