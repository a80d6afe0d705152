"""Tensors as they are observed: shapes that cannot be asked for, and numbers that compare unequal to themselves."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tutor.sandbox.inside.tensors import UNKNOWN, same, shape_of

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128]


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_is_the_same_as_nan(dtype):
    """As long as it is in the same places."""
    was = torch.tensor([1.0, torch.nan, torch.inf], dtype=dtype)
    assert same(was.clone(), was)
    assert not same(was.flip(0), was)
    assert not same(torch.nan_to_num(was), was)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.bool, torch.uint8, torch.int64])
def test_one_number_less_is_seen(dtype):
    """In every type; another type or shape is never the same."""
    was = torch.ones(3, dtype=dtype)
    assert same(was.clone(), was)
    assert not same(torch.tensor([1, 1, 0], dtype=dtype), was)
    assert not same(was.reshape(1, 3), was)
    assert not same(torch.ones(3, dtype=torch.int16), was)


def test_what_cannot_be_read_is_compared_by_its_kind():
    """A sparse tensor or one without numbers has not changed as long as it is one."""
    for was in (torch.eye(3).to_sparse(), torch.eye(3, device="meta")):
        assert same(was.clone(), was)
        assert not same(torch.eye(3), was)


def test_a_shape_nobody_can_tell():
    """A lazy weight has none yet, and asking for it raises."""
    assert shape_of(nn.LazyLinear(3).weight) == UNKNOWN
    assert shape_of(torch.ones(2, 3)) == (2, 3)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors_have_no_shape_to_send(layout):
    """One kind raises, the other has an axis that is no number."""
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=layout)
    assert shape_of(nested) == UNKNOWN
