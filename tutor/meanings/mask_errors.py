"""What torch's exceptions about masks and other booleans mean here."""

from __future__ import annotations

from tutor.meanings.rules import Rule

MASKS: tuple[Rule, ...] = (
    Rule(
        r"RuntimeError: masked_fill_? only supports a 0-dimensional value tensor, but got tensor with (\d+) dimension",
        "masked_fill puts one number wherever the mask is True, and here it was given a whole tensor to put there.",
        "Give it a number, such as float(\"-inf\"); to choose between two tensors there is torch.where(mask, a, b).",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor",
        "einsum was given a tensor where it takes its equation.",
        "The equation comes first: torch.einsum(“bhqd,bhkd->bhqk”, q, k).",
        line=r"\beinsum\(\s*\w",
    ),
    Rule(
        r"IndexError: The shape of the mask (\[.*?\]) at index (\d+) does not match the shape of the indexed tensor (\[.*?\])",
        "A mask in square brackets is not stretched: {1} does not cover {3}.{given}",
        "masked_fill stretches its mask over the missing axes.",
    ),
    Rule(
        r"RuntimeError: masked_fill_? only supports boolean masks, but got mask with dtype (\w+)",
        "masked_fill takes a boolean mask, and here it is of type {1}.",
        "The mask arrives boolean: ~mask turns it round, and a comparison such as m == 0 is boolean again.",
    ),
    Rule(
        r"RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype (\w+)",
        "torch.where takes a boolean condition, and here it is of type {1}.",
        "Give it the mask as it arrives, without .float() or .int().",
    ),
    Rule(
        r"RuntimeError: (?:Subtraction|Negation), the `-` operator, (?:with|on) a bool tensor is not supported",
        "Booleans cannot be subtracted, and the mask is boolean.",
        "~mask turns a mask round.",
    ),
    Rule(
        r"TypeError: ~ \(operator.invert\) is only implemented on integer and Boolean-type tensors",
        "~ turns booleans round, and this tensor holds numbers with a fraction.{given}",
        "Apply it to the boolean mask itself; a mask made with torch.ones becomes boolean with .bool().",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true, by not.",
        "“{optional} is None” asks whether it was given at all; to turn every entry of a mask round, there is ~.",
        line=r"\bnot\s+(?!None\b)\w",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A comparison of tensors gives a tensor, and that whole tensor is asked whether it is true.",
        "Compare single numbers or shapes, use .all() or .any(); whether two names are the same thing asks “is”.",
        line=r"==|!=|<|(?<!-)>|\bin\b",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true, by and or or.",
        "Ask “if {optional} is None:” and set it there.",
        line=r"\b(?:and|or)\b",
    ),
    Rule(
        r"RuntimeError: Boolean value of Tensor|RuntimeError: bool value of Tensor",
        "A whole tensor is asked whether it is true.",
        "Ask “if {optional} is not None” instead of “if {optional}”.",
    ),
)  # fmt: skip
