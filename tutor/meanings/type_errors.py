"""What it means that a value is of the wrong kind: None, a layer, a function or a number where something else belongs."""

from __future__ import annotations

from tutor.meanings.rules import LAYERS, Rule

FIND_NONE = "Find out which name is None: a function without return, or an argument that was not given.{none}"
WHOLE = "Use // for whole-number division: d_model // h."
FRACTION = "A size is a number with a fraction."

TYPES: tuple[Rule, ...] = (
    Rule(
        rf"TypeError: ({LAYERS})\.forward\(\) takes 2 positional arguments but \d+ were given"
        rf"|TypeError: ({LAYERS})\.forward\(\) missing 1 required positional argument: 'input'",
        "A {layer} takes exactly one tensor.",
        "Call it once for each tensor: layer(x).",
    ),
    Rule(
        r"TypeError: bad operand type for unary ~: 'NoneType'",
        "~ was given None: in this call there is no mask.",
        "Use the mask only where there is one, under “if mask is not None:”.",
        line=r"\bmask\b",
    ),
    Rule(
        r"TypeError: (?:unsupported operand type\(s\) for (\S+): .*'NoneType'|bad operand type for unary (\S+): 'NoneType')",
        "One side of this calculation is None.",
        "If it is the mask, use it only under “if mask is not None:”. Otherwise: a function without return gives None.{none}",
    ),
    Rule(r"TypeError: 'NoneType' object is not (?:subscriptable|callable|iterable)", "Something is None on this line.", FIND_NONE),
    Rule(
        rf"TypeError: unsupported operand type\(s\) for (\S+): (?:'({LAYERS})' and .*|.* and '({LAYERS})')",
        "A {layer} is a layer, not a tensor, so {1} does not work on it.",
        "A softmax layer is built with dim and then called on the scores: nn.Softmax(dim=-1)(scores).",
        line=r"[Ss]oftmax|attn|weights",
    ),
    Rule(
        rf"TypeError: unsupported operand type\(s\) for (\S+): (?:'({LAYERS})' and .*|.* and '({LAYERS})')",
        "A {layer} is a layer, not a tensor, so {1} does not work on it.",
        "Call the layer on the tensor, layer(x); its numbers alone are in layer.weight.",
    ),
    Rule(
        r"TypeError: unsupported operand type\(s\) for (\S+): .*'(?:builtin_function_or_method|method|function)'",
        "One side of {1} is a function rather than its result.",
        "Add the missing parentheses behind the function, with what it takes.",
    ),
    Rule(
        r"TypeError: unsupported operand type\(s\) for (\S+): '([\w.]+)' and '([\w.]+)'",
        "{1} does not work between a {2} and a {3}.",
        "Find out which of the two is not what its name says, and where it gets its value.",
    ),
    Rule(
        r"TypeError: 'torch\.Size' object is not callable",
        "shape is followed by round parentheses, but it is a value, not a function.",
        "Write x.shape[1], or x.size(1).",
    ),
    Rule(
        r"TypeError: 'torch\.Size' object does not support item assignment",
        "A size of a tensor cannot be set; it follows from the numbers in it.",
        "view, reshape or unflatten give a tensor of another shape.",
    ),
    Rule(
        r"TypeError: '(?:Parameter|Tensor)' object is not callable",
        "A tensor is called like a function.",
        "Call the layer itself, self.W(x), not its weight; a product of tensors is a @ b.",
    ),
    Rule(
        r"TypeError: '(list|tuple|dict)' object is not callable",
        "A {1} is called like a layer or a function.",
        "Call what is in it, or make one layer that serves all heads at once.",
    ),
    Rule(
        r"TypeError: '([\w.]+)' object is not callable",
        "Parentheses follow a {1}, which cannot be called.",
        "Look for a missing operator or comma before the parentheses, or for a name that hides a function of the same name.",
    ),
    Rule(
        r"TypeError: '(?:builtin_function_or_method|method|function)' object is not subscriptable",
        "A function is followed by square brackets.",
        "Call it with round ones: x.size(1), or take x.shape[1].",
        line=r"\bsize\s*\[",
    ),
    Rule(
        r"TypeError: '(?:builtin_function_or_method|method|function)' object is not subscriptable",
        "A function is followed by square brackets.",
        "Call it with round ones.",
    ),
    Rule(
        rf"TypeError: '({LAYERS})' object is not subscriptable",
        "A {1} is a layer and is followed by square brackets.",
        "Call it on a tensor with round ones: layer(x).",
    ),
    Rule(
        r"TypeError: '([\w.]+)' object is not subscriptable",
        "Square brackets follow a {1}, and it does not take any.",
        "Find out which name on this line holds it; it is not the tensor or the list you expect.",
    ),
    Rule(
        r"TypeError: '([\w.]+)' object is not iterable",
        "A {1} is gone through like a list on this line, and it has no elements.",
        "Find out which name on this line holds it; to count up to a number there is range(…).",
    ),
    Rule(
        r"TypeError: new\(\): invalid data type 'str'",
        "A tensor is indexed with text, as if it were a dictionary.",
        "Axes and entries of a tensor are numbered: x[0], x[:, 1].",
    ),
    Rule(
        r"TypeError: can only concatenate (\w+) \(not \"([\w.]+)\"\) to \w+",
        "+ joins a {1} with a {2} here, and that does not work.",
        "Make both the same kind; in a print, separate them by a comma or use an f-string.",
    ),
    Rule(r"TypeError: object of type '([\w.]+)' has no len\(\)", "A {1} has no length.", "Take the length of a list, or x.shape[i] of a tensor."),
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
        "It takes two, a boolean mask and the number to put where the mask is True: masked_fill(mask, value).",
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
    Rule(
        r"TypeError: cannot assign '(.*?)' as parameter '(\w+)'",
        "{2} is a parameter, and a plain {1} cannot take its place.",
        "Starting values are wrapped in nn.Parameter(…), or set with nn.init; results of a call get a name of their own.",
    ),
    Rule(
        r"TypeError: cannot assign '(.*?)' as child module '(\w+)'",
        "{2} is a layer, and a {1} cannot take its place.",
        "Keep the result under another name: what is computed in a call is no attribute of the layer.",
    ),
)  # fmt: skip
