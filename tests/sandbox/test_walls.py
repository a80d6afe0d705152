"""The walls: what a worker starts with, and that a missing wall is noticed and nothing is run. The attacks are in ``tests/attacks``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.sandbox.conftest import MEMORY_MIB, PRINT_BYTES, Ask, configuration, header
from tutor.errors import WallMissing
from tutor.sandbox.pool import Pool

pytestmark = pytest.mark.sandbox


def started(*without: str) -> Pool:
    return Pool(workers=1, memory_mib=MEMORY_MIB, print_bytes=PRINT_BYTES, configuration=configuration(without)).start()


def test_the_environment_holds_nothing_of_ours(ask: Ask) -> None:
    """A worker sees a fixed list of variables, whatever the tutor was started with."""
    run = ask("import os\nanswer = sorted(os.environ)")
    allowed = {"HOME", "LANG", "LC_CTYPE", "PATH", "LD_LIBRARY_PATH", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK"}
    assert {name for name in header(run)["answer"] if not name.endswith("_NUM_THREADS")} <= allowed


def test_nothing_but_the_pipes_is_open(ask: Ask) -> None:
    """No descriptor of the zygote, of another worker or of the tutor reaches a worker."""
    source = """
import fcntl
answer = []
for fd in range(2000):
    try:
        fcntl.fcntl(fd, fcntl.F_GETFD)
        answer.append(fd)
    except OSError:
        pass
"""
    assert header(ask(source))["answer"] == [0, 1, 2, 201]


def test_nothing_of_the_tutor_can_be_imported_or_found(ask: Ask) -> None:
    """Neither the project nor its references are among the modules or on the path of a worker."""
    source = "import sys\nanswer = [sorted(sys.modules), sys.path]"
    modules, path = header(ask(source))["answer"]
    assert [name for name in modules if name.split(".")[0] in {"tutor", "reference", "checkers", "exercises"}] == []
    assert str(Path(__file__).resolve().parents[2]) not in path


def test_a_worker_has_no_privilege_and_no_way_to_gain_one(ask: Ask) -> None:
    """Where the tutor runs as root, workers run under uids of their own, each another one."""
    source = "import os\nanswer = [os.getresuid(), os.getresgid()]"
    first, second = header(ask(source))["answer"], header(ask(source))["answer"]
    if os.geteuid() == 0:
        assert first[0][0] >= 64_000
        assert first != second
    else:
        assert first == [list(os.getresuid()), list(os.getresgid())]


def test_a_32_bit_call_ends_the_worker(ask: Ask) -> None:
    """Calls by another architecture's numbers would dodge the list, so they kill."""
    if os.uname().machine != "x86_64":
        return
    source = """
import ctypes
ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))
"""
    assert ask(source).ending == "signalled"


def test_the_layers_are_told(pool: Pool) -> None:
    """What is on is said in words; seccomp is always among them."""
    assert {"own process", "rlimits", "no new privileges", "seccomp allow-list"} <= set(pool.isolation)


def test_without_seccomp_nothing_is_run() -> None:
    """The self-test finds the gap, names it and refuses."""
    with pytest.raises(WallMissing, match=r"no student code will be run: .*stat a file"):
        started("seccomp")


def test_without_landlock_the_other_layers_hold_and_it_is_not_claimed() -> None:
    """A kernel without Landlock means one layer less, which is said."""
    pool = started("landlock")
    try:
        assert not any("landlock" in layer for layer in pool.isolation)
        run = pool.run({"source": "open('/etc/passwd')"}, [], case_seconds=5, check_seconds=5, max_body_bytes=1_000)
        assert header(run)["error"] == "PermissionError"
    finally:
        pool.close()


def test_another_system_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no seccomp at all, the tutor says what to use instead."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(WallMissing, match="Linux container"):
        started()
