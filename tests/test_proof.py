"""Traps that do not prove themselves are complaints."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.proof import changed, complaints, edited, prove
from tutor.traps import Example, Mutant, Symptom, Trap, Variant

HINTS = ("Which?", "Where.", "What.")


@pytest.fixture
def told(exercise):
    """Traps and nameless faults → what lint says about them, idle checks apart."""

    def tell(*traps, mutants=()):
        content = exercise.model_copy(update={"traps": traps, "mutants": mutants})
        found = complaints(content, prove(content, Reference(content)))
        return [str(complaint) for complaint in found if "is idle" not in str(complaint)]

    return tell


def _trap(name="a-trap", hints=HINTS, **parts):
    return Trap(id=name, says="It is so.", hints=hints, **parts)


def test_a_trap_that_fails_and_is_known_is_in_order(told):
    """No scale: one check fails, and the trap is taken for itself."""
    assert told(_trap(variants=(Variant(replace={"scaled": "scores"}),))) == []


def test_a_trap_that_passes_survives(told):
    """What changes nothing is no fault; the margin says so, too."""
    found = told(_trap(variants=(Variant(replace={"scaled": "{} * 1"}),)))
    assert any("survives" in complaint for complaint in found)


def test_a_trap_that_is_taken_for_another(told):
    """Two traps with one and the same change cannot be told apart, unless they are declared equal."""
    one, other = (_trap(name, variants=(Variant(replace={"scaled": "scores"}),)) for name in ("one", "other"))
    assert any("is taken for one" in complaint for complaint in told(one, other))
    declared = [trap.model_copy(update={"same_as": ("one", "other")}) for trap in (one, other)]
    assert told(*declared) == []


def test_an_example_that_nothing_recognises(told):
    """A symptom that does not hold leaves its own example without a name."""
    trap = _trap(symptoms=(Symptom(code="no-such-code"),), examples=(Example(edits=(("bias=False", "bias=True"),)),))
    assert any(
        "is taken for nothing" in complaint and "skeleton/no-bias (unwanted-bias)" in complaint
        for complaint in told(trap)
    )


def test_a_fault_without_a_name_that_a_trap_claims(told):
    """A mutant that is a known fault should be a form of it."""
    trap, mutant = (
        _trap(variants=(Variant(replace={"scaled": "scores"}),)),
        Mutant(says="no scale", replace={"scaled": "scores"}),
    )
    assert any("is taken for a-trap" in complaint for complaint in told(trap, mutants=(mutant,)))


def test_a_symptom_that_none_of_its_trap_shows(told):
    """It may be right or wrong, nobody knows; one that an example shows, even behind another, is in order."""
    edits = (("bias=False", "bias=True"),)
    proved, idle = Symptom(code="unwanted-bias"), Symptom(code="unwanted-bias", source="no such text")
    found = told(_trap(symptoms=(proved, idle, proved), examples=(Example(edits=edits),)))
    assert found == [
        "multi-head-attention/traps/a-trap.toml: symptoms.1: shows in no example and no variant of this trap."
    ]


def test_an_edit_of_what_is_not_there():
    """The complaint quotes the passage."""
    with pytest.raises(ContentError, match="“y = 2” is not in the reference"):
        edited("x = 1\n", [("y = 2", "y = 3")], "a/traps/b.toml")


def test_a_stage_is_exchanged_in_the_text_of_the_reference(exercise):
    """The wrapped expression stands where the placeholder was, and the rest is untouched."""
    source = changed(exercise.reference, Variant(replace={"q": "torch.relu({})"}), exercise)
    assert "q = torch.relu((self.W_Q(Q)))" in source
    assert len(source.splitlines()) == len(exercise.reference.splitlines())


def test_a_local_name_of_a_helper_is_no_stage(exercise):
    """Only the assignments of forward are, whatever is called the same elsewhere, and columns are counted in characters."""
    before = "    def _split(self, x):\n"
    source = exercise.reference.replace(before, f'{before}        é, q = "ü", x\n        q = x\n')
    source = source.replace("        q = self.W_Q(Q)", '        q = self.W_Q(Q if "é" else K)')
    wrong = changed(source, Variant(replace={"q": "torch.relu({})"}), exercise)
    assert 'q = torch.relu((self.W_Q(Q if "é" else K)))  # (B' in wrong
    assert "        q = x\n" in wrong


def test_what_the_first_call_was_given_is_kept_by_the_module(exercise):
    """The line that keeps it stands before the first stage, at its indentation, and names the inputs of the exercise."""
    flat = exercise.reference.replace("    ", "  ")
    source = changed(flat, Variant(replace={"k": "self.W_K(first.K)"}), exercise)
    kept, stage = next(pair for pair in pairwise(source.splitlines()) if "setdefault" in pair[0])
    assert kept.startswith("    first = self.__dict__")
    assert "Q=Q, K=K, V=V, mask=mask" in kept
    assert stage.startswith("    q = ")
