"""What came back from a worker, and whose fault its end is."""

from __future__ import annotations

import json
import signal

import pytest
import torch

from checkers.base import Ending, Stage
from tutor.errors import SandboxError
from tutor.observing import observations, observe_here
from tutor.planning import plan
from tutor.sandbox.run import Frame, Run


def _report(name, **changes):
    header = {"case": name, "stage": "construct", "ending": "returned", "seconds": 0.0, "calls": []}
    return Frame(json.dumps(header | changes).encode(), ())


def _run(frames, ending="done", **changes):
    fields = {"signal": None, "exit_code": None, "out_of_memory": False, "printed": "", "seconds": 0.0}
    return Run(tuple(frames), ending, **(fields | {"timed_out_after": None} | changes))


@pytest.fixture(scope="module")
def planned(exercise):
    """One attempt's cases."""
    return plan(exercise, 5)


def _names(planned, count):
    return ["load", *(case["name"] for case in planned.cases)][:count]


def _first(planned, count):
    return [_report(name, stage="load" if name == "load" else "construct") for name in _names(planned, count)]


@pytest.mark.parametrize(
    ("ending", "changes", "wanted"),
    [
        ("timed_out", {"timed_out_after": 3.0}, Ending.TIMED_OUT),
        ("exited", {"exit_code": 96, "out_of_memory": True}, Ending.OUT_OF_MEMORY),
        ("exited", {"exit_code": 0}, Ending.KILLED),
        ("signalled", {"signal": signal.SIGSEGV}, Ending.KILLED),
        ("too_big", {}, Ending.KILLED),
        ("garbage", {}, Ending.KILLED),
    ],
)
def test_the_end_lies_on_the_case_it_happened_in(planned, ending, changes, wanted):
    """Two reports arrived; the third case carries the end, and nothing behind it was seen."""
    seen = observations(planned, _run(_first(planned, 2), ending, **changes))
    names = _names(planned, 3)
    assert list(seen) == names
    assert (seen[names[2]].ending, seen[names[2]].stage) == (wanted, Stage.CONSTRUCT)


def test_a_kill_from_outside_is_ours(planned):
    """Student code cannot send SIGKILL, so whoever did, the submission is not judged."""
    with pytest.raises(SandboxError, match="killed from outside"):
        observations(planned, _run(_first(planned, 2), "signalled", signal=signal.SIGKILL))


@pytest.mark.parametrize(
    "forged",
    [
        _report("somewhere else"),
        Frame(b"not json", ()),
        Frame(b'{"case": "load"}', ()),
        Frame(b"[" * 100_000, ()),
        _report("count-h8", calls=[{"container": "tensor", "items": [{"tensor": 7}]}]),
        _report("count-h8", calls=[{"container": "none", "items": [{"other": "None"}]}]),
        _report("count-h8", seconds=-1.0),
        _report("count-h8", surprise=True),
    ],
)
def test_what_the_observer_would_not_write_is_no_report(planned, forged):
    """Another case, no JSON, a tensor that is not there, a call nobody asked for: the case counts as killed."""
    seen = observations(planned, _run([*_first(planned, 1), forged]))
    assert seen["count-h8"].ending is Ending.KILLED
    assert list(seen) == ["load", "count-h8"]


def test_a_called_case_must_bring_every_call(exercise):
    """A report that returned without its calls would pass what only looks at calls."""
    whole = plan(exercise, 5)
    called = next(case for case in whole.cases if case["calls"])
    planned = type(whole)(whole.entry, whole.roles, (called,), whole.tensors)
    empty = _report(called["name"], stage="call")
    assert observations(planned, _run([*_first(planned, 1), empty]))[called["name"]].ending is Ending.KILLED
    item = {"container": "tensor", "items": [{"tensor": 0}]}
    full = Frame(_report(called["name"], stage="call", calls=[item]).header, (torch.zeros(1),))
    assert observations(planned, _run([*_first(planned, 1), full]))[called["name"]].ending is Ending.RETURNED


def test_an_exercise_that_is_gone_can_still_end_as_broken(checker):
    """A submission to an exercise that was removed must not be tried for ever."""
    verdict = checker.broken("removed-exercise", 3, b"x = 1\n", "There is no such exercise any more.")
    assert (verdict.status, verdict.exercise, verdict.exercise_version) == ("broken", "removed-exercise", 3)
    assert verdict.milestones == ()


def test_a_broken_verdict_blames_nobody(checker, exercise):
    """Every milestone says broken; the reason is for the operator, the explanation for the student."""
    verdict = checker.broken(exercise.slug, exercise.version, b"x = 1\n", "The disk is full.", file="a.py")
    assert {milestone.status for milestone in verdict.milestones} == {"broken"}
    assert verdict.error.message == "The disk is full."
    assert "our fault" in verdict.error.explanation


def test_a_source_of_ours_leaves_torch_as_it_was(exercise):
    """What a source sets at its top holds for itself alone: the reference's gradients come after it, in the same process."""
    top = "import torch\ntorch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\n"
    seen = observe_here(plan(exercise, 3), f"{top}class MultiHeadAttention: ...")
    assert seen["load"].ending is Ending.RETURNED
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() is torch.float32
