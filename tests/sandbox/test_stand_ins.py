"""What torch looks up in packages that are not there behind the walls."""

from __future__ import annotations

import pytest

from tests.sandbox.conftest import Ask, header

pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("torch.broadcast_shapes((2, 1), (3,), (1, 1, 1))", [1, 2, 3]),
        ("torch.broadcast_shapes()", []),
        ("torch.zeros(2, 3, 4).transpose(1, 2).dim_order()", [0, 2, 1]),
        ("torch.zeros(2, 3, 4)[:, ::2].dim_order(ambiguity_check=True)", [0, 1, 2]),
        ("torch.autograd.grad(2 * (x := torch.ones(2, requires_grad=True)), x, torch.ones(2))[0].tolist()", [2.0, 2.0]),
    ],
)
def test_sizes_are_looked_at_without_symbols(ask: Ask, expression: str, answer: object) -> None:
    """Functions that torch also traces ask whether a size is a symbol; plain numbers are answered."""
    run = ask(f"import torch\nanswer = {expression}\nanswer = list(answer)")
    assert header(run)["answer"] == answer


def test_shapes_that_do_not_fit_are_refused_in_torchs_own_words(ask: Ask) -> None:
    """The student reads about the shapes, not about a package."""
    source = """
import torch
try:
    answer = torch.broadcast_shapes((2, 2), (3,))
except RuntimeError as error:
    answer = str(error)
"""
    assert "broadcast a dimension of length 3" in header(ask(source))["answer"]
