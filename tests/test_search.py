"""Which known faults give exactly the numbers that were observed."""

from __future__ import annotations

import pytest

from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.faults import FaultDictionary
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.proof import changed
from tutor.search import reproduce
from tutor.situations import situations
from tutor.traps import Trap, Variant

HINTS = ("Which?", "Where.", "What.")
KNOWN = {
    "no-scale": {"scaled": "scores"},
    "model-scale": {"scaled": "scores / math.sqrt(Q.shape[-1])"},
    "relu": {"q": "torch.relu({})"},
    "no-merge": {"merged": "context.reshape(Q.shape)"},
    "no-mask": {"masked": "scaled"},
    "residual": {"output": "{} + Q"},
    "keys-as-values": {"v": "self.W_V(K)"},
}


@pytest.fixture(scope="module")
def match_for(exercise):
    """Variants applied to the reference → what explains the result."""
    traps = tuple(
        Trap(id=name, says=f"{name}.", hints=HINTS, variants=(Variant(replace=replace),))
        for name, replace in KNOWN.items()
    )
    with_traps = exercise.model_copy(update={"traps": traps})
    diagnoser, planned = Reference(exercise).diagnoser(with_traps), plan(with_traps, 3)

    def match(*replaced, without_tape=False):
        source = exercise.reference
        for replace in replaced:
            source = changed(source, Variant(replace=replace), exercise)
        seen = observe_here(planned, source)
        known = situations(exercise, planned, seen, diagnoser.dictionary.stages.results, diagnoser.build)
        if without_tape:
            known = [type(one)(one.case, one.call, one.given, one.results) for one in known]
        return reproduce(diagnoser.dictionary, known)

    return match


@pytest.fixture(scope="module")
def found_for(match_for):
    """Variants applied to the reference → ids of each set that explains the result."""

    def found(*replaced, without_tape=False):
        sets = match_for(*replaced, without_tape=without_tape).sets
        return [sorted(fault.trap.id for fault in faults) for faults in sets]

    return found


@pytest.mark.parametrize("name", KNOWN)
def test_each_fault_is_found_alone(found_for, name):
    """One fault, one explanation, and it is the right one."""
    assert found_for(KNOWN[name]) == [[name]]


@pytest.mark.parametrize("without_tape", [False, True])
@pytest.mark.parametrize(
    "names",
    [("no-scale", "residual"), ("model-scale", "no-mask"), ("relu", "no-scale"), ("no-merge", "keys-as-values")],
)
def test_two_faults_are_found_together(found_for, names, without_tape):
    """With the tape as a lead and without it."""
    assert found_for(*(KNOWN[name] for name in names), without_tape=without_tape) == [sorted(names)]


def test_three_faults_are_found_together(found_for):
    """One before the weights, one under the mask, one behind them."""
    assert found_for(KNOWN["no-scale"], KNOWN["no-mask"], KNOWN["residual"]) == [["no-mask", "no-scale", "residual"]]


def test_right_numbers_are_explained_by_nothing(found_for):
    """No fault is the smallest set of all."""
    assert found_for() == [[]]


@pytest.mark.parametrize(
    ("replace", "name", "where"),
    [
        ({"scaled": "scores / math.sqrt(self.d_k) if T_k == 1 or mask is None else scores"}, "no-scale", "where a mask is given"),
        ({"masked": "scaled if mask is None or Q.shape[1] == 1 else scaled.masked_fill(~mask, float('-inf'))"}, "no-mask", "where T_q = 1 and B = 1"),
        ({"output": "{} + Q if Q.shape[1] == K.shape[1] else {}"}, "residual", "where T_q = T_k"),
    ],
)  # fmt: skip
def test_a_fault_behind_a_branch_is_found_with_where_it_shows(match_for, replace, name, where):
    """Right numbers elsewhere rule out a fault only if it would show there."""
    replace = {stage: text.replace("T_k", "K.shape[1]") for stage, text in replace.items()}
    match = match_for(replace)
    assert [[fault.trap.id for fault in faults] for faults in match.sets] == [[name]]
    assert match.only == where
    assert match.shows


def test_faults_everywhere_are_found_without_a_where(match_for):
    """The situations whose numbers are wrong are named all the same."""
    match = match_for(KNOWN["residual"])
    assert match.only == ""
    assert {situation.case for situation in match.shows} > {"plain", "causal"}


def test_several_faults_behind_branches_are_too_much_to_name(match_for):
    """With a choice of calls two faults would explain what is none of them."""
    branch = {"v": "self.W_V(K) if mask is None else self.W_V(V)", "output": "{} + Q if mask is None else {}"}
    assert match_for(branch).sets == ()


# Draws in which two scores of some ten thousand are nearly equal, so that float32 gives other weights than float64.
@pytest.mark.parametrize("seed", [4395429806105317264, 2448995153727167423, 355111684467584809])
def test_rounding_hides_no_fault(exercise, seed):
    """What only rounding keeps from being reproduced is reproduced; the program is no other."""
    planned, diagnoser = plan(exercise, seed), Reference(exercise).diagnoser(exercise)
    source = exercise.reference.replace("        q = self.W_Q(Q)", "        K = V = Q\n        q = self.W_Q(Q)")
    source = source.replace(
        "q_heads @ k_heads.transpose(-2, -1)", "(k_heads @ q_heads.transpose(-2, -1)).transpose(-2, -1)"
    )
    assert source.count("K = V = Q") == source.count("(k_heads @ q_heads") == 1
    seen = observe_here(planned, source)
    known = situations(exercise, planned, seen, diagnoser.dictionary.stages.results, diagnoser.build)
    sets = reproduce(diagnoser.dictionary, known).sets
    assert [fault.trap.id for faults in sets for fault in faults] == ["cross-input-ignored"]


def test_a_fault_nobody_knows_is_not_given_a_name(found_for):
    """Close is not the same: a temperature of 1.07 is none of the known scales."""
    assert found_for({"scaled": "scores / math.sqrt(self.d_k) / 1.07"}) == []


def test_a_known_fault_beside_an_unknown_one_is_not_enough(found_for):
    """A set must reproduce everything, so half an explanation is none."""
    assert found_for(KNOWN["residual"], {"v": "self.W_V(V) * 1.5"}) == []


def test_a_stage_that_does_not_exist_is_the_authors_fault(exercise):
    """The complaint names the file and the stages there are."""
    trap = Trap(id="odd", says="Odd.", hints=HINTS, variants=(Variant(replace={"nowhere": "1"}),))
    with pytest.raises(ContentError, match=r"traps/odd\.toml.*no stage; allowed: q, k, v"):
        FaultDictionary(exercise.model_copy(update={"traps": (trap,)}), {})


def test_a_variant_that_is_no_expression_is_the_authors_fault(exercise):
    """The complaint quotes it."""
    trap = Trap(id="odd", says="Odd.", hints=HINTS, variants=(Variant(replace={"q": "self.W_Q(Q"}),))
    with pytest.raises(ContentError, match="no expression"):
        FaultDictionary(exercise.model_copy(update={"traps": (trap,)}), {})
