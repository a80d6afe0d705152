"""What a check believes of the observer's limits is what the observer keeps to; neither may import the other."""

from __future__ import annotations

import torch

from checkers import _devices, no_head_loop
from tutor.sandbox.inside import policy


def test_limits_are_the_same_on_both_sides():
    """A record that is full, results that the tape does not know, values that it does not send."""
    assert no_head_loop.MOST == policy.OPERATIONS
    assert _devices.TENSOR_LIMIT == policy.STEP_TENSORS
    assert _devices.VALUE_NUMBERS * torch.float64.itemsize == policy.STEP_VALUE_BYTES
