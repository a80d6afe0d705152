"""The local dispatch with a tiny made-up checker: it starts, rings, waits, restarts and closes without ever raising."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import eventually
from tutor.dispatch import local
from tutor.dispatch.inline import InlineDispatch
from tutor.dispatch.local import STOPPED, LocalDispatch
from tutor.dispatch.protocol import CheckerState, Dispatch
from tutor.dispatch.wire import Done, Ready, Refused, read_event, write_event
from tutor.walls import Proof, Wall

PROOF = Proof(walls=(Wall(id="a", on=True),))
READY = """print('{"event": "ready", "device": "cpu", "proof": {"walls": [{"id": "a", "on": true}]}}', flush=True)"""
ECHO = (
    """for line in sys.stdin:
    if line == "13\\n":
        os._exit(1)
    print('{"event": "done", "id": %d}' % int(line), flush=True)
pathlib.Path("ended").touch()"""
)  # fmt: skip

Open = Callable[[str], LocalDispatch]


@pytest.fixture
def open_dispatch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "FIRST_DELAY", 0.05)
    made: list[LocalDispatch] = []

    def open_it(body: str) -> LocalDispatch:
        script = tmp_path / "checker.py"
        script.write_text(f"import os, pathlib, signal, sys, time\n{body}\n")
        made.append(LocalDispatch([sys.executable, "-I", str(script)]))
        return made[-1]

    yield open_it
    for dispatch in made:
        dispatch.close()


def test_a_starting_checker_is_not_ready_and_has_no_problem(open_dispatch: Open) -> None:
    """While the checker starts the state is neither ready nor a complaint; then it tells device and walls."""
    dispatch = open_dispatch(f"time.sleep(0.2)\n{READY}\n{ECHO}")
    assert dispatch.state() == CheckerState(ready=False)
    assert eventually(lambda: dispatch.state() == CheckerState(ready=True, device="cpu", proof=PROOF))


def test_a_ring_is_answered_and_waited_for(open_dispatch: Open) -> None:
    """Waiting ends as soon as the checker says done, also for somebody who asks later, and times out for other ids."""
    dispatch = open_dispatch(f"{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)
    waiting = threading.Timer(0.1, dispatch.ring, (5,))
    waiting.start()
    started = time.monotonic()
    assert dispatch.wait(5, 5.0)
    assert time.monotonic() - started < 2
    assert dispatch.wait(5, 0.0)
    assert not dispatch.wait(6, 0.05)
    assert not dispatch.wait(6, -1.0)
    waiting.join()


def test_a_crash_is_told_and_repaired(open_dispatch: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that dies is said to be restarted, in words, and works again soon after."""
    monkeypatch.setattr(local, "FIRST_DELAY", 0.4)
    dispatch = open_dispatch(f"{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)
    dispatch.ring(13)
    assert eventually(lambda: dispatch.state() == CheckerState(ready=False, problem=STOPPED))
    assert eventually(lambda: dispatch.state().ready)
    dispatch.ring(14)
    assert dispatch.wait(14, 2)


def test_a_checker_that_never_comes_up_is_explained(open_dispatch: Open) -> None:
    """After several deaths in a row the state says where the reason is to be found; rings and waits stay harmless."""
    dispatch = open_dispatch("sys.exit(7)")
    assert eventually(lambda: "exit code 7" in dispatch.state().problem)
    assert "doctor" in dispatch.state().problem
    dispatch.ring(1)
    assert not dispatch.wait(1, 0.01)


def test_a_refusal_is_passed_on_word_for_word(open_dispatch: Open) -> None:
    """What the checker gives as its reason stays on show after it ended and is tried again."""
    dispatch = open_dispatch("""print('{"event": "refused", "problem": "No wall here."}', flush=True)\nsys.exit(3)""")
    assert eventually(lambda: dispatch.state().problem == "No wall here.")
    time.sleep(0.2)
    assert dispatch.state() == CheckerState(ready=False, problem="No wall here.")


def test_a_command_that_does_not_exist_is_explained() -> None:
    """A checker that cannot even be started is a sentence in the state, not an exception."""
    dispatch = LocalDispatch(["/no/such/program"])
    assert eventually(lambda: "could not be started" in dispatch.state().problem)
    dispatch.ring(1)
    dispatch.close()


def test_lines_that_are_no_events_are_passed_over(open_dispatch: Open) -> None:
    """Noise on the checker's stdout, even bytes that are no text, does not disturb the events after it."""
    noise = r"""sys.stdout.buffer.write(b'hello\n\xff\xfe\n{"event": "party"}\n[]\n{"event": "done", "id": "x"}\n')"""
    dispatch = open_dispatch(f"{noise}\n{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)


def test_a_full_pipe_never_blocks_the_page(open_dispatch: Open) -> None:
    """Ringing a checker that does not read returns at once, however often."""
    dispatch = open_dispatch(f"{READY}\ntime.sleep(60)")
    assert eventually(lambda: dispatch.state().ready)
    started = time.monotonic()
    for number in range(20_000):
        dispatch.ring(number)
    assert time.monotonic() - started < 3
    process = dispatch._process
    assert process is not None
    process.kill()


def test_the_memory_of_finished_ids_is_bounded(open_dispatch: Open) -> None:
    """Only the newest finished ids are kept, so a page that runs for months does not grow."""
    many = """for number in range(3000): print('{"event": "done", "id": %d}' % number)"""
    dispatch = open_dispatch(f"{many}\n{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)
    assert dispatch.wait(2999, 0)
    assert not dispatch.wait(0, 0)
    assert len(dispatch._done) == local.DONE_IDS_KEPT


def test_closing_lets_the_checker_end_by_itself(open_dispatch: Open, tmp_path: Path) -> None:
    """Close means end of stdin: the checker runs to its own end, the state says closed, and closing again is fine."""
    dispatch = open_dispatch(f"{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)
    dispatch.close()
    dispatch.close()
    assert (tmp_path / "ended").exists()
    assert not dispatch.state().ready
    assert "closed" in dispatch.state().problem
    dispatch.ring(1)


def test_the_checker_is_out_of_reach_of_ctrl_c_and_shares_the_processors_by_priority(open_dispatch: Open) -> None:
    """Keys of a terminal go to a group; processors are shared among sessions before any priority counts."""
    dispatch = open_dispatch(f"{READY}\n{ECHO}")
    assert eventually(lambda: dispatch.state().ready)
    process = dispatch._process
    assert process is not None
    assert os.getpgid(process.pid) == process.pid
    assert os.getsid(process.pid) == os.getsid(0)


def test_a_checker_that_does_not_end_is_ended(open_dispatch: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that ignores the end of stdin and SIGTERM is killed when the page closes, together with its children."""
    monkeypatch.setattr(local, "CLOSE_SECONDS", 0.1)
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    child = (
        "import subprocess\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=2)"
    )
    dispatch = open_dispatch(
        f"{deaf}\n{child}\npathlib.Path('pid').write_text(str(child.pid))\n{READY}\ntime.sleep(60)"
    )
    assert eventually(lambda: dispatch.state().ready)
    process = dispatch._process
    assert process is not None
    dispatch.close()
    assert process.returncode == -9
    assert eventually(lambda: _is_gone(int(Path("pid").read_text())))


def _is_gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or ") Z " in stat.read_text()


def test_the_checker_ends_when_the_page_is_killed(tmp_path: Path) -> None:
    """After SIGKILL of the page process the checker sees its stdin end and ends by itself."""
    script = tmp_path / "checker.py"
    script.write_text(f"import os, pathlib, sys\n{READY}\n{ECHO}\n")
    page = (
        "import sys, time; from tutor.dispatch.local import LocalDispatch\n"
        f"dispatch = LocalDispatch([sys.executable, '-I', {str(script)!r}])\n"
        "while not dispatch.state().ready: time.sleep(0.01)\n"
        "print('up', flush=True); time.sleep(60)"
    )
    project = str(Path(__file__).resolve().parents[2])
    environment = {"PYTHONPATH": project, "PATH": ""}
    process = subprocess.Popen([sys.executable, "-c", page], stdout=subprocess.PIPE, cwd=tmp_path, env=environment)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.kill()
    assert eventually((tmp_path / "ended").exists)


def test_every_event_survives_the_wire() -> None:
    """Writing and reading an event gives it back; each is exactly one line."""
    for event in (Ready(device="cuda:0", proof=PROOF), Refused(problem="no\nwall “here”"), Done(id=3)):
        line = write_event(event)
        assert read_event(line) == event
        assert line.count(b"\n") == 1


def test_the_inline_dispatch_works_at_once() -> None:
    """The fake does the work inside the ring, keeps what was rung, and swallows errors as every dispatch does."""
    seen: list[int] = []

    def work(number: int) -> None:
        seen.append(number)
        if number == 2:
            raise ValueError("bad")

    fake = InlineDispatch(work)
    dispatch: Dispatch = fake
    dispatch.ring(1)
    dispatch.ring(2)
    assert seen == fake.rings == [1, 2]
    assert (dispatch.wait(1, 0), dispatch.wait(9, 0), dispatch.state().ready) == (True, False, True)
    dispatch.close()
    assert fake.closed
