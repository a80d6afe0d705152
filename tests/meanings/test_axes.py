"""Sizes in the names of a case: a name is a promise."""

from __future__ import annotations

import pytest

from tutor.meanings.axes import Axes

DIMS = {"B": 2, "T_q": 7, "T_k": 4, "d_model": 15, "h": 3}


@pytest.mark.parametrize(
    ("dims", "shape", "named"),
    [
        (DIMS, (2, 7, 15), "(2, 7, 15) = (B, T_q, d_model)"),
        (DIMS, (2, 3, 5, 4), "(2, 3, 5, 4) = (B, h, d_k, T_k)"),
        (DIMS, (15, 15), "(15, 15) = (d_model, d_model)"),
        (DIMS, (7, 4), "(7, 4) = (T_q, T_k)"),
        (DIMS, (5, 5), "(5, 5)"),
        (DIMS, (9, 11), "(9, 11)"),
        (DIMS, (15,), "(15,) = (d_model,)"),
        (DIMS, (), "()"),
        (DIMS, (6, 7, 5), "(6, 7, 5) = (B·h, T_q, d_k)"),
        (DIMS, (14, 15), "(14, 15) = (B·T_q, d_model)"),
        (DIMS, (2, 21, 5), "(2, 21, 5) = (B, T_q·h, d_k)"),
        (DIMS, (2, 7, 45), "(2, 7, 45) = (B, T_q, 45)"),  # 3·d_model and h·d_model alike
        (DIMS, (2, 1, 1, 4), "(2, 1, 1, 4) = (B, 1, 1, T_k)"),
        (DIMS, (2, 3, 3), "(2, 3, 3) = (B, h, 3)"),
        ({**DIMS, "T_k": 7}, (2, 3, 7, 7), "(2, 3, 7, 7) = (B, h, T, T)"),
        ({**DIMS, "h": 2, "d_model": 12}, (2, 2, 7, 6), "(2, 2, 7, 6) = (B, h, T_q, d_k)"),
        ({**DIMS, "h": 6, "d_model": 12}, (2, 7, 6, 2), "(2, 7, 6, 2) = (B, T_q, h, d_k)"),
        ({**DIMS, "h": 1, "d_model": 9}, (2, 7, 9), "(2, 7, 9) = (B, T_q, d_model)"),
        ({**DIMS, "h": 1, "d_model": 9}, (2, 1, 7, 9), "(2, 1, 7, 9) = (B, 1, T_q, d_k)"),
        ({**DIMS, "d_model": 7, "h": 7}, (2, 7, 7), "(2, 7, 7) = (B, 7, 7)"),  # a length or a width: in doubt
        ({**DIMS, "B": 6, "T_q": 6}, (6, 4), "(6, 4) = (6, T_k)"),
        ({"B": 3, "T_q": 4, "T_k": 6, "d_model": 14, "h": 2}, (6, 4, 7), "(6, 4, 7) = (6, T_q, d_k)"),  # T_k or B·h
        ({"G": 2, "B": 3, "h": 4, "T_q": 5, "T_k": 6, "d_k": 7, "d_v": 8}, (2, 3, 4, 5, 7), "(2, 3, 4, 5, 7) = (G, B, h, T_q, d_k)"),
        (DIMS, (2,), "(2,)"),  # any two numbers
        (DIMS, (2, 2), "(2, 2)"),
        (DIMS, (2, 7), "(2, 7) = (B, T_q)"),
        ({}, (2, 7), "(2, 7)"),
    ],
)  # fmt: skip
def test_sizes_are_named_where_it_is_certain(dims, shape, named):
    """A name is a promise: in doubt the number stays."""
    assert Axes(dims).shape(shape) == named
