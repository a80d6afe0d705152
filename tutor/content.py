"""What an exercise is made of, frozen and typed: the nouns an author writes in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Immutable, and a key nobody knows is an error rather than silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(Frozen):
    """What a submission must define, and how it is called.

    ``constructor`` names the positional constructor arguments (each a dimension); ``positional`` and ``keyword`` name the
    inputs of the call; ``returns`` maps each result to its shape in named axes, in order.
    """

    kind: Literal["class", "function"]
    name: str
    constructor: tuple[str, ...] = ()
    positional: tuple[str, ...]
    keyword: tuple[str, ...] = ()
    returns: Mapping[str, str]


class Role(Frozen):
    """One weight matrix of the contract: its attribute, the shape of ``.weight`` in named axes, other names seen in the wild."""

    name: str
    shape: str
    aliases: tuple[str, ...] = ()


class Again(Frozen):
    """One more call on the same module.

    The recipes of ``inputs`` replace those of the first call; what they do not name is given again as it was, unless ``dims`` changes
    sizes: then everything is drawn anew. ``train`` makes the call in training mode.
    """

    inputs: Mapping[str, str] = {}
    dims: Mapping[str, int] = {}
    train: bool = False


class Case(Frozen):
    """One situation in which code is observed.

    ``inputs`` are recipes (see ``tutor.inputs``). ``construct_only`` stops after the constructor. ``record`` keeps the names of the torch
    operations of the first call, ``tape`` their lines and results, too. ``gradients`` asks for those of the weights, or of the inputs where there are none.
    ``fresh`` leaves the weights as the constructor made them; ``dtype`` is that of weights and inputs.
    """

    name: str
    dims: Mapping[str, int]
    inputs: Mapping[str, str] = {}
    again: tuple[Again, ...] = ()
    construct_only: bool = False
    record: bool = False
    tape: bool = False
    gradients: bool = False
    fresh: bool = False
    dtype: Literal["float32", "float64"] = "float32"


class Check(Frozen):
    """One question about a submission: a kind from ``checkers/``, the cases it looks at, the checks it presupposes."""

    id: str
    title: str
    kind: str
    cases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}


class Milestone(Frozen):
    """An ordered part of an exercise that a tutor can assign by its id."""

    id: str
    title: str
    goal: str
    checks: tuple[Check, ...]


class Variant(Frozen):
    """One form of a fault in the numbers: stages of the reference with another expression.

    In an expression ``{}`` stands for the present one, so that faults can meet in one stage. ``says`` overrides the trap's sentence.
    """

    replace: Mapping[str, str]
    says: str = ""


class Symptom(Frozen):
    """How a fault that never reaches the numbers shows; every part that is given must hold.

    ``code`` is that of a failed check's finding, ``check`` its "milestone/check", ``text`` a pattern found in its words, ``without`` one for a
    code that no failed check has. ``error`` is a pattern found in "Type: message" of an exception, ``operation`` one for the torch operation
    that raised, ``operands`` the last axes of what it was given, in order, ``raised`` a pattern found in the submission up to and with the line that raised.
    ``step`` is a pattern for an operation that was carried out and the type of its result ("round float32"). ``source`` is found in the submission
    without its comments and texts, ``absent`` is not. ``near`` says that all numbers are at most so far from the right ones. ``line`` is no condition but a pattern for the
    line to change, where that is another one than the check's; its group ``here`` says where on the match.
    """

    code: str = ""
    check: str = ""
    text: str = ""
    without: str = ""
    error: str = ""
    operation: str = ""
    operands: tuple[str, ...] = ()
    raised: str = ""
    step: str = ""
    source: str = ""
    absent: str = ""
    near: float | None = None
    line: str = ""


class Example(Frozen):
    """A program with the fault, for the proof: passages of the reference exchanged, or a whole file beside the trap."""

    edits: tuple[tuple[str, str], ...] = ()
    file: str = ""
    source: str = ""


class Trap(Frozen):
    """A known fault: what it is, how it is recognised, and a ladder of hints.

    ``line`` is a pattern for the line to change, searched in the submission without comments, where a symptom knows none. ``place`` says how the
    tape's line leads to it: "call" = where a helper was called, "definition" = where a number on that line was worked out, "use" = the next line that takes the value; "result" = the line itself, not where it begins to go wrong; "line" = ``line`` knows it better.
    ``same_as`` names traps that no observation can tell from this one, ``brings`` those whose numbers are only a consequence of this one.
    """

    id: str
    says: str
    hints: tuple[str, str, str]
    variants: tuple[Variant, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    examples: tuple[Example, ...] = ()
    line: str = ""
    place: Literal["", "call", "definition", "use", "result", "line"] = ""
    same_as: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()


class Mutant(Frozen):
    """A fault without a name, for the proof alone: a check must fail it, and no trap may claim it.

    ``replace`` changes stages of the reference, ``edits`` passages of its text.
    """

    says: str
    replace: Mapping[str, str] = {}
    edits: tuple[tuple[str, str], ...] = ()


class Exercise(Frozen):
    """One exercise, loaded from its folder."""

    slug: str
    title: str
    summary: str
    lesson: str
    version: int
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
        return next(case for case in self.cases if case.name == name)
