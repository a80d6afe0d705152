"""Content that does not prove itself is refused."""

from __future__ import annotations

import shutil

import pytest

from tutor.lint import lint
from tutor.settings import PROJECT

SLUG = "multi-head-attention"


@pytest.fixture
def folder(tmp_path):
    """A copy of the exercise, with its reference in a folder beside it."""
    shutil.copytree(PROJECT / "exercises" / SLUG, tmp_path / SLUG)
    shutil.copytree(PROJECT / "reference", tmp_path / "reference")
    return tmp_path / SLUG


def _complaints(folder):
    return [str(complaint) for complaint in lint(folder, folder.parent / "reference")[0]]


def test_the_projects_own_content_is_in_order(folder):
    """No complaint about the exercise as it is shipped."""
    assert _complaints(folder) == []


def test_a_reference_that_is_wrong(folder):
    """The complaint names the check that the reference does not pass."""
    reference = folder.parent / "reference" / "multi_head_attention.py"
    reference.write_text(reference.read_text().replace("d_model % h != 0", "d_model < 0"))
    reference.write_text(reference.read_text().replace("bias=False", "bias=True", 1))
    assert "skeleton/no-bias" in _complaints(folder)[0]


def test_a_reference_that_cannot_be_loaded(folder):
    """A reference with a syntax error is a complaint, not a crash."""
    (folder.parent / "reference" / "multi_head_attention.py").write_text("class MultiHeadAttention(")
    assert "cannot be loaded" in _complaints(folder)[0]


def test_a_starter_that_passes(folder):
    """A starter that solves a milestone gives the answer away."""
    shutil.copy(folder.parent / "reference" / "multi_head_attention.py", folder / "starter.py")
    assert "must fail every milestone" in _complaints(folder)[0]


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('mask = "causal T_q T_k"', 'mask = "causal T_q T_z"', "T_z"),
        ('mask = "causal T_q T_k"', 'msk = "causal T_q T_k"', "“msk” is no input; allowed: Q, K, V, mask"),
        ('shape = "d_model d_model"', 'shape = "d_model width"', "roles.0.shape"),
        ('output = "B T_q d_model"', 'output = "B T_z d_model"', "entry.returns.output"),
        ('count = "4*d_model**2"', 'count = "4*width**2"', "options.count"),
        ('result = "attn_w"', 'result = "attention"', "“attention” is no result; allowed: output, attn_w"),
        ('Q = "randn B T_q d_model"', 'Q = "renew K from 2"', "the first call has nothing to renew"),
        ("dims = { d_model = 512, h = 4 }", "dims = { d_model = 512 }", "h is missing"),
        ('V = "renew V from 4 * 100000000"', 'V = "renew V after 4"', "renew INPUT from TOKEN"),
    ],
)
def test_a_recipe_that_cannot_be_drawn(folder, before, after, complaint):
    """Recipes are tried before any student meets them."""
    file = folder / "exercise.toml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    assert complaint in _complaints(folder)[0]
