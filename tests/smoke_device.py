"""Tries a real device: ``python tests/smoke_device.py [cuda]``, on a machine that has one. Exit code 1 if anything is not as it should be.

Starts the checker with TUTOR_DEVICE set, prints the walls, then checks right, wrong and hostile submissions and prints what came out
and how long it took. ``cpu`` in the place of ``cuda`` tries the same order of walls without a device.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from tests.attacking.labels import labels  # noqa: E402
from tests.mixture import corpus  # noqa: E402
from tutor.checking import Checker  # noqa: E402
from tutor.engine import choose_device, on_pool, open_catalog  # noqa: E402
from tutor.errors import SettingsError  # noqa: E402
from tutor.model import Verdict  # noqa: E402
from tutor.sandbox.inside.policy import MIB  # noqa: E402
from tutor.sandbox.launcher import Configuration  # noqa: E402
from tutor.sandbox.pool import Pool  # noqa: E402
from tutor.sandbox.spawned import Spawner  # noqa: E402
from tutor.settings import Settings  # noqa: E402

SLUG = "multi-head-attention"
EACH = 6
# A tensor made on the default device, which is not where the inputs are.
STAYS_BEHIND = """
_forward = MultiHeadAttention.forward


def forward(self, Q, K, V, mask=None):
    output, weights = _forward(self, Q, K, V, mask)
    return output + torch.zeros(output.shape), weights


MultiHeadAttention.forward = forward
"""


def main(device: str) -> int:
    """Check a fixed choice on the device and compare with what is known of it."""
    settings = Settings(case_seconds=5.0, check_seconds=20.0)
    catalog = open_catalog(settings)
    chosen = Configuration(settings.memory_mib * MIB, device=device)
    try:
        where = choose_device(device)
    except SettingsError as error:
        print(error)
        return 1
    with Pool(lambda: Spawner(chosen), workers=2, print_bytes=settings.print_bytes) as pool:
        for wall in pool.proof.walls:
            print(f"{wall.id:24} {'on' if wall.on else 'MISSING':8} {wall.detail}")
        checker = on_pool(settings, catalog, pool, where)
        results = [_checked(checker, name, source, fits) for name, source, fits in _chosen(where)]
    print(f"{sum(results)} of {len(results)} as they should be, on {where}")
    return 0 if all(results) else 1


def _chosen(device: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Name, text and the statuses that are right."""
    right, wrong = (
        [job for job in part if job.slug == SLUG][:: max(1, len(part) // (EACH * 2))][:EACH] for part in corpus()
    )
    found = [(job.name, job.source, ("passed",)) for job in right]
    found += [(job.name, job.source, ("failed",)) for job in wrong]
    for group in sorted({label.group for label in labels()}):
        one = next(label for label in labels() if label.group == group and label.positive_control)
        found.append((f"attack {group}/{one.name}", one.file.read_text(), one.statuses))
    reference = (PROJECT / "reference" / "multi_head_attention.py").read_text()
    if device != "cpu":
        found.append(("a tensor that stays on the CPU", reference + STAYS_BEHIND, ("failed",)))
    return found


def _checked(checker: Checker, name: str, source: str, expected: tuple[str, ...]) -> bool:
    started = time.perf_counter()
    verdict: Verdict = checker.check(checker._catalog[SLUG], source.encode())
    fits = verdict.status.value in expected
    taken = time.perf_counter() - started
    print(
        f"{'ok ' if fits else 'BAD'} {verdict.status.value:7} {verdict.ending.value:14} {taken * 1_000:7.0f} ms  {name}"
    )
    if not fits and verdict.error is not None:
        print(f"    {verdict.error.type}: {verdict.error.message}")
    return fits


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cuda"))
