"""Texts that are hostile to parsers, patterns and walks: read in bounded work, or refused with a sentence."""

from __future__ import annotations

import ast
import threading
from dataclasses import replace

import pytest

from checkers._moves import Moves
from checkers._nodes import live
from checkers._parsing import MOST_LEVELS, MOST_NODES, parse
from checkers._source import MOST_CALLS, RunningCode
from checkers.base import Ending, Fault, Observation, Seen, Stage, Step
from tests.hostile import Trusted
from tutor.explain import NESTED, UNREAD
from tutor.intake import Limits
from tutor.legible import legible
from tutor.locate import SECONDS, SECONDS_IN_ALL, Searches
from tutor.model import Assessment, CheckOutcome, Status

LIMIT = Limits().source_bytes
ENTRY = "MultiHeadAttention"


def _chain(count: int) -> str:
    """The entry leads to all of them, one after the other; only the last one works."""
    functions = "".join(f"def f{number}(): f{number + 1}()\n" for number in range(count))
    return f"{functions}def f{count}(): a @ b\nf0 = {ENTRY}.forward = f0\n"


# Each is put behind the right answer; those that are read, and those that are too much.
READ = {
    "comments": "#" * 50_000,
    "lines": "\n" * 50_000,
    "spaces": " " * 50_000,
    "form feeds": "\f\n" * 20_000,
    "line separators": "x = '" + "\u2028" * 15_000 + "'\n",
    "a huge number": "x = " + "9" * 4_000 + "\n",
    "a huge number in hexadecimals": "x = 0x" + "f" * 50_000 + "\n",
    "a long text": "x = '" + "a" * 50_000 + "'\n",
    "a text of many lines": "x = '''" + "\n" * 50_000 + "'''\n",
    "a large f-string": "x = f'" + "{a}" * 2_000 + "'\n",
    "functions that call each other": _chain(1_200),
    "deep attributes": "x = a" + ".to(b)" * 450 + "\n",
    "deep sums": "x = " + " + ".join(["a"] * 900) + "\n",
    "many branches": "if a:\n  b\n" + "elif a:\n  b\n" * 300,
    "blocks in blocks": "".join(f"{' ' * n}def f():\n" for n in range(90)) + " " * 90 + ";".join(["x = 1"] * 3_000) + "\n",
    "loops": "[a for a in b]\n" * 1_500,
    "one long line": "x = 1;" * 3_000 + "\n",
    "moves": "x = a.to(b)\n" * 1_500,
    "many short lines": "x=1\n" * 12_000,
    "almost patterns": "self.W_Q = (nn.Linear)\n" * 1_200,
    "words of patterns": "#\n" + "x = [" + "F.softmax, Linear, view, " * 900 + "]\n",
}  # fmt: skip
TOO_MUCH = {
    "statements": "x\n" * 21_000,
    "names": "x=" + "a," * 30_200 + "a\n",
    "signs": "x=" + "~" * 2_900 + "1\n",
    "levels": "x=a" + ".b" * 2_900 + "\n",
    "branches": "if a:\n  b\n" + "elif a:\n  b\n" * 2_900,
    "more than Python reads": "x=" + "~" * 50_000 + "1\n",
    "a number of digits that Python refuses": "x=" + "9" * 50_000 + "\n",
    "pieces of an f-string": "x=f'" + "{a}" * 20_200 + "'\n",
}


@pytest.fixture(scope="module")
def trusted(catalog) -> Trusted:
    return Trusted.of(catalog["multi-head-attention"])


def _wrong_everywhere(trusted: Trusted) -> Seen:
    """The right answer's observations, changed so that every check looks into the text for a line."""
    seen = {}
    for case, one in trusted.right.items():
        tape = tuple(
            replace(step, name="to", device="text", takes=("Q",), shapes=((2, 2),), line=9) for step in one.tape
        )
        calls = tuple(
            replace(
                call,
                operations=("matmul",) * (900 if case == "many-heads" else 9) if call.operations else (),
                disturbed=("training", "random", "parameters", "weight:W_Q.weight"),
            )
            for call in one.calls
        )
        seen[case] = replace(one, tape=tape, calls=calls)
    return seen


def _failed(assessment: Assessment) -> list[CheckOutcome]:
    return [check for one in assessment.milestones for check in one.checks if check.status is Status.FAILED]


@pytest.mark.parametrize("name", READ)
def test_a_hostile_text_is_read(trusted, name: str) -> None:
    """What Python reads is read, however it is laid out: each check finds what it found without the rest."""
    source = trusted.exercise.reference + "\n" + READ[name]
    assert len(source.encode()) <= LIMIT
    seen = _wrong_everywhere(trusted)
    assessment, explained = trusted.judge(source, seen)
    plain, _ = trusted.judge(trusted.exercise.reference, seen)
    assert [check.code for check in _failed(assessment)] == [check.code for check in _failed(plain)]
    assert explained.evidence is not None


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_text_that_is_too_much_is_refused_with_a_sentence(trusted, name: str) -> None:
    """It ran, and its numbers are right; but what cannot be read is not judged unread: it counts as not loaded, and says what to do."""
    source = trusted.exercise.reference + "\n" + TOO_MUCH[name]
    assert len(source.encode()) <= LIMIT
    assessment, explained = trusted.judge(source, trusted.right)
    (check,) = _failed(assessment)
    assert (check.id, check.code) == ("loads", Ending.DID_NOT_LOAD)
    assert (check.message, check.next_step) == (UNREAD.message, UNREAD.next_step)
    assert assessment.ending is Ending.DID_NOT_LOAD
    assert explained.diagnosis is None


def test_what_may_be_read_has_limits_that_do_not_depend_on_who_asks() -> None:
    """So many nodes and levels and not one more, on a thread as well as far down in a stack of calls."""
    levels = "x = " + "~" * (MOST_LEVELS - 3) + "1"
    nodes = "\n".join(["x"] * ((MOST_NODES - 1) // 3))

    def far_down(text: str, calls: int) -> ast.Module | None:
        return far_down(text, calls - 1) if calls else parse.__wrapped__(text)

    for text in (levels, nodes):
        assert parse(text) is not None
        assert far_down(text, 400) is not None
    assert parse(levels.replace("1", "~1")) is None
    assert parse(f"{nodes}\nx") is None
    found: list[ast.Module | None] = []
    thread = threading.Thread(target=lambda: found.append(parse.__wrapped__(levels)))
    thread.start()
    thread.join()
    assert found != [None]


def test_what_python_warns_of_is_not_for_the_log(capfd) -> None:
    """A text with a thousand doubtful numbers and escapes is read, and leaves nothing in the log."""
    assert parse("x = 1or 2\ny = '\\d'\n" * 500) is not None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("ending", [Ending.TIMED_OUT, Ending.KILLED, Ending.OUT_OF_MEMORY])
def test_a_text_that_broke_the_worker_is_not_parsed_here(trusted, monkeypatch, ending: Ending) -> None:
    """Where reading the file ended or held up the worker, nobody on this side tries the same."""
    seen = {"load": Observation("load", ending, Stage.LOAD, seconds=3.0)}
    texts: list[str] = []
    monkeypatch.setattr(ast, "parse", lambda text, *_, **__: texts.append(text) or ast.Module([], []))
    parse.cache_clear()
    assessment, _ = trusted.judge("x = (((", seen)
    parse.cache_clear()
    assert assessment.ending is ending
    assert "x = (((" not in texts
    assert legible("x = 1", {"load": replace(trusted.right["load"])}) == "x = 1"


@pytest.mark.parametrize("fault", ["RecursionError", "MemoryError"])
def test_what_python_itself_cannot_read_is_told(trusted, fault: str) -> None:
    """Python gave up on a nested expression behind the walls."""
    ending = Ending.OUT_OF_MEMORY if fault == "MemoryError" else Ending.DID_NOT_LOAD
    seen = {"load": Observation("load", ending, Stage.LOAD, Fault(fault, "too deep"))}
    assessment, _ = trusted.judge("x=" + "~" * 50_000 + "1", seen)
    assert _failed(assessment)[0].message == NESTED.message


# --- walks -----------------------------------------------------------------------------------------------------------


def test_each_node_is_met_once_however_deep_functions_lie_in_functions() -> None:
    """Every function of the nest is reached by itself, too; what lies in all of them is looked at once."""
    nest = "".join(f"{' ' * n}def f{n}():\n{' ' * n} f{n + 1}()\n" for n in range(80)) + " " * 80 + "a @ b\n"
    code = RunningCode(nest, "f0")
    assert len(code.running) > 1
    assert len(code.nodes) == len(set(code.nodes)) <= len(list(ast.walk(code.tree)))
    assert live(code.tree, met=set(ast.walk(code.tree))) == []


def test_the_loop_is_looked_for_a_few_calls_further_out_only() -> None:
    """A product in a helper of a helper is found; a chain of a thousand helpers ends the search."""

    def loop(calls: int) -> int | None:
        chain = "".join(f"def f{n}():\n  f{n + 1}()\n" for n in range(1, calls))
        source = f"def entry():\n  for a in b:\n    f1()\n{chain}def f{calls}():\n  a @ b\n"
        return RunningCode(source, "entry").loop_around(frozenset({source.count("\n")}))

    assert loop(2) == loop(MOST_CALLS - 1) == 2
    assert loop(1_000) is None


def test_functions_that_call_each_other_in_a_ring_have_no_loop() -> None:
    """The search ends where nothing new is found."""
    source = "def entry():\n  f()\ndef f():\n  g()\n  a @ b\ndef g():\n  f()\n"
    assert RunningCode(source, "entry").loop_around(frozenset({5})) is None


@pytest.mark.parametrize(("end", "goes_on"), [("", True), (".item()", False)])
def test_a_move_deep_in_an_expression_is_found(end: str, goes_on: bool) -> None:
    """No depth that is read is too deep, and what stands around counts over any distance."""
    source = "y = " + "(" * 90 + "x.to(d)" + " + 1)" * 90 + ".abs()" * 300 + end + "\n"
    assert Moves(source).replaces(Step("to", 1)) is goes_on


def test_all_searches_together_have_one_limit(monkeypatch) -> None:
    """A text on which every pattern runs for ever costs the limit once, not once for every pattern."""
    searches, text = Searches(), "a" * 40_000 + "b"
    tried = int(SECONDS_IN_ALL / SECONDS) * 4
    assert not any(searches.contains(rf"(a|aa)+$|{number}", text) for number in range(tried))
    assert searches._left <= 0
    asked: list[str] = []
    monkeypatch.setattr("tutor.locate.regex.search", lambda *args, **_: asked.append(args[0]))
    assert not searches.contains("a", text)
    assert not searches.lacks("c", text)
    assert searches.line_of("a", text) is None
    assert asked == []
    assert Searches().lacks("c", text)
