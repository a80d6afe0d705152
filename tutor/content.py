"""What an exercise is made of, frozen and typed: the nouns an author writes in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from tutor.fields import Frozen, Id, Size, Text
from tutor.quiz import Question
from tutor.traps import Borrowed, Mutant, Trap

LOAD = "load"  # stands where a case does and is the loading of the file


class Entry(Frozen):
    """What a submission must define, and how it is called.

    ``constructor`` names the positional constructor arguments (each a dimension), ``options`` those that a case may pass by name;
    ``positional`` and ``keyword`` name the inputs of the call; ``returns`` maps each result to its shape in named axes, in order.
    """

    kind: Literal["class", "function"]
    name: Text
    constructor: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    positional: tuple[str, ...]
    keyword: tuple[str, ...] = ()
    returns: Mapping[str, str]


class Role(Frozen):
    """One weight matrix of the contract: its attribute, the shape of ``.weight`` in named axes, other names seen in the wild.

    ``bias`` is the shape of ``.bias`` where the layer has one; with ``bias_when`` it has one only in cases whose constructor gets that
    argument as true.
    """

    name: Text
    shape: Text
    aliases: tuple[str, ...] = ()
    bias: str = ""
    bias_when: str = ""


class Again(Frozen):
    """One more call on the same module.

    The recipes of ``inputs`` replace those of the first call; what they do not name is given again as it was, unless ``dims`` changes
    sizes: then everything is drawn anew. ``train`` makes the call in training mode.
    """

    inputs: Mapping[str, str] = {}
    dims: Mapping[str, Size] = {}
    train: bool = False


class Case(Frozen):
    """One situation in which code is observed.

    ``inputs`` are recipes (see ``tutor.inputs``). ``construct_only`` stops after the constructor. ``record`` keeps the names of the torch
    operations of the first call, ``tape`` their lines and results, too. ``gradients`` asks for those of the weights and the inputs in it.
    ``fresh`` leaves the weights as the constructor made them; ``dtype`` is that of weights and inputs. ``arguments`` are what the
    constructor gets by name.
    """

    name: Id
    dims: Mapping[str, Size]
    arguments: Mapping[str, bool | int | float] = {}
    inputs: Mapping[str, str] = {}
    again: tuple[Again, ...] = ()
    construct_only: bool = False
    record: bool = False
    tape: bool = False
    gradients: bool = False
    fresh: bool = False
    dtype: Literal["float32", "float64"] = "float32"

    def dims_of(self, call: int) -> Mapping[str, int]:
        """The value of every named axis in one call, counted from 0."""
        return {**self.dims, **self.again[call - 1].dims} if call else self.dims

    def recipes(self, call: int) -> Mapping[str, str]:
        """What is drawn anew for one call, counted from 0: everything where sizes change."""
        again = self.again[call - 1] if call else Again(inputs=self.inputs)
        return {**self.inputs, **again.inputs} if again.dims else again.inputs


class Check(Frozen):
    """One question about a submission: a kind from ``checkers/``, the cases it looks at, the checks it presupposes."""

    id: Id
    title: Text
    kind: str
    cases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}


class Milestone(Frozen):
    """An ordered part of an exercise that a tutor can assign by its id."""

    id: Id
    title: Text
    goal: Text
    checks: Annotated[tuple[Check, ...], Field(min_length=1)]


class Readings(Frozen):
    """All right orders of the rows of one role's weight; a submission keeps to one of them.

    ``layouts`` are orders of the same named axes, the reference's first; the entries along the axis ``any_order`` may change places.
    """

    role: Text
    layouts: Annotated[tuple[Text, ...], Field(min_length=1)]
    any_order: str = ""


class LensSetup(Frozen):
    """How the attention lens looks into a layer, or a function: with four heads whose weights are made by hand.

    ``dims`` are the sizes. ``weights`` says of every role what it makes, ``queries``, ``keys``, ``values`` or ``output``; one that makes
    several holds them one below the other, as the reference reads them. ``inputs`` says what is given: the ``sentence``, the sentence
    ``backwards``, a ``causal`` mask, which is given on request, or to a function the ``queries``, ``keys`` and ``values``
    themselves. ``maps`` is the result that holds the attention weights; without it they are read from the first one.
    """

    dims: Mapping[str, Size]
    weights: Mapping[str, Text] = {}
    inputs: Mapping[str, Text]
    maps: str = ""

    @property
    def can_hide(self) -> bool:
        """Whether later words can be hidden on request."""
        return "causal" in self.inputs.values()


class Exercise(Frozen):
    """One exercise, loaded from its folder."""

    slug: Id
    title: Text
    summary: Text
    version: Size
    entry: Entry
    roles: tuple[Role, ...]
    readings: Readings | None = None
    lens: LensSetup | None = None
    cases: tuple[Case, ...]
    examples: tuple[Case, ...] = ()
    milestones: tuple[Milestone, ...]
    forbidden_calls: tuple[str, ...] = ()
    borrows: tuple[Borrowed, ...] = ()
    traps: tuple[Trap, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    quiz: tuple[Question, ...] = ()
    statement: str
    starter: str
    reference: str
    library: str = ""

    def file_of(self, trap: str) -> str:
        """The file of a trap, for complaints: in this exercise's folder, or in that of the one it is borrowed from."""
        home = next((borrowed.source for borrowed in self.borrows if trap in borrowed.traps), self.slug)
        return f"{home}/traps/{trap}.toml" + (f" (borrowed by {self.slug})" if home != self.slug else "")

    def biases(self, case: Case) -> dict[str, str]:
        """The roles that have a bias in a case, each with its shape in named axes."""
        roles = (role for role in self.roles if role.bias)
        return {role.name: role.bias for role in roles if not role.bias_when or case.arguments.get(role.bias_when)}

    def case(self, name: str) -> Case:
        """The case of that name.

        Raises:
            KeyError: there is none; loading the file has no case.
        """
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)
