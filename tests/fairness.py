"""What four endless loops cost everybody else: ``python tests/fairness.py [--rounds 15]``.

Four learners keep four endless loops running in the real checker, while another learner has the reference checked and the page is run
anew. Prints the medians of both, quiet and beside the loops, in the same run; exit code 1 if a check takes 3 times as long as in
quiet times, or a rerun of the page 1.5 times.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from streamlit.testing.v1 import AppTest

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from tests.store.samples import AnyStore  # noqa: E402
from tutor.catalog import load_catalog  # noqa: E402
from tutor.content import Exercise  # noqa: E402
from tutor.dispatch.local import LocalDispatch  # noqa: E402
from tutor.intake import Limits  # noqa: E402
from tutor.model import Status, SubmissionState  # noqa: E402
from tutor.service import Tutor  # noqa: E402
from tutor.settings import Settings  # noqa: E402
from tutor.store.sql import open_store  # noqa: E402

LOOPS, MOST_FOR_A_CHECK, MOST_FOR_A_RERUN = 4, 3.0, 1.5
ENDLESS = "while True:\n    pass\n"
START_SECONDS, WAIT_SECONDS = 120.0, 60.0


class Course:
    """A store, the real checker beside it, and learners who hand in."""

    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder / 'tutor.db'}"
        os.environ["TUTOR_DATABASE_URL"] = url
        self.catalog = load_catalog(*Settings().shelves)
        self.exercise: Exercise = self.catalog["multi-head-attention"]
        self.store: AnyStore = open_store(url)
        self.dispatch = LocalDispatch([sys.executable, "-m", "tutor", "worker"], cwd=PROJECT)
        self.tutor = Tutor(self.catalog, self.store, self.dispatch, Limits())

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.dispatch.state().ready:
            if time.monotonic() > deadline:
                raise SystemExit(f"The checker did not start: {self.dispatch.state().problem}")
            time.sleep(0.1)

    def check(self, name: str, source: str) -> Status | None:
        """Hand in and wait, as a page does."""
        learner = self.store.learner_named(name)
        number = self.store.add_submission(learner.id, self.exercise.slug, self.exercise.version, source).id
        self.dispatch.ring(number)
        self.dispatch.wait(number, WAIT_SECONDS)
        found = self.store.submission(number)
        return found.verdict.status if found is not None and found.verdict is not None else None

    def running(self) -> int:
        return sum(
            found is not None and found.state is SubmissionState.RUNNING
            for found in (self.store.latest_submission(self.learner(n), self.exercise.slug) for n in range(LOOPS))
        )

    def learner(self, number: int) -> int:
        return self.store.learner_named(f"loop {number}").id

    def close(self) -> None:
        self.dispatch.close()
        self.store.close()


@contextmanager
def loops(course: Course) -> Iterator[None]:
    """Four learners, each with one endless loop after the other."""
    over = threading.Event()

    def keep(number: int) -> None:
        while not over.is_set():
            course.check(f"loop {number}", ENDLESS)

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(LOOPS)]
    for thread in threads:
        thread.start()
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while course.running() < LOOPS:
            if time.monotonic() > deadline:
                raise SystemExit(f"Only {course.running()} of {LOOPS} endless loops came to run.")
            time.sleep(0.1)
        time.sleep(1.0)
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _app(open_tutor) -> None:  # type: ignore[no-untyped-def]
    from tutor.ui.app import main  # noqa: PLC0415  the function's text alone is run

    main(open_tutor)


def _page(course: Course) -> Callable[[], object]:
    app = AppTest.from_function(_app, args=(lambda: course.tutor,), default_timeout=60)
    app.query_params["exercise"] = course.exercise.slug
    app.run()
    return app.run


def _median_ms(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Path(folder))
        try:
            course.wait_until_ready()
            return _judge(course, rounds)
        finally:
            course.close()


def _judge(course: Course, rounds: int) -> int:
    def check() -> None:
        found = course.check("somebody", course.exercise.reference)
        if found is not Status.PASSED:
            raise SystemExit(f"The reference ended as {found}.")

    rerun = _page(course)
    works = {"check": (check, MOST_FOR_A_CHECK), "page rerun": (rerun, MOST_FOR_A_RERUN)}
    _median_ms(check, 5)
    quiet = {name: _median_ms(work, rounds) for name, (work, _) in works.items()}
    with loops(course):
        beside = {name: _median_ms(work, rounds) for name, (work, _) in works.items()}
    fine = True
    for name, (_, most) in works.items():
        ratio = beside[name] / quiet[name]
        fine = fine and ratio < most
        print(
            f"{name}: {quiet[name]:.0f} ms quiet, {beside[name]:.0f} ms beside {LOOPS} endless loops: "
            f"{ratio:.2f} times (at most {most})"
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
