"""Submissions in a random mixture, a third of them hostile, each with what its verdict must be."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacking.canaries import Canaries
from tests.attacking.labels import labels
from tutor.model import Status, Verdict

CORPUS = Path(__file__).resolve().parent / "submissions"
ATTACKED = "multi-head-attention"
BURNERS = 0.08  # of the attacks


@dataclass(frozen=True)
class Job:
    """One submission and what its verdict must be; ``fits`` says so."""

    name: str
    slug: str
    source: str
    fits: Callable[[Verdict], bool]


def corpus() -> tuple[list[Job], list[Job]]:
    """Right and wrong submissions of all exercises."""
    right, wrong = [], []
    for folder in sorted(path for path in CORPUS.iterdir() if path.is_dir()):
        table = tomllib.loads((folder / "labels.toml").read_text())
        for name in table["right"]:
            source = (folder / "right" / f"{name}.py").read_text()
            right.append(Job(f"right/{name}", folder.name, source, lambda verdict: verdict.status is Status.PASSED))
        for name, label in table["wrong"].items():
            source = (folder / "wrong" / f"{name}.py").read_text()
            wrong.append(Job(f"wrong/{name}", folder.name, source, _fails(label["fails"])))
    return right, wrong


def _fails(wanted: list[str]) -> Callable[[Verdict], bool]:
    def fits(verdict: Verdict) -> bool:
        found = [
            f"{milestone.id}/{check.id}"
            for milestone in verdict.milestones
            for check in milestone.checks
            if check.status is Status.FAILED
        ]
        return verdict.status is Status.FAILED and found == wanted

    return fits


def attacks(canaries: Canaries) -> tuple[list[Job], list[Job]]:
    """The attacks that end soon, and those that may burn their time limit."""
    quick, burners = [], []
    for label in (label for label in labels() if label.runs_here):
        source = canaries.aimed(label.file.read_text(errors="surrogateescape"))
        endings, statuses = label.endings, label.statuses
        job = Job(
            f"attack/{label.group}_{label.name}",
            ATTACKED,
            source,
            lambda verdict, endings=endings, statuses=statuses: (
                verdict.ending.value in endings and verdict.status.value in statuses
            ),
        )
        (burners if "timed_out" in endings else quick).append(job)
    return quick, burners


def drawn(canaries: Canaries, seed: int) -> Iterator[Job]:
    """Endlessly: an attack, a right and a wrong one, in a random order. All of a kind come up before any comes up again."""
    chance = random.Random(seed)  # noqa: S311 - which submission comes next is no secret
    (right, wrong), (quick, burners) = corpus(), attacks(canaries)
    decks = {
        name: _deck(jobs, chance)
        for name, jobs in zip(("right", "wrong", "quick", "burn"), (right, wrong, quick, burners), strict=True)
    }
    while True:
        kinds = ["right", "wrong", "burn" if chance.random() < BURNERS else "quick"]
        chance.shuffle(kinds)
        for kind in kinds:
            yield next(decks[kind])


def _deck(jobs: list[Job], chance: random.Random) -> Iterator[Job]:
    while True:
        yield from chance.sample(jobs, len(jobs))
