"""The reference as stages, and programs that differ from it."""

from __future__ import annotations

import pytest
import torch

from tutor.content import Entry, Exercise
from tutor.errors import ContentError
from tutor.stages import RAISED, Evaluator, Stages

SOURCE = '''
def attend(Q, K, V, mask=None):
    """One head."""
    scores = Q @ K.T
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
'''


def _exercise(source=SOURCE):
    entry = Entry(
        kind="function", name="attend", positional=("Q", "K", "V"), returns={"output": "T d", "weights": "T T"}
    )
    return Exercise(
        slug="attend", title="t", summary="s", version=1, entry=entry, roles=(), cases=(), milestones=(),
        statement="s", starter="s", reference=source,
    )  # fmt: skip


@pytest.fixture
def stages():
    """Three stages, two of them returned."""
    return Stages(_exercise(), {"torch": torch})


@pytest.fixture
def evaluator(stages):
    """One situation with small random tensors."""
    return Evaluator(stages, {name: torch.randn(3, 2) for name in "QKV"})


def test_assignments_are_stages_and_the_return_names_the_results(stages):
    """Docstrings are no stage; the order of the results is that of the return."""
    assert stages.names == ("scores", "weights", "output")
    assert stages.results == ("output", "weights")


def test_the_reference_program_gives_what_the_reference_gives(stages, evaluator):
    """Evaluating stage by stage is running the function."""
    space = {"torch": torch}
    exec(SOURCE, space)  # noqa: S102  the source is three lines above
    given = {name: evaluator._scope[name] for name in "QKV"}
    values = evaluator.by_name(stages.reference)
    output, weights = space["attend"](**given)
    assert torch.equal(values["output"], output)
    assert torch.equal(values["weights"], weights)


def test_a_value_that_no_change_touches_is_shared(stages, evaluator):
    """Programs that differ only in the output have one and the same attention weights."""
    changed = stages.program([(2, "weights.T @ V")])
    assert evaluator.values(stages.reference, 1) == evaluator.values(changed, 1)
    assert evaluator.values(stages.reference, 2) != evaluator.values(changed, 2)


def test_a_wrapper_goes_round_what_replaces(stages):
    """``{}`` stands for the present expression, whichever of the two comes first."""
    for parts in ([(0, "{} * 2"), (0, "K @ Q.T")], [(0, "K @ Q.T"), (0, "{} * 2")]):
        assert stages.program(parts)[0].text == "(K @ Q.T) * 2"


def test_two_replacements_of_one_stage_exclude_one_another(stages):
    """There is no program in which a stage is two things."""
    assert stages.program([(0, "K @ Q.T"), (0, "Q @ Q.T")]) is None


def test_what_raises_spreads_to_what_builds_on_it(stages, evaluator):
    """A stage that cannot be worked out leaves nothing behind it, and no exception."""
    values = evaluator.by_name(stages.program([(0, "Q @ K")]))
    assert values["scores"] is RAISED
    assert values["output"] is RAISED


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("scores = Q @ K.T", "scores, other = Q, K", "line 4"),
        ("weights = torch", "scores = torch", "one new name"),
        ("return output, weights", "return weights @ V, weights", "return names of stages"),
        ("def attend", "def other", "must define attend"),
    ],
)
def test_a_reference_in_another_form_is_the_authors_fault(old, new, complaint):
    """The complaint names the line and what is wanted there."""
    stages = Stages(_exercise(SOURCE.replace(old, new)), {"torch": torch})
    with pytest.raises(ContentError, match=complaint):
        _ = stages.results
