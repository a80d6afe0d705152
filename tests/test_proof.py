"""Traps that do not prove themselves are complaints."""

from __future__ import annotations

import pytest

from tutor.content import Example, Mutant, Symptom, Trap, Variant
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.proof import changed, complaints, edited, prove

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
    assert any("is taken for nothing" in complaint for complaint in told(trap))


def test_a_fault_without_a_name_that_a_trap_claims(told):
    """A mutant that is a known fault should be a form of it."""
    trap, mutant = (
        _trap(variants=(Variant(replace={"scaled": "scores"}),)),
        Mutant(says="no scale", replace={"scaled": "scores"}),
    )
    assert any("is taken for a-trap" in complaint for complaint in told(trap, mutants=(mutant,)))


def test_hints_that_do_not_help(told):
    """A blank rung, a first rung that asks nothing, a trap nothing can recognise."""
    found = told(_trap(hints=("Look.", " ", "What.")))
    assert ["blank" in found[0], "question" in found[1], "neither variants nor symptoms" in found[2]] == [True] * 3


def test_an_edit_of_what_is_not_there():
    """The complaint quotes the passage."""
    with pytest.raises(ContentError, match="“y = 2” is not in the reference"):
        edited("x = 1\n", [("y = 2", "y = 3")], "a/traps/b.toml")


def test_a_stage_is_exchanged_in_the_text_of_the_reference(exercise):
    """The wrapped expression stands where the placeholder was, and the rest is untouched."""
    source = changed(exercise.reference, Variant(replace={"q": "torch.relu({})"}))
    assert "q = torch.relu((self.W_Q(Q)))" in source
    assert len(source.splitlines()) == len(exercise.reference.splitlines())
