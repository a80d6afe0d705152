"""The very line to change, for each of the ways in which a fault is placed. In this process, so quick enough to be run often."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tutor.expected import Reference
from tutor.judge import assess
from tutor.observing import observe_here
from tutor.planning import plan

CORPUS = Path(__file__).parent / "submissions" / "multi-head-attention"
# Where a stage begins, where a helper is called, where a number is worked out, where a result is used, where a text stands, where
# something raised, and two faults at once.
NAMES = (
    "attention_module_inverts_mask", "batch_and_time_exchanged_on_joining", "columns_sum_to_one", "combine_without_moving_axes",
    "contiguous_before_the_transpose", "direct_reshape_to_folded_heads", "einsum_reads_q_twice", "einsum_scores_unscaled",
    "heads_added_up", "key_rows_query_columns", "keys_through_value_matrix", "output_layer_applied_twice",
    "gelu_behind_the_output", "helper_called_with_key_twice", "layer_norm_module_on_output", "only_keys_interleaved",
    "self_attention_only", "divided_by_d_k_itself", "divided_by_root_of_d_model", "divided_by_root_of_heads", "integer_root",
    "first_mask_remembered", "no_output_matrix", "first_heads_map_for_all", "mask_after_softmax", "mask_ignored",
    "softmax_called_but_not_kept", "head_axis_squeezed_out", "keys_not_transposed_in_bmm", "folded_weights_returned",
    "half_precision", "mask_flipped_in_place", "direct_view_and_no_scale", "model_width_scale_and_flat_merge",
    "output_twice_and_late_mask", "other_names_and_no_scale", "queries_and_keys_unit_length",
)  # fmt: skip


@pytest.fixture(scope="module")
def labels():
    """File → what its label says."""
    return tomllib.loads((CORPUS / "labels.toml").read_text())["wrong"]


@pytest.fixture(scope="module")
def diagnosis_of(exercise):
    """Source → what explains it."""
    reference, planned = Reference(exercise), plan(exercise, 5)
    diagnoser = reference.diagnoser(exercise)

    def diagnose(source):
        seen = observe_here(planned, source)
        return diagnoser.explain(
            planned, source, seen, assess(exercise, source, seen, reference.observe(planned))
        ).diagnosis

    return diagnose


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_placed_on_a_line_to_change(labels, diagnosis_of, name):
    """The faults of the label, no other, and one of its lines."""
    found = diagnosis_of((CORPUS / "wrong" / f"{name}.py").read_text())
    assert set(found.traps) == set(labels[name]["faults"])
    assert found.line in labels[name]["at"]
