"""Why a submission failed, in words, with the line: true of what was observed, or nothing at all."""

from __future__ import annotations

import pytest

from tutor.diagnose import Explained, likeliest
from tutor.expected import Reference
from tutor.faults import Fault
from tutor.judge import assess
from tutor.model import Diagnosis
from tutor.observing import observe_here
from tutor.placing import with_places
from tutor.planning import plan
from tutor.proof import changed, edited
from tutor.sandbox.inside.tape import STEPS
from tutor.symptoms import Sign
from tutor.tape import Departure
from tutor.traps import Symptom, Trap, Variant


@pytest.fixture(scope="module")
def explained(exercise):
    """Source → its assessment with places, and what explains it."""
    return _explainer(exercise)


def _explainer(exercise):
    reference = Reference(exercise)
    diagnoser, planned = reference.diagnoser(exercise), plan(exercise, 7)

    def explain(source):
        seen = observe_here(planned, source)
        assessment = assess(exercise, source, seen, reference.observe(planned))
        found = diagnoser.explain(planned, source, seen, assessment)
        return with_places(assessment, found), found

    return explain


def _failed(assessment):
    return [check for milestone in assessment.milestones for check in milestone.checks if check.status == "failed"]


def _line(source, text):
    return next(number for number, line in enumerate(source.splitlines(), start=1) if text in line)


def test_a_known_fault_is_told_with_its_proof_and_its_line(exercise, explained):
    """The sentence, that the reference then gives the same numbers, and the line on the failed check, too."""
    source = changed(exercise.reference, Variant(replace={"scaled": "scores / math.sqrt(Q.shape[-1])"}), exercise)
    assessment, found = explained(source)
    assert found.diagnosis.traps == ("scale-by-model-width",)
    assert "This alone explains every number your code returned." in found.diagnosis.how
    assert found.diagnosis.line == _failed(assessment)[0].line == _line(source, "scaled = scores")
    assert len(found.diagnosis.hints) == 3


def test_a_fault_in_the_numbers_and_one_in_the_structure_are_both_told(exercise, explained):
    """What shows in the constructor first, then what shows in the numbers."""
    source = edited(
        exercise.reference,
        [("self.W_Q = nn.Linear(d_model, d_model, bias=False)", "self.W_Q = nn.Linear(d_model, d_model)")],
        "",
    )
    _, found = explained(changed(source, Variant(replace={"scaled": "scores"}), exercise))
    assert found.diagnosis.traps == ("unwanted-bias", "missing-scale")
    assert found.diagnosis.line == _line(source, "self.W_Q = ")
    assert len(found.diagnosis.hints) == 6


def test_numbers_that_follow_from_the_structure_are_no_second_fault(exercise, explained):
    """One layer under two names makes W_K take part in two roles; that is one fault, not a mix-up as well."""
    source = edited(
        exercise.reference, [("self.W_V = nn.Linear(d_model, d_model, bias=False)", "self.W_V = self.W_K")], ""
    )
    assert explained(source)[1].diagnosis.traps == ("one-layer-many-names",)


def test_a_fault_beside_the_numbers_is_told_in_its_own_sentence_alone(exercise, explained):
    """A bias that the numbers are judged without: nothing about numbers is claimed."""
    source = edited(
        exercise.reference,
        [("self.W_Q = nn.Linear(d_model, d_model, bias=False)", "self.W_Q = nn.Linear(d_model, d_model)")],
        "",
    )
    trap = next(trap for trap in exercise.traps if trap.id == "unwanted-bias")
    assessment, found = explained(source)
    assert found.diagnosis.how == trap.says
    assert [check.line for check in _failed(assessment)] == [None, None]


def test_two_faults_in_the_numbers_are_told_one_after_the_other(exercise, explained):
    """A sentence each, and one for both together."""
    source = changed(exercise.reference, Variant(replace={"scaled": "scores", "output": "{} + Q"}), exercise)
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("missing-scale", "residual-inside")
    assert diagnosis.how == (
        "The scores are not divided by √d_k before the softmax. "
        f"Q is added to the output (line {_line(source, 'output = ')}). "
        "Together they explain every number your code returned."
    )


def test_further_reasons_for_the_same_numbers_are_told_but_not_all(exercise):
    """One is named, at most two more stand behind it, in the order of their sentences."""
    traps = tuple(
        Trap(
            id=name,
            says=f"{name.capitalize()}.",
            hints=("a?", "b", "c"),
            variants=(Variant(replace={"scaled": "scores"}),),
        )
        for name in ("first", "third", "second", "fourth")
    )
    explain = _explainer(exercise.model_copy(update={"traps": traps}))
    diagnosis = explain(changed(exercise.reference, Variant(replace={"scaled": "scores"}), exercise))[1].diagnosis
    assert diagnosis.traps == ("first",)
    assert diagnosis.how == (
        "First. This alone explains every number your code returned. "
        "The same numbers come about otherwise, too: Fourth. Or: Second."
    )


def test_of_equal_reasons_only_the_one_that_shows_beside_the_numbers_is_told(exercise):
    """The others would give the same numbers, too, and are not even mentioned."""
    finding = Symptom(code="differs-from-reference")
    traps = tuple(
        Trap(
            id=name,
            says=f"{name.capitalize()}.",
            hints=("a?", "b", "c"),
            variants=(Variant(replace={"scaled": "scores"}),),
            symptoms=shows,
        )
        for name, shows in (("silent", ()), ("shown", (finding,)))
    )
    explain = _explainer(exercise.model_copy(update={"traps": traps}))
    diagnosis = explain(changed(exercise.reference, Variant(replace={"scaled": "scores"}), exercise))[1].diagnosis
    assert diagnosis.traps == ("shown",)
    assert diagnosis.how == "Shown. This alone explains every number your code returned."


def test_arguments_in_another_order_are_placed_where_they_are_named(exercise, explained):
    """The numbers go wrong where the first one is used; what is to change is the line of the definition."""
    source = edited(exercise.reference, [("(self, Q, K, V, mask=None)", "(self, K, Q, V, mask=None)")], "")
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("argument-order-differs",)
    assert diagnosis.line == _line(source, "def forward")


def test_an_operation_that_raised_is_told_where_what_it_was_given_went_wrong(exercise, explained):
    """Not the product that raised, and not a line beside the way to it that does no harm."""
    lines = (
        "        size = k_heads.norm()",
        "        louder = k_heads * 2",
        "        turned = louder.transpose(1, 3)",
        "        scores = q_heads @ turned",
    )
    source = edited(
        exercise.reference, [("        scores = q_heads @ k_heads.transpose(-2, -1)", "\n".join(lines))], ""
    )
    assessment, found = explained(source)
    assert _failed(assessment)[0].line == _line(source, "scores = ")
    assert found.diagnosis.traps == ("key-transpose-wrong",)
    assert found.diagnosis.line == _line(source, "louder = ")


def test_an_operation_that_raised_is_looked_for_where_it_did(exercise, explained):
    """Calls that went through the same line before tell nothing about it."""
    joined = "context.transpose(1, 2).flatten(2)"
    source = edited(
        exercise.reference,
        [(f"merged = {joined}", f"merged = {joined} if Q.shape[1] == K.shape[1] else context.sum(1)")],
        "",
    )
    assessment, found = explained(source)
    assert _failed(assessment)[0].line == _line(source, "output = ")
    assert found.diagnosis.traps == ("heads-not-concatenated",)
    assert found.diagnosis.line == _line(source, "merged = ")


@pytest.mark.parametrize(
    ("place", "pattern", "line"),
    [
        ("", "def forward", "scaled = "),
        ("line", "def forward", "def forward"),
        ("line", "nowhere", "scaled = "),
    ],
)
def test_a_pattern_gives_the_line_where_the_trap_says_so(exercise, place, pattern, line):
    """Else, and where there is no such text, it is the one that the tape shows."""
    wrong = Variant(replace={"scaled": "scores * 3"})
    trap = Trap(id="tripled", says="S.", hints=("a?", "b", "c"), variants=(wrong,), line=pattern, place=place)
    source = changed(exercise.reference, wrong, exercise)
    diagnosis = _explainer(exercise.model_copy(update={"traps": (trap,)}))(source)[1].diagnosis
    assert diagnosis.traps == ("tripled",)
    assert diagnosis.line == _line(source, line)


def test_what_another_fault_made_of_a_stage_is_not_blamed_on_the_next(exercise):
    """The scores are nowhere whole, so the line is that of what is added at the end, not of the product before it."""
    traps = tuple(
        Trap(id=name, says=f"{name}.", hints=("a?", "b", "c"), variants=(Variant(replace=replace),))
        for name, replace in (("tripled", {"scaled": "{} * 3"}), ("added", {"output": "{} + Q"}))
    )
    source = edited(
        SAMPLE_BY_SAMPLE,
        [
            ("q[b] @ k[b].mT", "q[b] @ k[b].mT / q.shape[-1] ** 0.5 * 3"),
            (
                "        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w",
                "        output = self.W_O((attn_w @ v).transpose(1, 2).flatten(2))\n        return output + Q, attn_w",
            ),
        ],
        "",
    )
    diagnosis = _explainer(exercise.model_copy(update={"traps": traps}))(source)[1].diagnosis
    assert diagnosis.traps == ("tripled", "added")
    assert diagnosis.line == _line(source, "return output + Q")


def test_on_a_tape_that_ends_early_a_stage_is_placed_all_the_same(exercise, explained):
    """Nothing on it leads to what was returned."""
    source = edited(
        exercise.reference,
        [
            (
                "        scaled = scores / math.sqrt(self.d_k)",
                f"        scaled = scores\n        for _ in range({STEPS}):\n            scaled = scaled + 0",
            )
        ],
        "",
    )
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("missing-scale",)
    assert diagnosis.line == _line(source, "scores = ")


def test_a_reason_that_knows_its_line_keeps_it_where_something_raised(exercise, explained):
    """Numbers that leave torch are told on the line that takes them out, whatever was done to them before."""
    source = edited(
        exercise.reference,
        [
            (
                "        scaled = scores / math.sqrt(self.d_k)",
                "        half = scores / 2\n        scaled = torch.tensor(half.numpy())",
            )
        ],
        "",
    )
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("numpy-inside",)
    assert diagnosis.line == _line(source, "half.numpy()")


def test_a_fault_nobody_knows_is_placed_and_not_named(exercise, explained):
    """No trap, but how far all is right and the line that departs, in the next step of the failed check."""
    source = changed(exercise.reference, Variant(replace={"scaled": "scores / math.sqrt(self.d_k) * 1.1"}), exercise)
    assessment, found = explained(source)
    assert found.diagnosis is None
    check = _failed(assessment)[0]
    assert check.line == _line(source, "scaled = scores")
    assert check.next_step.startswith(
        f"All is right up to scaled (line {check.line}); what the same line does next leaves the right way. "
    )


def test_what_comes_after_a_right_result_is_placed(exercise, explained):
    """All stages are there, and still another output is returned."""
    source = edited(exercise.reference, [("return output, attn_w", "return output / 2, attn_w")], "")
    assessment, _ = explained(source)
    assert _failed(assessment)[0].line == _line(source, "return output / 2")


SAMPLE_BY_SAMPLE = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, Q, K, V, mask=None):
        cut = lambda x: x.unflatten(-1, (self.h, -1)).transpose(1, 2)
        q, k, v = cut(self.W_Q(Q)), cut(self.W_K(K)), cut(self.W_V(V))
        maps = []
        for b in range(len(Q)):
            scores = q[b] @ k[b].mT
            if mask is not None:
                scores = scores.masked_fill(~(mask if mask.dim() < 4 else mask[b]), float("-inf"))
            maps.append(scores.softmax(-1))
        attn_w = torch.stack(maps)
        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w
"""


def test_a_fault_in_a_stage_that_is_nowhere_whole_is_placed_where_the_code_departs(explained):
    """Scores of one sample at a time are no stage of the reference: the line is the first that leaves what is there."""
    assessment, found = explained(SAMPLE_BY_SAMPLE)
    assert found.diagnosis.traps == ("missing-scale",)
    assert found.diagnosis.line == found.departure.line == _line(SAMPLE_BY_SAMPLE, "q[b] @ k[b].mT")
    assert _failed(assessment)[0].line == found.diagnosis.line


def test_a_right_branch_is_not_blamed_where_the_fault_would_not_show_in_it(exercise):
    """What adds one to all scores of a row changes no weight, so nothing says that the branch without a mask does otherwise."""
    wrong = Variant(replace={"scaled": "{} + (1 if mask is None else (scores > 0) * 1.0)"})
    trap = Trap(id="raised", says="S.", hints=("a?", "b", "c"), variants=(wrong,))
    whole = (
        "        if mask is None:\n"
        "            attn_w = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)\n"
        "            return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w\n"
    )
    source = edited(
        SAMPLE_BY_SAMPLE,
        [
            ("        maps = []\n", f"{whole}        maps = []\n"),
            (
                "scores = q[b] @ k[b].mT",
                "scores = q[b] @ k[b].mT\n            scores = scores / q.shape[-1] ** 0.5 + (scores > 0) * 1.0",
            ),
        ],
        "",
    )
    diagnosis = _explainer(exercise.model_copy(update={"traps": (trap,)}))(source)[1].diagnosis
    assert diagnosis.traps == ("raised",)
    assert diagnosis.how.endswith("every number your code returned.")
    assert diagnosis.line == _line(source, "q[b] @ k[b].mT")


def test_an_explanation_carries_what_symptoms_were_held_against(exercise, explained):
    """The failed checks, the text, and how far the numbers are off."""
    source = changed(exercise.reference, Variant(replace={"scaled": "scores"}), exercise)
    evidence = explained(source)[1].evidence
    assert list(evidence.failed) == ["one-head/equal"]
    assert (evidence.source, evidence.distance > 0.01) == (source, True)


def test_an_exception_says_how_far_all_was_right(exercise, explained):
    """The last stage before it, with its line."""
    source = edited(
        exercise.reference, [("merged = context.transpose(1, 2).flatten(2)", "merged = context.mystery()")], ""
    )
    assessment, _ = explained(source)
    assert _failed(assessment)[0].next_step.startswith(
        f"Up to context (line {_line(source, 'context = attn_w')}) all is right."
    )


def test_a_passed_submission_needs_no_explanation(exercise, explained):
    """The reference's own numbers are explained by no fault."""
    assert explained(exercise.reference)[1].diagnosis is None


@pytest.mark.parametrize(
    "aside",
    ["print(attn_w.detach().round(decimals=2))", "shown = attn_w.detach().half()", "peek = attn_w.bfloat16().round()"],
)
def test_what_is_only_printed_is_not_what_is_wrong(exercise, explained, aside):
    """Rounding beside the computation loses no precision: the missing scale alone is named."""
    source = edited(
        exercise.reference,
        [("        context = attn_w @", f"        {aside}\n        context = attn_w @")],
        "",
    )
    _, found = explained(changed(source, Variant(replace={"scaled": "scores"}), exercise))
    assert found.diagnosis.traps == ("missing-scale",)


def test_what_changes_nothing_is_not_named_beside_an_exact_fault(exercise, explained):
    """Numbers that another fault gives to the last digit have not been rounded, whatever is on the tape."""
    source = changed(
        exercise.reference, Variant(replace={"scaled": "scores", "masked": "{} + 0 * scaled.round()"}), exercise
    )
    assert explained(source)[1].diagnosis.traps == ("missing-scale",)


def test_a_proof_is_claimed_for_exactly_what_is_named(exercise, explained):
    """Without the consequence of a shared layer the scale alone does not give the numbers, so nobody says that it does."""
    source = edited(
        exercise.reference, [("self.W_K = nn.Linear(d_model, d_model, bias=False)", "self.W_K = self.W_Q")], ""
    )
    _, found = explained(changed(source, Variant(replace={"scaled": "scores"}), exercise))
    told = {trap.id: trap.says for trap in exercise.traps}
    assert found.diagnosis.traps == ("one-layer-many-names", "missing-scale")
    assert found.diagnosis.how == f"{told['one-layer-many-names']} {told['missing-scale']}"


def test_a_call_without_numbers_proves_nothing(exercise, explained):
    """Where the masked calls raise, the proof speaks of the others only."""
    wrong = {"scaled": "scores", "masked": "scaled if mask is None else scaled.masked_fill(mask.nothing, 0.0)"}
    _, found = explained(changed(exercise.reference, Variant(replace=wrong), exercise))
    assert "missing-scale" in found.diagnosis.traps
    assert "every number your code returned in tensors of the right shape." in found.diagnosis.how


def test_one_huge_entry_hides_nothing_in_other_rows(exercise, explained):
    """Halved weights beside a fill of -1e9 are not just a mask that comes too late."""
    wrong = {
        "masked": "scaled",
        "attn_w": "(lambda w: w if mask is None else (w * 0.5).masked_fill(~mask, -1e9))(torch.softmax(masked, dim=-1))",
    }
    diagnosis = explained(changed(exercise.reference, Variant(replace=wrong), exercise))[1].diagnosis
    assert diagnosis is None or "every number" not in diagnosis.how


@pytest.mark.parametrize(
    ("stage", "text"),
    [
        ("output", "self.W_O(self.W_V(merged))"),
        ("k", "self.W_K(self.W_V(K))"),
        ("output", "self.W_O(merged + 2 * Q)"),
    ],
)
def test_a_layer_is_applied_twice_only_where_it_is(exercise, explained, stage, text):
    """Two changes of one stage are not told as if each stood alone."""
    diagnosis = explained(changed(exercise.reference, Variant(replace={stage: text}), exercise))[1].diagnosis
    assert diagnosis is None or "layer-applied-twice" not in diagnosis.traps


def test_an_input_added_in_front_of_the_last_layer_is_one_fault(exercise, explained):
    """The residual connection, and nothing about a layer that is missing or used twice."""
    source = changed(exercise.reference, Variant(replace={"output": "self.W_O(merged + Q)"}), exercise)
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("residual-inside",)
    assert "same numbers come about" not in diagnosis.how


def test_what_departs_in_the_return_is_not_blamed_on_a_right_line(exercise, explained):
    """The line that uses the weights rightly is innocent; the one that turns them is not, and the output is not doubted."""
    source = edited(exercise.reference, [("return output, attn_w", "return output, attn_w.flip(-1)")], "")
    check = _failed(explained(source)[0])[0]
    line = _line(source, "return output")
    assert check.line == line
    assert f"what line {line} does next leaves the right way. Everything else is right" in check.next_step


def test_a_matrix_that_was_made_equal_later_is_placed_there(exercise, explained):
    """Not where the layer was made, which is right, but where it is given another one's weight."""
    source = edited(
        exercise.reference,
        [
            (
                "self.W_O = nn.Linear(d_model, d_model, bias=False)",
                "self.W_O = nn.Linear(d_model, d_model, bias=False)\n        self.W_K.weight = self.W_Q.weight",
            )
        ],
        "",
    )
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == ("one-layer-many-names",)
    assert diagnosis.line == _line(source, "self.W_K.weight = ")


@pytest.mark.parametrize("odd", ["output > 0", "output.long()", "output.to(torch.complex64)"])
def test_results_that_are_no_real_numbers_are_explained_as_that(exercise, explained, odd):
    """The check says which type came back; nothing in the diagnosis stops at it."""
    assessment, _ = explained(edited(exercise.reference, [("return output, attn_w", f"return {odd}, attn_w")], ""))
    assert _failed(assessment)


@pytest.mark.parametrize(
    ("departure", "words"),
    [
        (Departure("scores", 24, "scaled", 25), "All is right up to scores (line 24); what line 25 does next leaves the right way. "),
        (Departure("scores", 24, "scaled", 24), "All is right up to scores (line 24); what the same line does next leaves the right way. "),
        (Departure("scores", None, "scaled", 25), "All is right up to scores; what line 25 does next leaves the right way. "),
        (Departure("scores", 24, "scaled", None), "All is right up to scores (line 24). "),
        (Departure(None, None, "q", 21), ""),
        (None, ""),
    ],
)  # fmt: skip
def test_how_far_all_is_right_stands_in_front_of_the_next_step(exercise, judged, departure, words):
    """On checks of numbers that know no line themselves, and in no other; the line is where it departs."""
    plain = judged(changed(exercise.reference, Variant(replace={"scaled": "scores"}), exercise))
    told = with_places(plain, Explained(None, departure))
    for before, after in zip(_checks(plain), _checks(told), strict=True):
        wrong = before.status == "failed"
        assert after.next_step == (words if wrong else "") + before.next_step
        assert after.line == (departure.line if wrong and departure else before.line)


def test_a_diagnosis_gives_its_line_and_takes_the_place_of_further_words(exercise, judged):
    """Who knows the reason is not told how far all is right as well."""
    plain = judged(changed(exercise.reference, Variant(replace={"scaled": "scores"}), exercise))
    diagnosis = Diagnosis(traps=("missing-scale",), how="No scale.", line=7)
    told = _failed(with_places(plain, Explained(diagnosis, Departure("scores", 24, "scaled", 25))))
    assert [(check.line, check.next_step) for check in told] == [(7, check.next_step) for check in _failed(plain)]


def _trap(name, *symptoms):
    return Trap(id=name, says="S.", hints=("a?", "b", "c"), symptoms=symptoms)


def _fault(trap):
    return Fault(trap, Variant(replace={"q": "Q"}), ())


SHOWS, WOULD, SILENT, OTHER, RAISES = (
    _trap("shows", Symptom(code="a")),
    _trap("would-show", Symptom(code="b")),
    _trap("silent"),
    _trap("other"),
    _trap("raises", Symptom(operation="linear", source="x")),
)


@pytest.mark.parametrize(
    ("sets", "kept"),
    [
        ([(SILENT,), (SHOWS,)], [(SHOWS,)]),
        ([(WOULD,), (SILENT,)], [(SILENT,)]),
        ([(SILENT,), (OTHER,)], [(SILENT,), (OTHER,)]),
        ([(RAISES,), (OTHER,)], [(RAISES,), (OTHER,)]),
        ([(SHOWS, WOULD), (SILENT, OTHER)], [(SHOWS, WOULD), (SILENT, OTHER)]),
        ([], []),
    ],
)
def test_of_sets_with_equal_numbers_those_that_show_elsewhere_are_likelier(sets, kept):
    """A trap that shows speaks for a set, one that would show and does not speaks against it; in doubt all stay, in order.

    What it raises cannot show where there are numbers.
    """
    made = {trap.id: _fault(trap) for trap in (SHOWS, WOULD, SILENT, OTHER, RAISES)}
    faults = [tuple(made[trap.id] for trap in one) for one in sets]
    found = likeliest(faults, [Sign(SHOWS, None)])
    assert [tuple(fault.trap for fault in one) for one in found] == kept


def _checks(assessment):
    return [check for milestone in assessment.milestones for check in milestone.checks]


@pytest.mark.parametrize(
    ("masked", "expected"),
    [
        ("scaled if mask is None or Q.shape[1] == 1 else scaled.masked_fill(~mask, float('-inf'))", ("mask-ignored", "where T_q = 1 and B = 1", "masked = ")),
        ("scaled if mask is None else scores.masked_fill(~mask, float('-inf'))", ("missing-scale", "where a mask is given", "scores = ")),
    ],
)  # fmt: skip
def test_a_fault_behind_a_branch_is_told_with_where_it_shows(explained, exercise, masked, expected):
    """On a tape of a call it shows in, else where the same code does right."""
    trap, where, line = expected
    source = changed(exercise.reference, Variant(replace={"masked": masked}), exercise)
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.traps == (trap,)
    assert diagnosis.how.endswith(
        f" It shows only {where}, as far as calls were made: elsewhere your numbers are right."
    )
    assert diagnosis.line == _line(source, line)


def test_what_is_computed_twice_is_placed_where_it_is_used(exercise, explained):
    """The first product is right and thrown away under a mask; the second one is what lacks the scale."""
    again = "(q_heads @ k_heads.transpose(-2, -1)).masked_fill(~mask, float('-inf'))"
    source = changed(exercise.reference, Variant(replace={"masked": f"scaled if mask is None else {again}"}), exercise)
    assert explained(source)[1].diagnosis.line == _line(source, "masked = ")


@pytest.mark.parametrize(
    ("replace", "first"),
    [
        ({"scaled": "scores / self.d_k"}, "scale-without-root"),
        ({"scaled": "{} / math.sqrt(self.d_k)"}, "scaled-twice"),
        ({"q_heads": "{} / math.sqrt(self.d_k)"}, "scaled-twice"),
    ],
)
def test_of_two_ways_to_the_same_numbers_the_one_on_the_tape_comes_first(exercise, explained, replace, first):
    """Scores that are right on the way speak for a second scaling."""
    source = changed(exercise.reference, Variant(replace=replace), exercise)
    assert explained(source)[1].diagnosis.traps == (first,)


def test_a_right_line_that_decides_nothing_is_not_blamed(exercise):
    """What is done for other lengths is right and chooses nothing; the line is the first that departs where the numbers are wrong."""
    wrong = Variant(replace={"scaled": "scores @ scores"})
    trap = Trap(id="squared", says="S.", hints=("a?", "b", "c"), variants=(wrong,))
    whole = (
        "    def whole(self, q, k, v, mask):\n"
        "        scores = q @ k.mT / q.shape[-1] ** 0.5\n"
        '        masked = scores if mask is None else scores.masked_fill(~mask, float("-inf"))\n'
        "        attn_w = masked.softmax(-1)\n"
        "        return self.W_O((attn_w @ v).transpose(1, 2).flatten(2)), attn_w\n\n"
    )
    branch = "        if Q.shape[1] != K.shape[1]:\n            return self.whole(q, k, v, mask)\n"
    source = edited(
        SAMPLE_BY_SAMPLE,
        [
            ("    def forward", f"{whole}    def forward"),
            ("        maps = []\n", f"{branch}        maps = []\n"),
            ("scores = q[b] @ k[b].mT", "scores = (q[b] @ k[b].mT) @ (q[b] @ k[b].mT)"),
        ],
        "",
    )
    diagnosis = _explainer(exercise.model_copy(update={"traps": (trap,)}))(source)[1].diagnosis
    assert diagnosis.traps == ("squared",)
    assert diagnosis.line == _line(source, "(q[b] @ k[b].mT) @")


@pytest.mark.parametrize(
    ("masked", "attn_w", "line"),
    [
        ("scaled if mask is None else scaled.masked_fill(~mask, -1e9)", "{} if mask is None else torch.softmax(masked, dim=-2)", "attn_w = "),
        ("scaled.masked_fill(torch.ones_like(scaled).triu(1) > 0, -1e4) if mask is None and Q.shape[1] == K.shape[1] else scaled if mask is None else scaled.masked_fill(~mask, -1e9)", "{}", "masked = "),
    ],
)  # fmt: skip
def test_any_fill_hides_a_score(exercise, explained, masked, attn_w, line):
    """-1e9 on the tape and minus infinity in the reference are one stage, so what comes behind it is placed there."""
    source = changed(exercise.reference, Variant(replace={"masked": masked, "attn_w": attn_w}), exercise)
    assert explained(source)[1].diagnosis.line == _line(source, line)


def test_a_finding_in_the_numbers_has_the_line_of_the_fault_in_the_numbers(exercise, explained):
    """A bias on another line is told first and is no reason for what the mask does."""
    source = edited(
        exercise.reference,
        [("self.W_Q = nn.Linear(d_model, d_model, bias=False)", "self.W_Q = nn.Linear(d_model, d_model)")],
        "",
    )
    source = changed(source, Variant(replace={"scaled": "scores"}), exercise)
    assessment, found = explained(source)
    scores = _line(source, "scores = ")
    lines = {check.code: check.line for check in _failed(assessment)}
    assert found.diagnosis.line == _line(source, "self.W_Q = ")
    assert lines["differs-from-reference"] == scores
    assert f"before the softmax (line {scores})." in found.diagnosis.how
    assert "The last one explains every number" in found.diagnosis.how


HEADS_IN_VIEW = """import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T, d_model = Q.shape
        q = self.W_Q(Q).view(B, self.h, T, self.d_k)
        k = self.W_K(K).view(B, self.h, K.shape[1], self.d_k)
        v = self.W_V(V).view(B, self.h, K.shape[1], self.d_k)
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        return self.W_O((attn_w @ v).view(B, T, d_model)), attn_w
"""
ONE_BY_ONE = (
    HEADS_IN_VIEW.split("        B, T, d_model", maxsplit=1)[0]
    + """        q, k, v = self.W_Q(Q), self.W_K(K), self.W_V(V)
        heads, maps = [], []
        for i in range(self.h):
            part = slice(i * self.d_k, (i + 1) * self.d_k)
            weights = torch.softmax(q[..., part] @ k[..., part].transpose(-2, -1) / self.d_k**0.5, dim=-1)
            if mask is not None:
                weights = weights * mask
            heads.append(weights @ v[..., part])
            maps.append(weights)
        return self.W_O(torch.cat(heads, dim=-1)), torch.stack(maps, dim=1)
"""
)


def test_each_of_several_faults_has_the_line_where_it_matters(explained):
    """Without a mask the masked scores are wrong, too, but not because of the mask. What the first failed check needs comes first."""
    assessment, found = explained(HEADS_IN_VIEW)
    assert [(one.says.split()[1], one.line) for one in found.diagnosis.reasons] == [
        ("scores", _line(HEADS_IN_VIEW, "scores = q")),
        ("heads", _line(HEADS_IN_VIEW, "q = self.W_Q(Q).view")),
        ("mask", _line(HEADS_IN_VIEW, "scores = scores.masked_fill")),
    ]
    # With one head there is nothing to split.
    assert [check.line for check in _failed(assessment)] == [_line(HEADS_IN_VIEW, "scores = q")]
    assert found.diagnosis.skips == ""


def test_what_is_made_head_by_head_is_not_placed_where_the_heads_are_joined(explained):
    """A stack only lays side by side what is wrong already."""
    reasons = {one.says: one.line for one in explained(ONE_BY_ONE)[1].diagnosis.reasons}
    masked = next(line for says, line in reasons.items() if says.startswith("The mask is applied after"))
    assert masked == _line(ONE_BY_ONE, "weights = weights * mask")


def test_a_first_failure_that_no_cause_speaks_of_is_named(explained):
    """Cutting the keys by the number of queries stops one case; what is known is in the numbers of the others."""
    source = HEADS_IN_VIEW.replace("K.shape[1]", "T").replace("masked_fill(mask,", "masked_fill(~mask,")
    diagnosis = explained(source)[1].diagnosis
    assert diagnosis.skips == "forward/lengths"
    assert diagnosis.proof.endswith("in tensors of the right shape.")
