"""From observations to outcomes: the check graph, endings, and who is to blame."""

from __future__ import annotations

import pytest

from checkers.base import Ending, Fault, Observation, Stage
from tutor.expected import Reference
from tutor.judge import assess, overall
from tutor.model import CheckOutcome, Status
from tutor.observing import observe_here
from tutor.planning import plan


def _statuses(assessment):
    return {milestone.id: milestone.status for milestone in assessment.milestones}


def _check(assessment, milestone_id, check_id):
    milestone = next(milestone for milestone in assessment.milestones if milestone.id == milestone_id)
    return next(check for check in milestone.checks if check.id == check_id)


def test_the_reference_passes_everything(exercise, judged):
    """The right answer is right."""
    assert set(_statuses(judged(exercise.reference)).values()) == {Status.PASSED}


def test_a_failed_need_means_not_run(exercise, judged):
    """A missing scale fails one-head; what builds on it is not run rather than failed too."""
    source = exercise.reference.replace(" / math.sqrt(self.d_k)", "")
    assessment = judged(source)
    assert _statuses(assessment) == {
        "skeleton": Status.PASSED,
        "forward": Status.PASSED,
        "one-head": Status.FAILED,
        "split-order": Status.NOT_RUN,
        "causal": Status.NOT_RUN,
    }
    assert (
        _check(assessment, "split-order", "equal").message
        == "Waits for “h = 1 gives the numbers of single-head attention”."
    )


def test_a_name_costs_the_naming_check_only(exercise, judged):
    """Matrices called query, key, value and out_proj are judged like any others."""
    source = exercise.reference
    for name, other in (("W_Q", "query"), ("W_K", "key"), ("W_V", "value"), ("W_O", "out_proj")):
        source = source.replace(f"self.{name}", f"self.{other}")
    failed = [(m.id, c.id) for m in judged(source).milestones for c in m.checks if c.status is not Status.PASSED]
    assert failed == [("skeleton", "names")]


def test_a_bias_costs_the_bias_and_the_count(exercise, judged):
    """With a bias left on, the numbers are still judged, with the biases at zero."""
    source = exercise.reference.replace(", bias=False", "")
    failed = [(m.id, c.id) for m in judged(source).milestones for c in m.checks if c.status is not Status.PASSED]
    assert failed == [("skeleton", "no-bias"), ("skeleton", "count")]


def _reached(exercise, last, ending, fault=None, seconds=0.0):
    planned = plan(exercise, 1)
    seen = dict(observe_here(planned, exercise.reference))
    names = list(seen)
    cut = names.index(last)
    kept = {name: seen[name] for name in names[:cut]}
    kept[last] = Observation(last, ending, Stage.CALL, fault, seconds=seconds)
    return assess(exercise, exercise.reference, kept, Reference(exercise).observe(planned))


def test_a_time_out_fails_where_it_happened_and_nothing_behind_it(exercise):
    """The case that was stopped fails its check; cases that were never reached are not run."""
    assessment = _reached(exercise, "lengths", Ending.TIMED_OUT, seconds=3.0)
    assert assessment.ending is Ending.TIMED_OUT
    assert _check(assessment, "forward", "lengths").status is Status.FAILED
    assert "3.0 seconds" in _check(assessment, "forward", "lengths").message
    assert _check(assessment, "forward", "indivisible").status is Status.NOT_RUN
    assert "not reached" in _check(assessment, "forward", "repeats").message


@pytest.mark.parametrize("ending", [Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.KILLED])
@pytest.mark.parametrize(
    ("last", "fails"),
    [
        ("load", "skeleton/loads"),
        ("count-h8", "skeleton/constructs"),
        ("count-h1", "skeleton/count"),
        ("count-h16", "skeleton/count"),
        ("plain", "forward/runs"),
        ("indivisible", "forward/indivisible"),
        ("masks-even", "causal/any-mask"),
    ],
)
def test_no_ending_but_a_return_can_pass(exercise, ending, last, fails):
    """Whatever the process did instead of returning fails exactly one check, the first that meets it, and passes none behind it."""
    assessment = _reached(exercise, last, ending, Fault("Exited", "the process ended with code 0"))
    failed = [f"{m.id}/{c.id}" for m in assessment.milestones for c in m.checks if c.status is Status.FAILED]
    assert (assessment.status, assessment.ending) == (Status.FAILED, ending)
    assert failed == [fails]


def test_an_error_carries_the_students_line(exercise, judged):
    """The top-level error repeats type, line and meaning."""
    source = exercise.reference.replace("        output = self.W_O(merged)", "        output = self.W_O(mergd)")
    error = judged(source).error
    line = source.splitlines().index("        output = self.W_O(mergd)  # (B, T_q, d_model)") + 1
    assert (error.type, error.line) == ("NameError", line)
    assert "(did you mean merged?)" in error.explanation


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "not_run"], "not_run"),
        (["not_run", "failed"], "failed"),
        (["failed", "broken"], "broken"),
    ],
)
def test_a_milestone_is_as_its_gravest_check(statuses, wanted):
    """Broken beats failed beats not run beats passed."""
    outcomes = [CheckOutcome(id=str(n), title="t", status=Status(status)) for n, status in enumerate(statuses)]
    assert overall(outcomes) is Status(wanted)
