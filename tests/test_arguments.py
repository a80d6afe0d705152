"""Cases may pass arguments to the constructor by name: to the submission, to the reference and to the programs that explain."""

from __future__ import annotations

import shutil

import pytest
import torch

from checkers.base import Ending
from tutor.circumstances import only
from tutor.expected import Reference
from tutor.judge import assess
from tutor.lint import lint
from tutor.observing import observe_here
from tutor.planning import plan
from tutor.settings import PROJECT
from tutor.situations import situations


@pytest.fixture(scope="module")
def gpt2(catalog):
    """The exercise whose cases have arguments."""
    return catalog["gpt2-attention"]


@pytest.fixture(scope="module")
def planned(gpt2):
    """Its cases, drawn once."""
    return plan(gpt2, 7)


@pytest.fixture(scope="module")
def reference(gpt2):
    """What the right answer does, module by module."""
    return Reference(gpt2)


def _failed(assessment):
    return {
        f"{milestone.id}/{check.id}": check
        for milestone in assessment.milestones
        for check in milestone.checks
        if check.status == "failed"
    }


def test_a_constructor_gets_the_arguments_of_its_case(gpt2, planned):
    """With qkv_bias there are three biases more, without it there are none."""
    seen = observe_here(planned, gpt2.reference)
    names = {case: {one.name for one in seen[case].parameters} for case in ("gpt2", "gpt2-bias")}
    assert names["gpt2-bias"] - names["gpt2"] == {"q.bias", "k.bias", "v.bias"}


def test_the_reference_is_built_anew_for_other_arguments(planned, reference):
    """Equal sizes with other arguments are another module, whichever comes first; only the biases make the difference."""
    expected = reference.observe(planned)
    for case, count in (("plain", 0), ("biased", 3), ("plain", 0)):
        gradients = expected[case].calls[0].gradients
        assert sum(name in gradients for name in ("q.bias", "k.bias", "v.bias")) == count


def test_what_lies_inside_is_told_of_training_with_arguments_alone(gpt2, planned, reference):
    """A random call is judged by what it met, and nothing else needs that; later weights do not reach what was told."""
    expected = reference.observe(planned)
    told = {
        (case.name, number)
        for case in gpt2.cases
        if not case.construct_only and case.name != "indivisible"
        for number, call in enumerate(expected[case.name].calls)
        if call.inside
    }
    assert told == {(case, number) for case in ("dropped", "dropped-biased") for number in (1, 2, 3, 4)}
    before = expected["dropped"].calls[1].inside["out.weight"].clone()
    reference.observe(plan(gpt2, 8))["dropped"]
    assert torch.equal(expected["dropped"].calls[1].inside["out.weight"], before)


def test_programs_that_explain_have_the_arguments_too(gpt2, planned):
    """In every situation the module has just the biases of its case."""
    build = Reference(gpt2).diagnoser(gpt2).build
    known = situations(gpt2, planned, observe_here(planned, gpt2.reference), ["output"], build)
    biased = {one.case for one in known if one.given["self"].q.bias is not None}
    assert biased == {"biased", "biased-even", "dropped-biased"}


def test_an_argument_may_be_the_circumstance(gpt2, planned):
    """A fault that shows with an argument only is told so."""
    known = situations(
        gpt2, planned, observe_here(planned, gpt2.reference), ["output"], Reference(gpt2).diagnoser(gpt2).build
    )
    wrong = [one for one in known if "biased" in one.case]
    assert only(wrong, [one for one in known if one not in wrong]) == "where qkv_bias = True"


def test_messages_name_the_arguments(gpt2, planned, reference):
    """A count that is wrong with an argument only says which."""
    source = gpt2.reference.replace(
        "self.v = nn.Linear(d_in, d_out, bias=qkv_bias)", "self.v = nn.Linear(d_in, d_out, bias=False)"
    )
    failed = _failed(assess(gpt2, source, observe_here(planned, source), reference.observe(planned)))
    assert failed["skeleton/count-bias"].message.startswith(
        "With d_in = 768, d_out = 768, context_length = 1024, h = 12, qkv_bias = True the module has 2,361,600 parameters"
    )
    assert failed["skeleton/count-bias"].expected == "2,362,368 = 3·d_in·d_out + d_out² + d_out + 3·d_out"


def test_a_constructor_that_takes_no_such_argument_is_told(gpt2, planned, reference):
    """The name of the argument stands in the message, and the case counts as raised."""
    source = gpt2.reference.replace(", dropout=0.0, qkv_bias=False", ", qkv_bias=False").replace(
        "nn.Dropout(dropout)", "nn.Dropout(0.0)"
    )
    assessment = assess(gpt2, source, observe_here(planned, source), reference.observe(planned))
    assert assessment.ending is Ending.RAISED
    assert "dropout" in _failed(assessment)["skeleton/constructs"].message


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("", "“dropout” is no option of MultiHeadAttention; allowed: none"),
        ('options = ["drop"]\n', "“dropout” is no option of MultiHeadAttention; allowed: drop"),
    ],
)
def test_an_argument_that_the_entry_does_not_list(tmp_path, options, complaint):
    """A case can only pass what the entry says that a constructor takes."""
    folder = tmp_path / "multi-head-attention"
    shutil.copytree(PROJECT / "exercises" / folder.name, folder)
    file = folder / "exercise.toml"
    text = file.read_text().replace('positional = ["Q"', options + 'positional = ["Q"', 1)
    file.write_text(text.replace('name = "built-h3"\n', 'name = "built-h3"\narguments = { dropout = 0.1 }\n'))
    assert complaint in str(lint(folder, PROJECT / "reference")[0][0])


def test_a_bias_that_hangs_on_no_option(tmp_path):
    """A role may only ask for its bias by an argument that there is."""
    folder = tmp_path / "gpt2-attention"
    shutil.copytree(PROJECT / "exercises" / folder.name, folder)
    file = folder / "exercise.toml"
    file.write_text(file.read_text().replace('bias_when = "qkv_bias"', 'bias_when = "bias"', 1))
    complaint = str(lint(folder, PROJECT / "reference", PROJECT / "exercises")[0][0])
    assert "roles.0.bias_when: “bias” is no option; allowed: dropout, qkv_bias" in complaint
