"""Calls whose arguments do not fit: the tutor's own call of the submission, and calls that it makes."""

from __future__ import annotations

from tutor.meanings.rules import Rule

SIGNATURE = "Compare your def line with the signature in the statement."

ARGUMENTS: tuple[Rule, ...] = (
    Rule(
        r"TypeError@call: .*got an unexpected keyword argument '(\w+)'",
        "The call gives an argument called {1}, which your definition does not take.",
        "Add {1} to the parameters, spelled exactly as in the statement.",
    ),
    Rule(
        r"TypeError@call: \w+\.\S* takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given",
        "Number of arguments: your definition takes {1} (self counts), but it is called with {2}.",
        SIGNATURE,
    ),
    Rule(
        r"TypeError@call: .*takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given",
        "Number of arguments: your definition takes {1}, but it is called with {2}.",
        SIGNATURE,
    ),
    Rule(
        r"TypeError@call: .*missing (\d+) required (?:positional|keyword-only) arguments?: (.*)",
        "The call did not fill {1} of your parameters: {2}.",
        SIGNATURE,
    ),
    Rule(
        r"TypeError: .*got an unexpected keyword argument '(axis|axes|dims)'",
        "The call on this line gives an argument called {1}, which what it calls does not take.",
        "torch calls it dim.",
    ),
    Rule(
        r"TypeError: (.*got an unexpected keyword argument '(\w+)')",
        "The call on this line gives an argument called {2}, which what it calls does not take{near}.",
        "Correct the argument's name on this line, or give it to another call.",
    ),
    Rule(
        r"TypeError: (\w+)\(\) missing 1 required positional arguments?: \"dim\"",
        "{1} was not told along which axis.",
        "Name the axis, spelled dim: dim=-1 is the last one.",
    ),
    Rule(
        r"TypeError: transpose\(\) takes 2 positional arguments but (\d+) were given",
        "transpose exchanges two axes, and it was given {1}.",
        "Name the two axes to exchange; permute puts all of them in order.",
    ),
    Rule(
        r"TypeError: (\w+(?:\.(?!forward)\w+)?\(\) takes .* positional arguments? but .* given)",
        "The call on this line does not fit what it calls: {1}.",
        "Compare the arguments on this line with the definition of what is called; called through self, a method gets self as its first.",
        line=r"\bself\.\w+\(",
    ),
    Rule(
        r"TypeError: (.*takes .* positional arguments? but .* given|.*missing \d+ required positional arguments?.*|"
        r".*got multiple values for argument .*|.*takes (?:exactly |at most |at least |no )?\w+ (?:keyword |positional )?arguments?.*"
        r"|\w+ expected (?:at least |at most |exactly )?\d+ arguments?, got \d+)",
        "The call on this line does not fit what it calls: {1}.",
        "Compare the arguments on this line with the definition of what is called.",
    ),
)  # fmt: skip
