"""From observations to outcomes: the check graph, endings, and who is to blame."""

from __future__ import annotations

import pytest

from checkers.base import Ending, Fault, Observation, Stage
from tutor.content import Check, Milestone
from tutor.expected import Reference
from tutor.judge import assess, facts, give_up, overall, refuse
from tutor.model import CheckOutcome, Refusal, Status
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
    stage = Stage.LOAD if last == "load" else Stage.CALL
    kept[last] = Observation(last, ending, stage, fault, seconds=seconds)
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


@pytest.mark.parametrize(
    ("last", "ending", "fault", "actual"),
    [
        ("load", Ending.DID_NOT_LOAD, Fault("NameError", "name 'x' is not defined", 3), "NameError: name 'x' is not defined"),
        ("load", Ending.DID_NOT_LOAD, Fault("MissingEntry", "Other"), "no such name"),
        ("plain", Ending.RAISED, Fault("ValueError", "odd", 12), "ValueError: odd"),
        ("plain", Ending.TIMED_OUT, None, "stopped after 2.5 seconds"),
        ("plain", Ending.OUT_OF_MEMORY, Fault("MemoryError", "", 5), "out of memory"),
        ("plain", Ending.KILLED, None, "the process ended"),
    ],
)  # fmt: skip
def test_an_ending_says_what_was_wanted_and_what_was_seen(exercise, last, ending, fault, actual):
    """The code of a failed check is the ending; the error repeats it with its line and the case it ended."""
    expected = "the file runs and defines MultiHeadAttention" if last == "load" else "the code runs to its end"
    assessment = _reached(exercise, last, ending, fault, seconds=2.5)
    check = next(c for m in assessment.milestones for c in m.checks if c.status is Status.FAILED)
    assert (check.code, check.expected, check.actual) == (ending.value, expected, actual)
    assert check.line == assessment.error.line == (fault.line if fault else None)
    assert check.message
    assert check.next_step
    assert assessment.error.explanation == f"{check.message} {check.next_step}"
    assert assessment.error.type == (fault.type if fault else ending.value)
    assert assessment.error.message == (fault.message if fault else check.message)
    assert assessment.case == last


def test_a_long_message_is_cut(exercise):
    """What was seen has room for 400 characters; more is no help to anybody."""
    assessment = _reached(exercise, "plain", Ending.RAISED, Fault("ValueError", "x" * 2_000, 12))
    assert _check(assessment, "forward", "runs").actual == f"ValueError: {'x' * 388}"


def test_what_passed_carries_no_words_and_ends_nowhere(exercise, judged):
    """A passed assessment has no error, no case that was ended, and only ids, titles and statuses."""
    assessment = judged(exercise.reference)
    assert (assessment.status, assessment.ending) == (Status.PASSED, Ending.RETURNED)
    assert (assessment.error, assessment.case) == (None, "")
    titles = {(m.id, c.id): c.title for m in exercise.milestones for c in m.checks}
    for milestone in assessment.milestones:
        for check in milestone.checks:
            assert check == CheckOutcome(id=check.id, title=titles[milestone.id, check.id], status=Status.PASSED)


def test_what_waits_names_the_root(exercise, judged):
    """A check far behind the failed one names that one, not another that waits, too."""
    assessment = judged("x = 1")
    assert _check(assessment, "skeleton", "loads").status is Status.FAILED
    waiting = [c for m in assessment.milestones for c in m.checks if c.status is not Status.FAILED]
    title = _check(assessment, "skeleton", "loads").title
    assert {(check.status, check.message) for check in waiting} == {(Status.NOT_RUN, f"Waits for “{title}”.")}


def test_an_ending_behind_a_failed_check_is_carried_by_the_first_that_misses_its_case(exercise):
    """The case that was killed belongs to a check that waits; whichever check needs nothing and finds its case unreached carries it."""
    checks = (
        Check(id="first", title="First", kind="completes", cases=("plain",)),
        Check(id="waits", title="Waits", kind="completes", cases=("lengths",), needs=("all/first",)),
        Check(id="free", title="Free", kind="completes", cases=("repeated",)),
        Check(id="later", title="Later", kind="completes", cases=("sizes",)),
    )
    milestone = Milestone(id="all", title="All", goal="All of it.", checks=checks)
    seen = {
        "plain": Observation("plain", Ending.RAISED, Stage.CALL, Fault("ValueError", "odd", 12)),
        "causal": Observation("causal", Ending.RETURNED),
        "lengths": Observation("lengths", Ending.KILLED, Stage.CALL),
    }
    assessment = assess(exercise.model_copy(update={"milestones": (milestone,)}), "", seen, {})
    outcomes = assessment.milestones[0].checks
    assert [check.status.value for check in outcomes] == ["failed", "not_run", "failed", "not_run"]
    assert [check.code for check in outcomes] == ["raised", "", "killed", ""]
    assert outcomes[3].message == "Was not reached, because the run ended before."


def test_a_refused_text_fails_the_first_check_only(exercise):
    """Its sentence stands on that check and on the error; nothing else is run, and nothing is said of it."""
    refusal = Refusal(code="too-large", message="It is too large.", next_step="Shorten it.", line=7)
    assessment = refuse(exercise, refusal)
    first, *others = [c for m in assessment.milestones for c in m.checks]
    assert (assessment.status, assessment.ending) == (Status.FAILED, Ending.DID_NOT_LOAD)
    assert [m.status for m in assessment.milestones] == [Status.FAILED, *[Status.NOT_RUN] * 4]
    assert [(m.id, m.title) for m in assessment.milestones] == [(m.id, m.title) for m in exercise.milestones]
    assert first == CheckOutcome(
        id="loads",
        title=exercise.milestones[0].checks[0].title,
        status=Status.FAILED,
        code="too-large",
        message="It is too large.",
        expected="a text that Python can read",
        actual="no such text",
        next_step="Shorten it.",
        line=7,
    )
    assert {(c.status, c.message, c.code) for c in others} == {(Status.NOT_RUN, "", "")}
    assert all(c.title for c in others)
    error = assessment.error
    assert (error.type, error.message, error.line) == ("Refused", "It is too large.", 7)
    assert error.explanation == "It is too large. Shorten it."


def test_what_we_could_not_finish_counts_against_nobody(exercise):
    """Every check is broken, the reason is for the operator, the sentence for the student."""
    assessment = give_up(exercise.milestones, "the zygote died")
    assert (assessment.status, assessment.ending) == (Status.BROKEN, Ending.KILLED)
    assert {m.status for m in assessment.milestones} == {c.status for m in assessment.milestones for c in m.checks}
    assert {m.status for m in assessment.milestones} == {Status.BROKEN}
    assert (assessment.error.type, assessment.error.message) == ("Broken", "the zygote died")
    assert assessment.error.explanation.startswith("The checker could not finish.")
    assert give_up((), "gone").milestones == ()


def test_checks_know_the_exercise_and_nothing_more(exercise):
    """Names, shapes, sizes of every call, what is forbidden, and the text."""
    about = facts(exercise, "x = 1")
    assert (about.entry, about.source) == ("MultiHeadAttention", "x = 1")
    assert about.roles["W_Q"] == "d_model d_model"
    assert list(about.returns) == ["output", "attn_w"]
    assert about.dims_of("sizes", 0) == exercise.case("sizes").dims
    assert about.dims_of("sizes", 1) == {**exercise.case("sizes").dims, **exercise.case("sizes").again[0].dims}
    assert "MultiheadAttention" in about.forbidden_calls


def test_checks_know_whether_a_class_or_a_function_is_asked_for(catalog):
    """What is called in a sentence depends on it; a text that nobody gave is empty."""
    about = [facts(catalog[slug]) for slug in ("multi-head-attention", "scaled-dot-product-attention")]
    assert [(one.kind, one.source) for one in about] == [("class", ""), ("function", "")]


@pytest.mark.parametrize(
    "leak",
    [
        "attn_w.clamp(min=1e-6)",
        "attn_w + 1e-7",
        "attn_w.clamp(min=1e-12)",
        "attn_w * (1 - 1e-6) + 1e-6 / attn_w.shape[-1]",
    ],
)
def test_the_smallest_leak_is_seen(exercise, leak):
    """The smallest weight on a forbidden key fails no-leak with every seed, not now and then."""
    source = exercise.reference.replace("context = attn_w @ v_heads", f"context = ({leak}) @ v_heads")
    reference = Reference(exercise)
    for seed in range(8):
        planned = plan(exercise, seed)
        assessment = assess(exercise, source, observe_here(planned, source), reference.observe(planned))
        assert _check(assessment, "causal", "no-leak").status is Status.FAILED


def test_a_new_module_without_a_usable_matrix_fails(exercise, judged):
    """What __init__ leaves as NaN in W_O shows in the output of a fresh module, not in its maps."""
    source = exercise.reference.replace(
        "    def forward(", "        self.W_O.weight.data.fill_(float('nan'))\n\n    def forward(", 1
    )
    failed = [(m.id, c.id) for m in judged(source).milestones for c in m.checks if c.status is Status.FAILED]
    assert failed == [("split-order", "fresh-heads")]
