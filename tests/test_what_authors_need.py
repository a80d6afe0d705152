"""What somebody who adds an exercise with data alone runs into: recipes, counts, defaults, faults that cannot be worked out, trying before listing."""

from __future__ import annotations

import pytest
import torch
from pydantic import ValidationError

from checkers.base import About, Call, Ending, Observation, Parameter
from tests.checkers.making import find
from tutor.authoring import write_skeleton
from tutor.catalog import load_catalog, with_unlisted
from tutor.content import Case
from tutor.curriculum import Shelf
from tutor.errors import ContentError
from tutor.expected import Reference
from tutor.inputs import Drawer, check_axes, check_recipe
from tutor.proof import prove
from tutor.settings import Settings
from tutor.situations import Situation
from tutor.traps import Symptom, Trap, Variant

DIMS = {"B": 2, "T": 5, "d": 7}
HINTS = ("Is it so?", "It is so.", "so")


def _case(**inputs):
    return Case(name="c", dims=DIMS, inputs=inputs)


def test_a_tensor_may_hold_one_number_everywhere():
    """A stretch of 1 and a shift of 0 leave what lies before them to be looked at alone."""
    drawn = Drawer(3).calls(_case(gamma="ones d", beta="zeros d", x="ones B T d * 0.5"))[0]
    assert torch.equal(drawn["gamma"], torch.ones(7))
    assert torch.equal(drawn["beta"], torch.zeros(7))
    assert torch.equal(drawn["x"], torch.full((2, 5, 7), 0.5))


@pytest.mark.parametrize(
    ("recipe", "accepted"),
    [("randn B T d * 0.003", True), ("ones d * 4", True), ("zeros d * 4", False), ("ones * 4", False)],
)
def test_factors(recipe, accepted):
    """They may be small, and stand where they change something."""
    if accepted:
        check_recipe(recipe, _case(), 0, "x/exercise.toml", "cases.0.inputs.x")
        return
    with pytest.raises(
        ContentError, match=r"a factor is written “\* 40” or “\* 0\.01” at the end of randn, whole or ones"
    ):
        check_recipe(recipe, _case(), 0, "x/exercise.toml", "cases.0.inputs.x")


def test_a_module_may_have_no_parameters_at_all():
    """A count may be 0, where a size may not, and the finding says so without a formula."""
    check_axes("0", DIMS, "x/exercise.toml", "count", least=0)
    with pytest.raises(ContentError, match="every size must be 1 or more"):
        check_axes("0", DIMS, "x/exercise.toml", "shape")
    about = About(entry="A", roles={}, returns={"output": "B T d"}, dims={"a": DIMS})
    learned = Observation(case="a", ending=Ending.RETURNED, parameters=(Parameter("pe", (5, 7)),), unclaimed=("pe",))
    found = find("parameter_count", {"a": learned}, about=about, count="0")
    assert (found.expected, found.next_step) == ("0", "There are: pe. Which of them should be there?")


def test_one_input_alone_is_not_spoken_of_as_several():
    """Where there are no weights and one input, its gradient is the only one there is."""
    about = About(entry="A", roles={}, returns={"output": "B T d"}, dims={"a": DIMS})
    cut = Observation(
        case="a", ending=Ending.RETURNED, calls=(Call("tensor", (torch.ones(2),), gradients={"x": None}),)
    )
    found = find("learns", {"a": cut}, about=about)
    assert found.message.startswith("No gradient reaches x, ")
    assert found.expected == "a gradient for x"


def test_a_pattern_is_no_code():
    """A code is compared in full, so one that can never hold is refused with what to write instead."""
    with pytest.raises(ValidationError, match="a symptom of its own for every other"):
        Symptom(code="gradient-cut|gradient-differs")


def _told(exercise, replace):
    trap = Trap(id="a-trap", says="It is so.", hints=HINTS, variants=(Variant(replace=replace),))
    changed = exercise.model_copy(update={"traps": (trap,), "borrows": (), "mutants": ()})
    with pytest.raises(ContentError) as caught:
        prove(changed, Reference(changed))
    return str(caught.value)


def test_a_variant_that_can_be_worked_out_nowhere_is_named(catalog):
    """With the stage, and with what Python says about it; a module that the reference does not import is the usual reason."""
    told = _told(catalog["layer-normalization"], {"spread": "torch.sqrt(variance) + math.sqrt(eps)"})
    assert told == (
        "layer-normalization/traps/a-trap.toml: variants.0.replace: spread cannot be worked out in any case: "
        "NameError: name 'math' is not defined."
    )


def test_a_reference_that_the_stages_cannot_follow_is_named(catalog):
    """A stage may use what it is given, not what only a loop of the function's own would know."""
    exercise = catalog["layer-normalization"]
    text = exercise.reference.replace("x - mean  #", "x - mean + (lambda: missing)() * 0  #")
    changed = exercise.model_copy(update={"reference": text, "mutants": ()})
    diagnoser = Reference(exercise).diagnoser(changed)
    room = {"x": torch.randn(2, 3, 4), "gamma": torch.ones(4), "beta": torch.zeros(4)}
    with pytest.raises(
        ContentError, match=r"reference/layer_normalization\.py: centred: cannot be worked out in case c: NameError"
    ):
        diagnoser.dictionary.check([Situation("c", 0, room, {})])


def test_a_parameter_that_nobody_passes_has_its_default(catalog):
    """The stages see eps as the function does."""
    exercise = catalog["layer-normalization"]
    room = {"x": torch.zeros(2, 4), "gamma": torch.ones(4), "beta": torch.zeros(4)}
    dictionary = Reference(exercise).diagnoser(exercise).dictionary
    spread = dictionary.values((), Situation("c", 0, room, {}))["spread"]
    torch.testing.assert_close(spread, torch.full((2, 1), 1e-5).sqrt())


def test_an_exercise_can_be_tried_before_it_is_listed(tmp_path):
    """It is found where it lies; a name that lies nowhere adds nothing."""
    shelf = Shelf(tmp_path, tmp_path / "reference")
    write_skeleton("running-mean", shelf)
    shelves = (*Settings().shelves[:1], shelf)
    catalog = load_catalog(*shelves)
    assert catalog.find("running-mean") is None
    tried = with_unlisted(catalog, "running-mean", *shelves)
    assert (tried["running-mean"].slug, tried.lessons) == ("running-mean", catalog.lessons)
    assert with_unlisted(catalog, "no-such", *shelves) is catalog
