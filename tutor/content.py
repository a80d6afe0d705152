"""What an exercise is made of, frozen and typed: the nouns an author writes in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from tutor.fields import Frozen, Id, Name, Pattern, Size, Text

LOAD = "load"  # stands where a case does and is the loading of the file


class Entry(Frozen):
    """What a submission must define, and how it is called.

    ``constructor`` names the positional constructor arguments (each a dimension); ``positional`` and ``keyword`` name the
    inputs of the call; ``returns`` maps each result to its shape in named axes, in order.
    """

    kind: Literal["class", "function"]
    name: Text
    constructor: tuple[str, ...] = ()
    positional: tuple[str, ...]
    keyword: tuple[str, ...] = ()
    returns: Mapping[str, str]


class Role(Frozen):
    """One weight matrix of the contract: its attribute, the shape of ``.weight`` in named axes, other names seen in the wild."""

    name: Text
    shape: Text
    aliases: tuple[str, ...] = ()


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
    ``fresh`` leaves the weights as the constructor made them; ``dtype`` is that of weights and inputs.
    """

    name: Id
    dims: Mapping[str, Size]
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


class Variant(Frozen):
    """One form of a fault in the numbers: stages of the reference with another expression.

    In an expression ``{}`` stands for the present one, so that faults can meet in one stage. ``says`` overrides the trap's sentence.
    """

    replace: Annotated[Mapping[str, str], Field(min_length=1)]
    says: str = ""


class Symptom(Frozen):
    """How a fault that never reaches the numbers shows; every part that is given must hold, and one must be.

    A pattern is looked for anywhere, unless it says “whole”. Only ``line`` and ``inside`` are no conditions.

    Args:
        code: that of a failed check's finding.
        check: the failed check itself, "milestone/check".
        text: a pattern in the words of the finding.
        without: a whole code that no failed check has.
        error: a pattern in "Type: message" of an exception.
        operation: the whole name of the torch operation that raised.
        operands: the last axes of what that operation was given, in order.
        raised: a pattern in the submission up to and with the line that raised.
        step: an operation that was carried out and the type of its result, whole ("round float32").
        source: a pattern in the submission without its comments and texts; a group ``here`` marks the line to change.
        absent: a pattern that is not there.
        near: all numbers are at most so far from the right ones.
        inside: the function, class or method that ``source``, ``absent`` and ``line`` look at, such as "A.forward", instead of the whole submission.
        line: a pattern for the line to change, where that is another one than the check's; a group ``here`` says where on the match.
    """

    code: str = ""
    check: str = ""
    text: Pattern = ""
    without: Pattern = ""
    error: Pattern = ""
    operation: Pattern = ""
    operands: tuple[str, ...] = ()
    raised: Pattern = ""
    step: Pattern = ""
    source: Pattern = ""
    absent: Pattern = ""
    near: float | None = None
    inside: Name | Literal[""] = ""
    line: Pattern = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        conditions = self.model_dump(exclude={"inside", "line"}, exclude_defaults=True)
        if not conditions:
            raise PydanticCustomError("symptom", "holds always, because no condition is given")
        return self


Edit = tuple[Annotated[str, Field(min_length=1)], str]
"""A passage of the reference, and what stands there instead."""


class Example(Frozen):
    """A program with the fault, for the proof: passages of the reference exchanged."""

    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]


class Trap(Frozen):
    """A known fault: what it is, how it is recognised, and a ladder of hints.

    Args:
        id: the name of its file.
        says: one sentence, true of any code that has the fault.
        hints: three rungs: a question, the concept, the corrected expression.
        variants: its forms in the numbers.
        symptoms: how it shows elsewhere.
        examples: programs with the fault, for the proof.
        line: a pattern for the line to change, looked for in the submission without comments, where a symptom knows none.
        place: how the tape's line leads to the line to change: "call", where a helper was called; "definition", where a number on it
            was worked out; "use", the next line that takes the value; "result", the line that gave the result, not where it begins to go
            wrong; "line", nowhere, as ``line`` knows better.
        same_as: traps that no observation can tell from this one.
        brings: traps whose numbers are only a consequence of this one.
    """

    id: Id
    says: Text
    hints: tuple[Text, Text, Text]
    variants: tuple[Variant, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    examples: tuple[Example, ...] = ()
    line: Pattern = ""
    place: Literal["", "call", "definition", "use", "result", "line"] = ""
    same_as: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()


class Mutant(Frozen):
    """A fault without a name, for the proof alone: a check must fail it, and no trap may claim it.

    ``replace`` changes stages of the reference, ``edits`` passages of its text.
    """

    says: Text
    replace: Mapping[str, str] = {}
    edits: tuple[Edit, ...] = ()


class Exercise(Frozen):
    """One exercise, loaded from its folder."""

    slug: Id
    title: Text
    summary: Text
    lesson: Text
    version: Size
    entry: Entry
    roles: tuple[Role, ...]
    cases: tuple[Case, ...]
    milestones: tuple[Milestone, ...]
    forbidden_calls: tuple[str, ...] = ()
    traps: tuple[Trap, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    statement: str
    starter: str
    reference: str

    def case(self, name: str) -> Case:
        """The case of that name.

        Raises:
            KeyError: there is none; loading the file has no case.
        """
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)
