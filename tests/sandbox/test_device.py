"""The order of walls around a device's driver, tried with the CPU in the device's place: what starts before the last wall is behind it, too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox.conftest import PRINT_BYTES, configuration, header
from tests.sandbox.test_spawned import asked
from tutor.catalog import Catalog
from tutor.checking import Checker
from tutor.engine import on_pool, worker_source
from tutor.errors import SettingsError, WallMissing
from tutor.model import Status
from tutor.sandbox.inside.policy import MIB
from tutor.sandbox.launcher import Configuration
from tutor.sandbox.pool import Pool
from tutor.sandbox.spawned import Spawner
from tutor.settings import Settings

pytestmark = pytest.mark.sandbox

SUBMISSIONS = Path(__file__).resolve().parents[1] / "submissions" / "multi-head-attention"
ATTACKS = Path(__file__).resolve().parents[1] / "attacks"
# A thread that was there before waits until the filter is up and then tries to open a file.
LATE_OPEN = """
import os, sys, threading
sys.path.insert(0, {project!r})
from tutor.sandbox.inside import linux, policy, seccomp
libc = linux.open_libc()
built = seccomp.build(libc, policy.DEVICE_CALLS)
up, found = threading.Event(), []
def late():
    up.wait()
    try:
        os.close(os.open("/dev/null", os.O_RDONLY))
        found.append("opened")
    except OSError as error:
        found.append(error.strerror)
thread = threading.Thread(target=late)
thread.start()
libc.prctl(38, 1, 0, 0, 0)
built.{how}()
up.set()
thread.join()
print(found[0])
"""


@pytest.fixture(scope="module")
def device_pool() -> Iterator[Pool]:
    chosen = replace(configuration(), device="cpu")
    with Pool(lambda: Spawner(chosen), workers=1, print_bytes=PRINT_BYTES) as started:
        yield started


def test_the_weaker_promise_is_told(device_pool: Pool) -> None:
    """The driver's own part is a wall of its own on the list, and there is no empty root to claim."""
    walls = {wall.id: wall for wall in device_pool.proof.walls}
    assert "the promise is weaker" in walls["device"].detail
    assert "empty root" not in walls
    assert {"seccomp", "seccomp for the driver", "landlock", "memory watchdog"} <= set(device_pool.proof.isolation)


@pytest.mark.parametrize(
    "source",
    [
        "open('/etc/passwd')",
        "import os\nos.stat('/usr')",
        "import socket\nsocket.socket()",
        "import os\nos.fork()",
        "import os\nos.execv('/bin/true', ['true'])",
        "import os\nos.kill(os.getppid(), 0)",
    ],
)
def test_after_the_driver_has_started_its_rights_are_gone(device_pool: Pool, source: str) -> None:
    """Files that the driver could read, threads that it could start, are no longer to be had."""
    assert header(asked(device_pool, source))["error"] in {"PermissionError", "BlockingIOError"}


@pytest.mark.parametrize(("how", "finds"), [("put_up_on_all_threads", "Permission denied"), ("put_up", "opened")])
def test_a_thread_that_was_there_before_is_filtered_too(how: str, finds: str) -> None:
    """The last filter reaches every thread of the process; put up the ordinary way, it would pass that thread by."""
    script = LATE_OPEN.format(project=str(Path(__file__).resolve().parents[2]), how=how)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == finds


def test_a_last_filter_that_does_nothing_is_noticed() -> None:
    """The start-up test is the same as without a device."""
    chosen = replace(configuration(idle=["seccomp"]), device="cpu")
    with pytest.raises(WallMissing, match="no student code will be run"):
        Pool(lambda: Spawner(chosen), workers=1, print_bytes=PRINT_BYTES).start()


def test_submissions_are_judged_and_attacks_kept_in(catalog: Catalog) -> None:
    """The whole check behind these walls: right passes, wrong fails, hostile code reaches nothing."""
    chosen = Configuration(256 * MIB, device="cpu")
    with Pool(lambda: Spawner(chosen), workers=1, print_bytes=PRINT_BYTES) as pool:
        settings = Settings(case_seconds=2.0, check_seconds=6.0)
        checker: Checker = on_pool(settings, catalog, pool, "cpu")
        exercise = catalog["multi-head-attention"]
        verdicts = [
            checker.check(exercise, path.read_bytes())
            for path in (
                SUBMISSIONS / "right" / "terse_expert.py",
                SUBMISSIONS / "wrong" / "missing_scale.py",
                ATTACKS / "processes_fork.py",
            )
        ]
    assert [verdict.status for verdict in verdicts] == [Status.PASSED, Status.FAILED, Status.FAILED]


def test_what_this_machine_cannot_do_is_said() -> None:
    """A driver cannot be forked; the message names the setting and what to use instead."""
    with pytest.raises(SettingsError, match=r"TUTOR_SANDBOX=fork: .*must not be forked.*spawn or auto"):
        worker_source(Settings(device="cuda", sandbox="fork"))
