"""Several processes with two threads each on one database with thousands of rows: each check is made once, and everybody has turns."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select

from tests.store.samples import SLUG
from tests.waiting import eventually
from tutor.model import SubmissionState
from tutor.store.sql import SqlStore, open_store
from tutor.store.tables import submissions

PROJECT = Path(__file__).resolve().parents[2]
PROCESSES, LEARNERS, EACH, FLOOD = 4, 25, 8, 200
OLD = 3_000  # checks of earlier days


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


def fill(store: SqlStore) -> int:
    """One learner floods the queue, then the others hand in; gives who floods."""
    flood = store.learner_named("flood").id
    others = [store.learner_named(f"learner {number}").id for number in range(LEARNERS)]
    row = {"slug": SLUG, "exercise_version": 1, "source": "x", "state": "queued", "tries": 0}
    waits = [{**row, "learner_id": one, "submitted_at": store._clock()} for one in [flood] * FLOOD + others * EACH]
    long_ago = store._clock() - timedelta(days=30)
    done = {"state": "done", "tries": 1, "submitted_at": long_ago, "finished_at": long_ago}
    rows = [{**row, **done, "learner_id": others[number % LEARNERS]} for number in range(OLD)]
    with store._engine.begin() as connection:
        connection.execute(insert(submissions), rows)
        connection.execute(insert(submissions), waits)
    return flood


def test_four_processes_make_every_check_once_and_keep_the_turns(url: str, tmp_path: Path) -> None:
    """No claim is given twice, no learner has two checks at once, and whoever floods the queue has no more turns than the others."""
    store = open_store(url)
    flood = fill(store)
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, "-m", "tests.dispatch.crowd", url, str(log)]
    crowd = [subprocess.Popen(command, stdin=subprocess.PIPE, cwd=PROJECT) for _ in range(PROCESSES)]
    try:
        assert eventually(lambda: store.load(flood, 60).all == 0, 120)
    finally:
        for process in crowd:
            process.communicate(timeout=20)
    assert [process.returncode for process in crowd] == [0] * PROCESSES

    events = [line.split() for line in log.read_text().splitlines()]
    started = [(int(learner), int(number)) for event, learner, number in events if event == "start"]
    assert sorted(number for _, number in started) == list(range(OLD + 1, OLD + FLOOD + LEARNERS * EACH + 1))
    running: Counter[str] = Counter()
    for event, learner, _ in events:
        running[learner] += 1 if event == "start" else -1
        assert running[learner] in {0, 1}
    for learner in {one for one, _ in started}:
        own = [number for one, number in started if one == learner]
        assert own == sorted(own)
    last = max(place for place, (learner, _) in enumerate(started) if learner != flood)
    assert sum(learner == flood for learner, _ in started[:last]) < 2 * EACH
    with store._engine.begin() as connection:
        found = connection.execute(
            select(submissions.c.state, submissions.c.tries, func.count()).group_by("state", "tries")
        )
        assert found.all() == [(SubmissionState.DONE, 1, OLD + FLOOD + LEARNERS * EACH)]
    store.close()
