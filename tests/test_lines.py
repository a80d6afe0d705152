"""The line to change, where the way to it is not straight."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.catalog import load_exercise
from tutor.expected import Reference
from tutor.judge import assess
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.settings import PROJECT

SLUG = "gpt2-attention"
WRONG = Path(__file__).parent / "submissions" / SLUG / "wrong"


@pytest.fixture(scope="module")
def diagnosis_of():
    """Name of a file of the corpus → its diagnosis, observed in this process."""
    exercise = load_exercise(PROJECT / "exercises" / SLUG, PROJECT / "reference")
    reference, planned = Reference(exercise), plan(exercise, 5)
    diagnoser = reference.diagnoser(exercise)

    def diagnosis(name):
        source = (WRONG / f"{name}.py").read_text()
        seen = observe_here(planned, source)
        assessment = assess(exercise, source, seen, reference.observe(planned))
        return source, diagnoser.explain(planned, source, seen, assessment).diagnosis

    return diagnosis


@pytest.mark.parametrize(
    ("name", "trap", "line"),
    [
        # The scores are filled in place, so what the scale makes of them alone is never there.
        ("book_style_scale_by_the_model", "scale-by-model-width", "torch.softmax(attn_scores / self.d_out"),
        ("book_style_scale_by_the_length", "scale-by-wrong-size", "torch.softmax(attn_scores / keys.shape[-2]"),
        # Keys and values are one value: the line of the keys is right.
        ("values_made_by_the_keys_layer_in_a_chain", "projection-layer-mixup", "V = self.k(x)"),
        ("biases_off_in_one_line_for_three", "qkv-bias-ignored", "bias=False) for _ in range(3)"),
        ("buffer_is_zeros_times_infinity", "zero-times-infinity", 'triu(1) * float("-inf")'),
    ],
)
def test_a_fault_is_placed_where_it_is_to_be_mended(diagnosis_of, name, trap, line):
    """Whichever order the steps stand in, and though another line gives the same numbers."""
    source, diagnosis = diagnosis_of(name)
    assert diagnosis.traps == (trap,)
    assert line in source.split("\n")[diagnosis.line - 1]


def test_of_a_bias_that_is_nowhere_it_is_not_said_that_it_is_there(diagnosis_of):
    """The same numbers come from a bias that is never added, so the sentence is true of both."""
    _, diagnosis = diagnosis_of("no_output_bias_and_softmax_over_queries")
    assert set(diagnosis.traps) == {"output-bias-missing", "softmax-over-queries"}
    assert "is there" not in diagnosis.how
    assert "no bias is added" in diagnosis.how
