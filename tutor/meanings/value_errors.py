"""What it means that a function was given what it cannot take."""

from __future__ import annotations

from tutor.meanings.rules import FIND_NONE, Rule

WHOLE = "Use // for whole-number division: d_model // h."
FRACTION = "A size is a number with a fraction."

VALUES: tuple[Rule, ...] = (
    Rule(
        r"TypeError: expected Tensor as element (\d+) in argument \d+, but got ([\w.]+)",
        "What is joined here must be tensors, and number {1} of them, counted from 0, is a {2}.",
        "Look what stands at that place in the list.",
    ),
    Rule(
        r"ValueError: torch\.cat\(\): expected a non-empty list|RuntimeError: stack expects a non-empty TensorList",
        "There is nothing to join: the list is empty.",
        "Look why nothing was put into it, such as a loop that never runs.",
    ),
    Rule(
        r"TypeError: '(\w+)' is an invalid keyword argument for (sum|max|min|abs|round|pow)\(\)",
        "This is {2} of Python itself, which takes no {1}.",
        "The one for tensors is torch.{2}, or x.{2}(…).",
    ),
    Rule(
        r"TypeError: transpose\(\) missing \d required|TypeError: (?:swapaxes|swapdims)\(\) missing \d required",
        "Two axes are exchanged, and this call does not name two.",
        "transpose(-2, -1) exchanges the last two.",
    ),
    Rule(
        r"TypeError: permute\(\) missing \d required",
        "permute was given no order.",
        "Name every axis once, in the order they should have: permute(0, 2, 1, 3).",
    ),
    Rule(
        r"TypeError: Tensor\.unflatten\(\) (?:takes|missing)",
        "unflatten takes an axis, and then the sizes it is cut into as one tuple.",
        "Write x.unflatten(-1, (h, d_k)), with the sizes in parentheses of their own.",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '(\w+)'(?: \(position \d+\))? must be torch\.dtype, not \w+",
        "The argument {2} of {1} must be a number type of torch.",
        "It is written without quotes, torch.bool or torch.float32; a tensor that should be like another takes dtype=Q.dtype.",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '(\w+)'(?: \(position \d+\))? must be (int|float|bool|Number), not str",
        "The argument {2} of {1} must be a number, and it is text.",
        "Leave out the quotes.",
    ),
    Rule(
        r"TypeError: \w+\(\): argument '\w+' .*but found element of type (?!float)([\w.]+) at pos \d+",
        "A size on this line is a {1}, not a whole number.",
        "Put a whole number there, such as d_model or x.shape[1].",
    ),
    Rule(
        r"TypeError: (\w+)\(\) received an invalid combination of arguments - got \([^)]*builtin_function_or_method",
        "One of the arguments of {1} is a function rather than its result.",
        "Add the missing parentheses behind it, as in mask.bool().",
    ),
    Rule(
        r"TypeError: where\(\) received an invalid combination of arguments - got \((Tensor(?:, Tensor)?)\)",
        "torch.where takes three things, and here there are fewer: {1}.",
        "Write torch.where(condition, there, elsewhere).",
    ),
    Rule(
        r"ValueError: could not convert string to float: (.*)|ValueError: invalid literal for int\(\).*: (.*)",
        "The text {first} is no number.",
        "Minus infinity is float(\"-inf\"); other numbers are written without quotes.",
    ),
    Rule(
        r"TypeError: (int|float)\(\) argument must be a string.*, not '([\w.]+)'",
        "{1} makes a number of a text or another number, and here it was given a {2}.",
        "Find out which name on this line holds it, and where it gets that value.",
    ),
    Rule(
        r"ValueError: (max|min)\(\) .*empty|ValueError: \w+\(\) (?:arg|iterable argument) is an empty sequence",
        "There is nothing to choose from: the list on this line is empty.",
        "Look why nothing was put into it.",
    ),
    Rule(
        r"TypeError: can't assign an? (\w+) to a torch\.(\w+)",
        "A {1} cannot be put into a tensor.",
        "Assign a number, such as float(\"-inf\"), or a tensor.",
    ),
    Rule(
        r"ValueError: expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)",
        "A tensor is made of rows of different lengths: {1} and {3}.",
        "All rows need equally many numbers; for a mask of a given size there is torch.ones(rows, columns).tril().",
    ),
    Rule(
        r"RuntimeError: Could not infer dtype of (\w+)",
        "torch.tensor makes a tensor of numbers, and here it was given a {1}.",
        "Look which name on this line is no number.{none}",
    ),
    Rule(
        r"RuntimeError: Trying to create tensor with negative dimension (-\d+)|RuntimeError: \w+: Dimension size must be non-negative"
        r"|RuntimeError: invalid shape dimension (-\d+)",
        "A size on this line is negative.",
        "Only -1 has a meaning there, and only in view and reshape: the size that is left over{case}.",
    ),
    Rule(
        r"TypeError: not enough arguments for format string|TypeError: not all arguments converted|IndexError: Replacement index \d+ out of range",
        "A text has a different number of places than of values to put in.",
        "Count the two, or write an f-string, where each value stands in its place.",
    ),
    Rule(
        r"TypeError: new\(\): invalid data type 'str'",
        "A tensor is indexed with text, as if it were a dictionary.",
        "Axes and entries of a tensor are numbered: x[0], x[:, 1].",
    ),
    Rule(
        r"TypeError: must be real number, not ([\w.]+)",
        "A function of math takes one number, and here it was given a {1}.",
        "math.sqrt wants the width of a head as a number, such as d_k or x.shape[-1]; for whole tensors there is torch.sqrt.",
    ),
    Rule(
        r"ValueError: only one element tensors can be converted to Python scalars"
        r"|RuntimeError: a Tensor with (\d+) elements cannot be converted to Scalar",
        "A whole tensor stands where one number is wanted.",
        "Take one number, such as the size x.shape[-1]; for whole tensors torch has functions of the same names as math.",
    ),
    Rule(
        r"TypeError: sqrt\(\): argument 'input' \(position 1\) must be Tensor, not (int|float)",
        "torch.sqrt takes a tensor, and here it was given a {1}.",
        "For one number there is math.sqrt.",
    ),
    Rule(
        r"TypeError: cat\(\): argument 'tensors' .* must be tuple of Tensors, not Tensor|TypeError: stack\(\): .* not Tensor",
        "The tensors to be joined must come as one list.",
        "Put them in brackets: torch.cat([a, b], dim=-1).",
    ),
    Rule(
        r"TypeError: linear\(\): argument 'weight' .* must be Tensor, not (\w+)",
        "F.linear takes the numbers of a layer, and here it was given a {1}.",
        "Give it layer.weight, or simply call layer(x).",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '\w+' .*must be Tensor, not NoneType",
        "{1} was given None where it takes a tensor.",
        FIND_NONE,
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '\w+' .*must be Tensor, not (?:numpy\.)?ndarray",
        "{1} was given a numpy array where it takes a tensor.",
        "Leave numpy out: torch has the same functions, and gradients pass through them.",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '\w+' .*must be Tensor, not ([\w.]+)",
        "{1} was given a {2} where it takes a tensor.",
        "Give it the tensor itself: one out of the list or pair, or another argument.",
    ),
    Rule(
        r"TypeError: .*(?:tuple of ints|\bint\b).*\b(?:not float|got float|type float)\b.*",
        FRACTION,
        WHOLE,
    ),
    Rule(
        r"TypeError: .*'float' object cannot be interpreted as an integer.*|TypeError: slice indices must be integers.*",
        FRACTION,
        WHOLE,
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '\w+' failed to unpack the object at pos (\d+) .*got (\w+)",
        "Size number {2} of this {1} is a {3}, not a whole number.",
        "Put a whole number there, such as x.shape[1].",
        line=r"\b(?:view|reshape|unflatten|expand|repeat|zeros|ones)\(",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '\w+' failed to unpack the object at pos (\d+) .*got (\w+)",
        "A size on this line is a {3}, not a whole number.",
        "Put a whole number there, such as d_model or x.shape[1].",
    ),
    Rule(
        r"TypeError: only integer tensors of a single element can be converted to an index"
        r"|TypeError: '(?:torch\.Size|Tensor|list|tuple|str)' object cannot be interpreted as an integer",
        "Something that is not one whole number stands where one is wanted.",
        "Take a single size, such as x.shape[1].",
    ),
    Rule(
        r"TypeError: (\w+)\(\): argument '(\w+)'(?: \(position \d+\))? must be (.*?), not ([\w.]+)",
        "The argument {2} of {1} must be {3}, and it is a {4}.",
        "Correct what this line gives to {1}.",
    ),
    Rule(
        r"TypeError: (\w+)\(\) received an invalid combination of arguments - got \((.*?\bstr\b.*?)\)",
        "{1} cannot take these arguments: {2}. A str is text, even if a number stands in it.",
        "Leave out the quotes; minus infinity is written float(\"-inf\").",
    ),
    Rule(
        r"TypeError: view\(\) received an invalid combination of arguments - got \((.*?)\)",
        "view cannot take these arguments: ({1}).",
        "Give it one whole number per axis: x.view(B, T, h, d_k).",
    ),
    Rule(
        r"TypeError: masked_fill\(\) received an invalid combination of arguments - got \((.*?)\)",
        "masked_fill cannot take these arguments: ({1}).",
        "It is called on the scores with two things, a boolean mask and the number to put where that is True: scores.masked_fill(mask, value).",
    ),
    Rule(
        r"TypeError: (\w+)\(\) received an invalid combination of arguments - got \((.*?)\)",
        "{1} cannot take these arguments: ({2}).",
        "Compare number, order and kind of the arguments on this line with what {1} takes.",
    ),
    Rule(
        r"TypeError: unsupported format string passed to ([\w.]+)\.__format__",
        "An f-string gives a number format, such as :.2f, to a {1}, which is not one number.",
        "Print it without the format, or take one number out of it first.",
    ),
)  # fmt: skip
