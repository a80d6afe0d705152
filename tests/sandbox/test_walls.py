"""The walls: what a worker starts with, and that a missing wall is noticed and nothing is run. The attacks are in ``tests/attacks``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.conftest import Ask, configuration, forking, header
from tutor.errors import WallMissing
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.linux import NONE_TO_DROP
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.pool import Pool
from tutor.sandbox.zygote import Zygote
from tutor.walls import MEANINGS, UNSAFE

pytestmark = pytest.mark.sandbox


LAYERS = (
    "namespaces", "empty root", "own process", "own uid", "no capabilities", "rlimits", "no new privileges", "landlock",
    "seccomp",
)  # fmt: skip


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


def test_no_flag_of_a_descriptor_is_left_for_the_next(ask: Ask) -> None:
    """What a worker has open is its own, so nothing that one sets is seen by another."""
    first = "import fcntl, os\nfor fd in (0, 1, 2, 201): fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK)\nanswer = 1"
    then = "import fcntl, os\nanswer = [fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK) for fd in (0, 1, 2, 201)]"
    assert header(ask(first))["answer"] == 1
    assert header(ask(then))["answer"] == [0, 0, 0, 0]
    assert header(ask("import sys\nanswer = sys.stdin.read()"))["answer"] == ""


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
    """What is on is said by name; what is not says why."""
    assert {"own process", "rlimits", "no new privileges", "seccomp"} <= set(pool.proof.isolation)
    assert [wall.id for wall in pool.proof.walls if not wall.on and not wall.detail] == []
    assert set(MEANINGS) >= {wall.id for wall in pool.proof.walls}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_does_nothing_is_noticed(pool: Pool, layer: str) -> None:
    """Each layer proves itself without the help of the others, so none is idle; with one that is, nothing is run."""
    if layer not in pool.proof.isolation:  # as where this machine does not have it
        with forking(missing=[layer], unsafe=True) as lacking:
            assert layer not in lacking.proof.isolation
        return
    if next(wall.detail for wall in pool.proof.walls if wall.id == layer) == NONE_TO_DROP:
        return  # nothing can be taken from who has nothing
    # Without rights to give away no filter can be put up, so that is how this one shows.
    shows = r"could not confine itself \(" if layer == "no new privileges" else f"“{layer}” does not hold by itself"
    with pytest.raises(WallMissing, match=shows):
        forking(idle=[layer]).start()


@pytest.mark.parametrize("layer", ["namespaces", "empty root", "own uid", "landlock"])
def test_without_a_layer_that_not_every_machine_has_the_others_hold(layer: str) -> None:
    """It is said that it is missing, and why; what it kept off is kept off all the same."""
    with forking(missing=[layer]) as pool:
        assert layer not in pool.proof.isolation
        assert next(wall for wall in pool.proof.walls if wall.id == layer).detail == "left out for a test"
        run = pool.run({"source": "open('/etc/passwd')"}, [], case_seconds=5, check_seconds=5, max_body_bytes=1_000)
        assert header(run)["error"] == "PermissionError"


def test_without_seccomp_nothing_is_run() -> None:
    """The start-up test finds the gap, names it and refuses."""
    with pytest.raises(WallMissing, match=r"A submission could: .*trace.*missing.*“seccomp” left out"):
        forking(missing=["seccomp"]).start()


def test_the_operator_can_have_it_run_all_the_same_and_it_is_said_aloud() -> None:
    """With the setting for private machines the holes are told first, in every verdict."""
    with forking(missing=["seccomp"], unsafe=True) as pool:
        assert pool.proof.isolation[0] == UNSAFE
        assert any("trace" in hole for hole in pool.proof.holes)
        run = pool.run({"source": "answer = 1"}, [], case_seconds=5, check_seconds=5, max_body_bytes=1_000)
        assert header(run) == {"answer": 1}


def test_a_worker_that_proves_a_layer_takes_no_submission() -> None:
    """It stands behind one wall only, so it ends as soon as it is given a job."""
    source = Zygote(configuration())
    try:
        source.wait_until_ready()
        payload = pieces({"source": "answer = 1", "shapes": []}, [], Kind.JOB)
        run = Conversation(source.fork(only=["own process"]), payload, Limits(5, 5, 1_000, 1_000)).run()
        assert (run.ending, run.exit_code, run.frames) == ("exited", policy.EXIT_REFUSED, ())
    finally:
        source.close()
