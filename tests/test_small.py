"""The smallest example: right code never differs, wrong code does in a tiny case, and the lines show the same numbers."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import torch

from tutor.catalog import load_exercise
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.inputs import Drawer
from tutor.judge import facts
from tutor.lint import _drawable
from tutor.observing import observe_here
from tutor.planning import joined, plan
from tutor.settings import PROJECT
from tutor.small import MOST_CASES, SmallCases, _Look
from tutor.trials import OUTCOME, Example, Looked, Scratch, SmallExample

CORPUS = Path(__file__).parent / "submissions"
SLUGS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
MHA = "multi-head-attention"


@pytest.fixture(scope="module")
def look(catalog):
    """Slug and source → the example, found in this process: for sources that harm nobody."""
    known = {}

    def find(slug, source, seed=7):
        if (slug, seed) not in known:
            reference = Reference(catalog[slug])
            cases = SmallCases(catalog[slug], reference, reference.diagnoser(catalog[slug]))
            known[slug, seed] = cases, cases.plan(seed)
        cases, planned = known[slug, seed]
        return cases.example(planned, source, observe_here(planned, source))

    return find


def _numbers(text):
    return [float(number) for number in re.findall(r"-?\d+\.\d*", text)]


def _right(lines):
    """The numbers in the comments of a snippet."""
    return _numbers("\n".join(line for line in lines.splitlines() if line.startswith("# ")))


@pytest.mark.parametrize("slug", SLUGS)
def test_the_lines_of_every_call_show_the_right_numbers(catalog, capsys, slug):
    """Whichever case and call is shown: run below the reference, its lines print what they say is right."""
    exercise = catalog[slug]
    reference = Reference(exercise)
    cases = SmallCases(exercise, reference, reference.diagnoser(exercise))
    planned = cases.plan(3)
    seen, expected = observe_here(planned, exercise.reference), reference.observe(planned)
    for case in cases._cases:
        mine, right = seen[case.name], expected[case.name]
        look = _Look(cases._exercise, case, planned, facts(cases._exercise, exercise.reference))
        for number in range(len(right.calls)):
            lines = look._example(mine, right, number).snippet
            exec(f"{exercise.reference}\n{lines}", {"__name__": "tried"})  # noqa: S102
            printed, wanted = _numbers(capsys.readouterr().out), _right(lines)
            assert wanted
            assert printed == pytest.approx(wanted, abs=0.011), lines
    torch.set_printoptions(profile="default")


@pytest.mark.sandbox
@pytest.mark.parametrize("slug", SLUGS)
def test_the_lines_show_the_same_numbers(checker, catalog, slug):
    """Below right code the lines run to their end behind the walls and print the numbers that they say are right."""
    exercise = catalog[slug]
    for source in (exercise.reference, min(CORPUS.glob(f"{slug}/right/*.py")).read_text(encoding="utf-8")):
        found = checker.tryout.run(exercise, source, SmallExample())
        assert isinstance(found, Example)
        assert not found.differs
        looked = checker.tryout.run(exercise, source, Scratch(lines=found.snippet))
        assert isinstance(looked, Looked)
        assert looked.stopped is None, looked.stopped
        printed, wanted = _numbers(looked.printed), _right(found.snippet)
        assert wanted
        assert printed[-len(wanted) :] == pytest.approx(wanted, abs=0.011)
        assert OUTCOME.validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("slug", "change", "case"),
    [
        (MHA, (".unflatten(-1, (self.h, self.d_k)).transpose(1, 2)", ".reshape(len(x), self.h, -1, self.d_k)"), (1, False)),
        (MHA, ("math.sqrt(self.d_k)", "math.sqrt(self.h)"), (3, False)),
        (MHA, ("masked_fill(~mask", "masked_fill(mask"), (7, False)),
        (MHA, ("torch.softmax(masked, dim=-1)", "torch.softmax(masked, dim=-2)"), (1, False)),
        ("cross-attention", ("self.W_V(source)", "self.W_V(x)"), (3, False)),
        ("cross-attention", ("x if memory is None else memory", "x if memory is None or self.training else memory"), (9, True)),
        ("gpt2-attention", ("bias=qkv_bias", "bias=False"), (3, False)),
        ("layer-normalization", ("variance + eps", "variance + 2 * eps"), (7, False)),
        ("positional-encoding", ("torch.sin(angles), torch.cos(angles)", "torch.cos(angles), torch.sin(angles)"), (1, False)),
        ("fused-qkv-attention", ("context.transpose(1, 2).flatten(2)", "context.reshape(x.shape)"), (1, False)),
        ("causal-attention", ("self.mask[: x.shape[1], : x.shape[1]]", "self.mask[0, : x.shape[1]]"), (1, False)),
        ("scaled-dot-product-attention", ("Q.shape[-1]", "Q.shape[-2]"), (3, False)),
    ],
)  # fmt: skip
def test_the_simplest_case_that_shows_a_fault_is_taken(catalog, look, slug, change, case):
    """Without a mask where none is needed, with one call where one is enough; what differs is marked."""
    source = catalog[slug].reference
    assert change[0] in source
    found = look(slug, source.replace(*change))
    assert found.differs
    first, train = case
    assert found.looked_at in {first, first + 1}  # one draw may hide it, not both
    assert found.train is train
    wrong = [one for one in found.compared if one.differs]
    assert wrong
    for one in wrong:
        assert one.mine is not None
        pairs = [(one.mine.values[place], one.wanted.values[place]) for place in one.apart]
        assert all(mine is None or round(mine, one.decimals) != round(wanted, one.decimals) for mine, wanted in pairs)


def test_everything_is_small_and_whole(catalog):
    """At most twelve cases, with whole numbers in every weight, and in every input but those that are made smaller still."""
    for slug in SLUGS:
        exercise = catalog[slug]
        reference = Reference(exercise)
        cases = SmallCases(exercise, reference, reference.diagnoser(exercise))
        planned = cases.plan(5)
        small = [case for case in planned.cases if case["name"].startswith("example-")]
        assert len(exercise.examples) <= len(small) <= MOST_CASES
        for case in small:
            for index in case["weights"].values():
                assert set(planned.tensors[index].unique().tolist()) <= {-1.0, 0.0, 1.0}
                assert len(planned.tensors[index].unique()) > 1
        first = exercise.examples[0]
        assert first.dims.get("B", 1) == 1
        assert "mask" not in first.inputs


def test_whole_numbers_are_never_all_the_same():
    """Not even where there are but two of them; a single one is not 0."""
    drawn = Drawer(1, whole=True)
    for _ in range(100):
        pair = drawn._draw("whole 1 2 * 0.5", {}, {})
        assert pair[0, 0] != pair[0, 1]
        assert (pair * 2 == (pair * 2).round()).all()
        assert drawn._draw("whole 1", {}, {}).item() != 0


def test_plans_are_joined_without_mixing_their_tensors(catalog):
    """Every case of the joined plan refers to what it referred to before."""
    exercise = catalog["cross-attention"]
    one, other = plan(exercise, 1), plan(exercise, 2)
    both = joined([one, other])
    assert [case["name"] for case in both.cases] == [case["name"] for case in (*one.cases, *other.cases)]
    for planned, case, moved in [
        *((one, case, moved) for case, moved in zip(one.cases, both.cases, strict=False)),
        *((other, case, moved) for case, moved in zip(other.cases, both.cases[len(one.cases) :], strict=True)),
    ]:
        for role, index in case["weights"].items():
            assert torch.equal(planned.tensors[index], both.tensors[moved["weights"][role]])
        for call, later in zip(case["calls"], moved["calls"], strict=True):
            pairs = [*zip(call["args"], later["args"], strict=True)]
            pairs += [(call["kwargs"][name], later["kwargs"][name]) for name in call["kwargs"]]
            assert all(torch.equal(planned.tensors[a], both.tensors[b]) for a, b in pairs)


@pytest.mark.parametrize(
    ("change", "says", "line"),
    [
        (("import math", "import math\nraise ValueError('early')"), "early", 7),
        (("self.W_Q(Q)", "self.W_Q(Q).view(3, 3)"), "view", 40),
        (("        self.W_V = nn.Linear(d_model, d_model, bias=False)\n", ""), "W_V", 41),
        (("nn.Linear(d_model, d_model, bias=False)", "nn.Linear(d_model, h * d_model, bias=False)"), "cut axis", 57),
    ],
)
def test_code_that_stops_is_explained(catalog, look, change, says, line):
    """Why and where, and with the numbers of the case once there is one."""
    source = catalog[MHA].reference
    assert change[0] in source
    found = look(MHA, source.replace(*change, 1))
    assert found.stopped is not None
    assert says in found.stopped.message
    assert not found.differs
    assert found.compared == ()
    assert found.stopped.line == line
    assert bool(found.given) is (says != "early")


def test_weights_that_cannot_be_put_in_are_said(look, catalog):
    """Numbers made with other weights would say nothing, so why they could not be put in is said instead."""
    source = catalog[MHA].reference.replace("self.W_Q = nn.Linear(d_model, d_model, bias=False)", "pass")
    found = look(MHA, source.replace("self.W_Q(Q)", "Q"))
    assert found.stopped is not None
    assert "No matrix for W_Q was found" in found.stopped.message


@pytest.mark.parametrize(
    ("returned", "instead", "shape"),
    [
        ("return None", "None", None),
        ("return output.transpose(1, 2), attn_w", "", (1, 4, 2)),
        ("return torch.zeros(100, 100), attn_w", "a tensor of shape (100, 100)", None),
        ("return output + 0j, attn_w", "complex numbers", None),
        ("return output * float('nan'), attn_w", "", (1, 2, 4)),
        ("return output", "", (1, 2, 4)),
    ],
)
def test_whatever_comes_back_stands_beside_what_is_right(catalog, look, returned, instead, shape):
    """Another shape counts as a difference; what is no tensor, or far too large, is named; what is missing is nothing."""
    found = look(MHA, catalog[MHA].reference.replace("return output, attn_w", returned))
    assert found.differs
    output, weights = found.compared
    assert (output.instead, output.mine and output.mine.shape) == (instead, shape)
    assert output.wanted.shape == (1, 2, 4)
    if "nan" in returned:
        assert output.mine.values == (None,) * 8
        assert output.apart == tuple(range(8))
    assert weights.instead == ("nothing" if "attn_w" not in returned else "")


def test_other_names_are_used_by_the_lines(catalog, look):
    """Where the code keeps its weights under names of its own, or adds a bias, the lines put the numbers there."""
    source = (
        catalog[MHA]
        .reference.replace("W_Q", "w_q")
        .replace("self.W_K = nn.Linear(d_model, d_model, bias=False)", "self.W_K = nn.Linear(d_model, d_model)")
    )
    found = look(MHA, source)
    assert "    layer.w_q.weight.copy_(" in found.snippet
    assert "    layer.W_K.bias.zero_()" in found.snippet


def test_a_later_call_makes_the_earlier_ones_first(catalog, look):
    """The lines make every call on one layer; what was given again is not written again."""
    source = catalog["cross-attention"].reference.replace("x if memory is None else memory", "self.kept(x, memory)")
    source += "\n    def kept(self, x, memory):\n        self.first = getattr(self, 'first', x if memory is None else memory)\n        return self.first\n"
    found = look("cross-attention", source)
    assert found.differs
    assert found.call == 2
    assert len(re.findall(r"layer\(x, memory=memory\)", found.snippet)) == 2
    assert len(re.findall(r"^ *x = ", found.snippet, re.MULTILINE)) == 1
    assert len(re.findall(r"^ *memory = ", found.snippet, re.MULTILINE)) == 2


def test_an_exercise_without_examples_has_nothing_to_show(catalog):
    """No case, no numbers, no error."""
    bare = catalog[MHA].model_copy(update={"examples": ()})
    reference = Reference(bare)
    cases = SmallCases(bare, reference, reference.diagnoser(bare))
    planned = cases.plan(1)
    assert cases.example(planned, bare.reference, observe_here(planned, bare.reference)) == Example()


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('name = "wider"', 'name = "plain"', "more than once"),
        ('name = "wider"', 'name = "wider"\ntape = true', "“tape” is no key of an example"),
    ],
)
def test_an_example_has_the_keys_it_needs(tmp_path, before, after, says):
    """Names are their own, and what only checks look at is refused."""
    folder = tmp_path / MHA
    shutil.copytree(PROJECT / "exercises" / MHA, folder)
    text = (folder / "exercise.toml").read_text(encoding="utf-8")
    assert before in text
    (folder / "exercise.toml").write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(ContentError, match=says):
        load_exercise(folder, PROJECT / "reference")


def test_an_example_that_cannot_be_drawn_is_the_authors_fault(catalog):
    """It is looked at like a case, and the complaint names its place."""
    exercise = catalog[MHA]
    _drawable(exercise)
    odd = exercise.examples[0].model_copy(
        update={"inputs": {**exercise.examples[0].inputs, "Q": "whole B T_x d_model"}}
    )
    with pytest.raises(ContentError, match="T_x") as caught:
        _drawable(exercise.model_copy(update={"examples": (odd,)}))
    assert caught.value.key == "examples.0.inputs.Q"
