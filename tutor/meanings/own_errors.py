"""Exceptions that the submission itself raises."""

from __future__ import annotations

from tutor.meanings.rules import Rule

RAISED: tuple[Rule, ...] = (
    Rule(
        r"NotImplementedError: ?(.*)",
        "This line still raises NotImplementedError, so this part is not written yet{colon}{1}.",
        "Write what belongs here and remove the raise.",
        line=r"\braise\s+NotImplementedError\b",
    ),
    Rule(
        r"TypeError: exceptions must derive from BaseException",
        "raise takes an exception, not a text.",
        "Write raise ValueError(“…”) with the text in it.",
        line=r"\braise\b",
    ),
    Rule(
        r"\w+: (.+)",
        "Your own raise on this line speaks: {0}.",
        "Look at the condition it stands under{case}.",
        line=r"\braise\s+\w",
    ),
    Rule(
        r"(\w+): ",
        "Your own raise on this line stops the code with {1}.",
        "Look at the condition it stands under{case}.",
        line=r"\braise\s+\w",
    ),
)  # fmt: skip

ASSERTED: tuple[Rule, ...] = (
    Rule(
        r"AssertionError: ?(.*)",
        "An assert in your code does not hold{colon}{1}.",
        "Look at what it compares{case}.",
        line=r"\bassert\b",
    ),
    Rule(
        r"AssertionError: ?(.*)",
        "Something the code calls insists on a condition that does not hold{colon}{1}.",
        "Look at what this line gives it{case}.",
    ),
)  # fmt: skip
