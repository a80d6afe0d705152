"""Numbers that float32 cannot hold on the way: a fault is known by all the others."""

from __future__ import annotations

import pytest

from tests.conftest import TESTS
from tutor.expected import Reference
from tutor.judge import assess
from tutor.observing import observe_here
from tutor.planning import plan

SOURCE = TESTS / "submissions" / "gpt2-attention" / "wrong" / "numpy_softmax.py"


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("seed", [0, 1, 9])
def test_exponentials_that_overflow_are_named_with_every_seed(catalog, seed):
    """Some are infinite here and cancel there; where neither result nor float32 has a number, nothing is compared."""
    exercise, source = catalog["gpt2-attention"], SOURCE.read_text()
    reference, planned = Reference(exercise), plan(exercise, seed)
    seen = observe_here(planned, source)
    assessment = assess(exercise, source, seen, reference.observe(planned))
    diagnosis = reference.diagnoser(exercise).explain(planned, source, seen, assessment).diagnosis
    assert diagnosis is not None
    assert diagnosis.traps == ("numpy-inside", "not-softmax")
