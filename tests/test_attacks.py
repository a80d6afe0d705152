"""The attacks, as submissions through the real checker: none reaches a canary, each ends as its label says, nothing is left over.

``attacks/README.md`` describes the table and the four set-ups this runs in. Each attack that can succeed is also run without any
wall, to show that what keeps it in is the wall and not a mistake in the attack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacking.canaries import PROJECT, WORKER_UIDS, Canaries, token
from tests.attacking.labels import ATTACKS, Label, labels
from tests.attacking.outside import Outcome, Outside
from tests.waiting import eventually
from tutor.catalog import Catalog
from tutor.checking import Checker
from tutor.content import Exercise
from tutor.engine import open_catalog, open_checker
from tutor.model import Status, Verdict
from tutor.sandbox.pool import Pool
from tutor.settings import Settings

pytestmark = pytest.mark.sandbox

LABELS = labels()
GROUPS = sorted({label.group for label in LABELS})
RIGHT = (Path(__file__).parent / "submissions" / "multi-head-attention" / "right" / "terse_expert.py").read_bytes()
CASE_SECONDS, CHECK_SECONDS, PRINT_BYTES = 0.8, 2.0, 16_384
SLACK_SECONDS = 2.0  # what a busy machine may add to a limit
CONTROL_SECONDS, ENDLESS_SECONDS = 8.0, 0.5


@dataclass
class Range:
    """The real checker on one worker, the canaries around it, and the same without walls."""

    checker: Checker
    exercise: Exercise
    inside: Canaries
    outside: Canaries
    bare: Outside

    @property
    def pool(self) -> Pool:
        return self.checker._pool

    def check(self, source: bytes) -> Verdict:
        return self.checker.check(self.exercise, source)

    def at_rest(self) -> bool:
        """Whether the worker that waits is all that there is."""
        idle = [worker.pid for worker in list(self.pool._idle)]
        pid = self.pool.zygote_pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return len(idle) == 1 and [int(child) for child in children] == idle and not worker_processes()


def worker_processes() -> list[int]:
    """Whatever runs under the uids that only workers have, but for workers of other zygotes on this machine."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid in WORKER_UIDS:
                parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
                if b"sandbox/inside" not in Path(f"/proc/{parent}/cmdline").read_bytes():
                    found.append(int(folder.name))
        except OSError:
            continue  # it ended meanwhile
    return found


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def everything_said(verdict: Verdict) -> str:
    """All text of a verdict, unescaped."""
    return repr(verdict.model_dump()).replace("\\n", "\n")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return open_catalog(Settings())


@pytest.fixture(scope="module")
def place(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Range]:
    folders = [tmp_path_factory.mktemp(name) for name in ("inside", "outside")]
    base = tmp_path_factory.getbasetemp()
    # Only the walls are to keep anybody out; pytest closes its folder again with its next run.
    for folder in (*folders, base, base.parent):
        if folder.name.startswith(("pytest-", "inside", "outside")):
            folder.chmod(0o755)
    environment, other = token("environment"), token("submission")
    settings = Settings(
        workers=1, case_seconds=CASE_SECONDS, check_seconds=CHECK_SECONDS, memory_mib=256, print_bytes=PRINT_BYTES
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUTOR_CANARY", environment)
        inside, outside = (
            Canaries(folders[0], PROJECT, environment, other),
            Canaries(folders[1], None, environment, other),
        )
        bare, checker = Outside(environment, other, folders[1]), open_checker(settings, catalog)
        place = Range(checker, catalog["multi-head-attention"], inside, outside, bare)
        # What another student handed in before, and a first turn of everything that is made once.
        place.check(f"# {other}\n".encode() + RIGHT)
        place.check(b"raise ValueError")
        yield place
        checker.close()
        bare.close()
        inside.close()
        outside.close()


def test_every_attack_has_a_label_and_every_label_an_attack() -> None:
    """No attack is forgotten, no label dangles, and what has no control says why."""
    assert sorted(label.file.name for label in LABELS) == sorted(path.name for path in ATTACKS.glob("*.py"))
    assert [label.name for label in LABELS if (label.control == "never") != bool(label.why)] == []


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_a_control_that_needs_no_privilege(group: str) -> None:
    """In every set-up at least the positive control of each group is run."""
    controls = [label for label in LABELS if label.group == group and label.positive_control]
    assert controls
    assert all(label.control == "always" for label in controls)


@pytest.mark.parametrize("label", LABELS, ids=lambda label: f"{label.group}-{label.name}")
def test_attack_is_kept_in(place: Range, label: Label) -> None:
    """It ends as it may, reaches nothing, costs no more than its limits, leaves nothing behind, and the next check is as ever."""
    if not label.runs_here:
        return
    assert eventually(place.at_rest)
    before = descriptors()
    verdict = place.check(place.inside.aimed(label.file.read_text()).encode())
    assert (verdict.ending.value in label.endings, verdict.status.value in label.statuses) == (True, True), verdict
    assert place.inside.tripped(everything_said(verdict)) == set()
    assert verdict.seconds < CHECK_SECONDS + SLACK_SECONDS
    assert len(verdict.printed) < PRINT_BYTES + 200
    following = place.check(RIGHT)
    assert following.status is Status.PASSED, following
    assert eventually(place.at_rest), "something of the attack is still there"
    assert descriptors() == before


@pytest.mark.parametrize(
    "label", [label for label in LABELS if label.controlled_here], ids=lambda label: f"{label.group}-{label.name}"
)
def test_attack_succeeds_without_walls(place: Range, label: Label) -> None:
    """The positive control: the same code, run by a careless grader in a plain process, does trip its canary."""
    endless = {"time", "flood"} & set(label.canaries)
    outcome = place.bare.run(
        place.outside.aimed(label.file.read_text()), ENDLESS_SECONDS if endless else CONTROL_SECONDS
    )
    found = place.outside.tripped(outcome.text) | noticed(outcome)
    if found & {"sibling", "files", "project", "database", "secret", "tcp", "udp", "unix", "abstract"}:
        place.outside.reset()
    assert found & set(label.canaries), outcome.text[-2_000:]


def noticed(outcome: Outcome) -> set[str]:
    """The canaries that are seen on the process itself."""
    signs = {"passed": outcome.passed, "time": outcome.timed_out, "flood": outcome.printed_bytes > PRINT_BYTES}
    return {name for name, seen in signs.items() if seen}
