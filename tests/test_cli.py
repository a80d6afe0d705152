"""The command line of the contract: what it prints, and the code it ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import eventually
from tutor.cli import check
from tutor.settings import PROJECT, Settings
from tutor.walls import Proof

SLUG = "multi-head-attention"
REFERENCE = PROJECT / "reference" / "multi_head_attention.py"
WRONG = PROJECT / "tests" / "submissions" / SLUG / "wrong"

pytestmark = pytest.mark.sandbox


def _tutor(*arguments, stdin=b"", **environment):
    return subprocess.run(
        [sys.executable, "-m", "tutor", *map(str, arguments)],
        cwd=PROJECT,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=600,
        env=os.environ | environment,
    )


def _verdicts(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory):
    """Verdicts on files that are no submission at all, and on one that only looks odd; all from one call."""
    folder = tmp_path_factory.mktemp("bad")
    contents = {
        "large": b"#" * 70_000,
        "latin1": "# caf\xe9\n".encode("latin-1"),
        "nul": b"x = 1\ny = '\0'\n",
        "empty": b" \n\n",
        "notebook": b"!pip install torch\nimport torch\n",
        "bom": b"\xef\xbb\xbf" + REFERENCE.read_bytes().replace(b"\n", b"\r\n"),
    }
    for name, data in contents.items():
        (folder / f"{name}.py").write_bytes(data)
    done = _tutor("check", SLUG, *sorted(folder.iterdir()), "--json")
    assert done.returncode == 1
    assert b"Traceback" not in done.stdout + done.stderr
    return {Path(verdict["file"]).stem: verdict for verdict in _verdicts(done)}


def test_json_is_format_1_in_the_order_of_the_files():
    """One object a line, keys of the contract, exit 1 because one failed."""
    files = [WRONG / "missing_scale.py", REFERENCE, WRONG / "syntax_error.py"]
    done = _tutor("check", SLUG, *files, "--json")
    assert done.returncode == 1
    verdicts = _verdicts(done)
    assert [verdict["file"] for verdict in verdicts] == [str(file) for file in files]
    assert [verdict["status"] for verdict in verdicts] == ["failed", "passed", "failed"]
    assert [verdict["ending"] for verdict in verdicts] == ["returned", "returned", "did_not_load"]
    keys = "format exercise file source_sha256 checker_version status ending milestones diagnosis error device isolation seconds"
    assert set(keys.split()) <= set(verdicts[0])
    assert verdicts[0]["format"] == 1
    assert set(verdicts[0]["milestones"][0]) == {"id", "title", "status", "checks"}
    wanted = {"id", "title", "status", "message", "expected", "actual", "line"}
    assert wanted <= set(verdicts[0]["milestones"][0]["checks"][0])
    assert set(verdicts[2]["error"]) == {"type", "message", "line", "explanation"}
    assert verdicts[2]["error"]["line"] == 20


def test_standard_input_and_exit_zero():
    """A dash reads one submission from standard input; all passed is 0."""
    done = _tutor("check", SLUG, "-", "--json", stdin=REFERENCE.read_bytes())
    assert done.returncode == 0
    assert _verdicts(done)[0]["file"] == "-"


def test_a_seed_replays_a_verdict():
    """The same seed gives the same numbers, so the same message to the last digit."""
    first, second = (
        _verdicts(_tutor("check", SLUG, WRONG / "missing_scale.py", "--json", "--seed", 7))[0] for _ in range(2)
    )
    assert first["seed"] == second["seed"] == 7
    assert first["milestones"] == second["milestones"]


def test_the_readable_report_says_what_was_wanted_and_what_next():
    """For people: the failing check with its line, what was wanted, what came and the next step."""
    done = _tutor("check", SLUG, WRONG / "undefined_name.py")
    text = done.stdout.decode()
    assert done.returncode == 1
    for part in (
        "✗ forward",
        "line 24",
        "math is used but nothing in this file defines it",
        "wanted:",
        "got:",
        "next:",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("name", "sentence", "line"),
    [
        ("large", "70,000 bytes; at most 65,536", None),
        ("latin1", "is not UTF-8 text", 1),
        ("nul", "Line 2 contains a NUL character", 2),
        ("empty", "There is no code", None),
        ("notebook", "Line 1 is a notebook command", 1),
    ],
)
def test_what_is_no_submission_gets_a_sentence(bad_files, name, sentence, line):
    """Bad input fails with one plain sentence, its line, and no traceback."""
    verdict = bad_files[name]
    assert (verdict["status"], verdict["ending"]) == ("failed", "did_not_load")
    check = verdict["milestones"][0]["checks"][0]
    assert sentence in check["message"]
    assert check["line"] == verdict["error"]["line"] == line
    assert check["next_step"]


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(bad_files):
    """A file saved by a Windows editor passes like any other."""
    assert bad_files["bom"]["status"] == "passed"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("check", "no-such-exercise", REFERENCE), "There is no exercise called “no-such-exercise”"),
        (("check", SLUG, "nowhere.py"), "nowhere.py cannot be read: No such file or directory"),
        (("check", SLUG, "tests"), "Is a directory"),
        (("check", SLUG), "Missing argument"),
        (("lint", "no-such-exercise"), "No exercise is called no-such-exercise"),
    ],
)
def test_usage_is_two(arguments, sentence):
    """Wrong usage ends with 2 and says what is there instead."""
    done = _tutor(*arguments)
    assert done.returncode == 2
    assert sentence in (done.stdout + done.stderr).decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"TUTOR_WORKERS": "many"}, "TUTOR_WORKERS=many: a whole number is wanted."),
        ({"TUTOR_WORKERS": "0"}, "TUTOR_WORKERS=0: at least 1 is wanted."),
        ({"TUTOR_CASE_SECONDS": "61"}, "TUTOR_CASE_SECONDS=61: at most 60"),
        ({"TUTOR_DEVICE": "tpu"}, "TUTOR_DEVICE=tpu: one of these is wanted: 'auto', 'cpu' or 'cuda'"),
        ({"TUTOR_DEVICE": "cuda"}, "Set TUTOR_DEVICE to cpu or auto"),
    ],
)
def test_a_wrong_setting_is_named(environment, sentence):
    """A setting that cannot work is named with its value."""
    done = _tutor("check", SLUG, REFERENCE, **environment)
    assert done.returncode == 2
    assert sentence in done.stderr.decode().replace("\n", " ")
    assert b"Traceback" not in done.stderr


def test_doctor_says_in_words_what_there_is(tmp_path):
    """Machine, device, isolation, database and queue."""
    done = _tutor("doctor", TUTOR_HOME=str(tmp_path))
    text = done.stdout.decode()
    assert done.returncode == 0
    for part in (
        "Device",
        "cpu",
        "Isolation",
        "seccomp",
        "Database",
        "sqlite",
        "Queue",
        "can be checked on this machine",
    ):
        assert part in text


def test_new_exercises_are_in_order_and_linted_side_by_side(tmp_path):
    """What ``new`` writes has nothing to complain of; reports come in the order of the names, a complaint whole from its process."""
    for name in ("first", "second", "third"):
        assert "When lint is content" in _tutor("new", name, "--folder", str(tmp_path)).stdout.decode()
    (tmp_path / "second" / "statement.md").unlink()
    done = _tutor("lint", "first", "second", "third", TUTOR_EXERCISES=str(tmp_path))
    report = done.stdout.decode()
    assert done.returncode == 1
    assert report.index("✓ first") < report.index("✗ second") < report.index("✓ third")
    assert "second/statement.md: is not there" in report


def test_what_lints_ends_with_the_command():
    """A command that is killed can end nothing itself; its processes see that it is gone, though they have minutes of work left."""
    command = [sys.executable, "-m", "tutor", "lint", "causal-attention", "gpt2-attention"]
    lint = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: len(_spawned(lint.pid)) == 2, 60)
        spawned = _spawned(lint.pid)
    finally:
        lint.kill()
        lint.wait()
    assert eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in spawned), 10)


def _spawned(pid):
    children = (int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_bench_prints_ratios_in_one_object():
    """The figures of the contract, from one run."""
    done = _tutor("bench", "--json", "--runs", "10")
    report = json.loads(done.stdout)
    assert report["floor_ms"]["median"] > 0
    assert report["verdict_to_floor"] == pytest.approx(
        report["verdict_ms"]["median"] / report["floor_ms"]["median"], abs=0.01
    )
    assert report["start_to_first_verdict_seconds"] > 0
    assert set(report["verdicts_per_second"]) == {
        str(number) for number in range(1, len(report["verdicts_per_second"]) + 1)
    }


def test_nothing_a_submission_says_reaches_the_terminal_as_a_command(tmp_path):
    """An exception with escape sequences in its text is shown without them."""
    hostile = tmp_path / "hostile.py"
    hostile.write_text('raise ValueError("\\x1b]0;owned\\x07\\x1b[2J\\u202e")\n')
    done = _tutor("check", SLUG, hostile)
    assert done.returncode == 1
    assert b"owned" in done.stdout
    assert not {b"\x1b]", b"\x07", "\u202e".encode()} & {
        part for part in (b"\x1b]", b"\x07", "\u202e".encode()) if part in done.stdout
    }


@pytest.mark.parametrize("seed", ["-1", str(2**63), "x"])
def test_an_impossible_seed_is_usage(seed):
    """A seed outside its range is refused before anything starts."""
    assert _tutor("check", SLUG, REFERENCE, "--seed", seed).returncode == 2


def test_without_walls_the_command_line_says_so(checker, monkeypatch, capsys):
    """Whoever checks files on a machine without walls reads it beside the verdicts, and machines read the verdicts alone."""

    class WithoutWalls:
        proof = Proof(holes=("open a file (succeeded)",))

        def check(self, *arguments, **options):
            return checker.check(*arguments, **options)

        def close(self):
            """Nothing of its own."""

    monkeypatch.setattr(check, "open_checker", lambda settings, catalog: WithoutWalls())
    assert check.check_files(Settings(), SLUG, [str(REFERENCE)], as_json=True, seed=1) == 0
    out, err = capsys.readouterr()
    assert "WITHOUT walls that hold, because TUTOR_UNSAFE_RUN_WITHOUT_WALLS is set" in err
    assert json.loads(out)["status"] == "passed"
