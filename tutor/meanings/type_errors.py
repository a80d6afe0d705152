"""What it means that a value is of the wrong kind: None, a layer, a function or a number where something else belongs."""

from __future__ import annotations

from tutor.meanings.rules import FIND_NONE, LAYERS, LEFT_OUT, Rule

TYPES: tuple[Rule, ...] = (
    Rule(
        r"TypeError: unsupported operand type\(s\) for (\S+): .*'torch\.return_types\.(\w+)'"
        r"|AttributeError: '(torch)\.return_types\.(\w+)' object has no attribute"
        r"|TypeError: (\w+)\(\): argument '\w+' .*must be Tensor, not torch\.return_types\.(\w+)",
        "Asked along one axis, {last} gives two things: the values, and the places where they stand.",
        "Take the values out of it, by .values or [0]; amax and amin give them alone.",
    ),
    Rule(
        r"TypeError: unsupported operand type\(s\) for .*'NoneType'|(?:TypeError|AttributeError): 'NoneType' object",
        "A bias is used here, and it is None: a layer built with bias=False has none.",
        "Leave the bias out.",
        line=r"\.bias\b",
    ),
    Rule(
        r"TypeError: object of type 'NoneType' has no len\(\)|TypeError: 'NoneType' object is not (?:subscriptable|iterable)",
        "Something is None on this line.",
        LEFT_OUT,
        line=r"\bmask\s*\[|\(mask\)|\bin\s+mask\b",
    ),
    Rule(
        r"TypeError: object of type 'NoneType' has no len\(\)",
        "A length is asked for, and there is None.",
        FIND_NONE,
    ),
    Rule(
        r"TypeError: unsupported operand type\(s\) for \^=?: ",
        "^ is no power in Python.",
        "A power is written **, as in d_k ** 0.5; a root is math.sqrt(d_k).",
    ),
    Rule(
        r"TypeError: 'Tensor' object is not callable",
        "Parentheses follow an attribute of a tensor, which is no function.",
        "Leave them out. To exchange the last two axes, write transpose(-2, -1).",
        line=r"\.(?:T|mT|H|mH|data|grad)\s*\(",
    ),
    Rule(
        r"TypeError: 'type' object does not support the context manager protocol",
        "with is given a class rather than an object of it.",
        "Add the parentheses: with torch.no_grad():",
    ),
    Rule(
        r"TypeError: '([\w.]+)' object does not support the (?:asynchronous )?context manager protocol",
        "with cannot open a {1}.",
        "Remove the with, or give it something made for it, such as torch.no_grad().",
    ),
    Rule(
        r"TypeError: '(\S+)' not supported between instances of '([\w.]+)' and '([\w.]+)'",
        "{1} cannot compare a {2} with a {3}.",
        "Find out which of the two is not what its name says, and where it gets its value.",
    ),
    Rule(
        r"TypeError: (list|tuple|string) indices must be integers(?: or slices)?, not '?([\w.]+)'?",
        "A {1} is indexed with a {2}, and it takes one whole number.",
        "Take one entry at a time, as in x.shape[0]; several indices at once are for tensors.",
    ),
    Rule(
        r"TypeError: can't multiply sequence by non-int of type '([\w.]+)'",
        "A list or a text is multiplied by a {1}; Python can only repeat it a whole number of times.",
        "To calculate with its numbers, make it a tensor first.",
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
        LEFT_OUT + " Otherwise: a function without return gives None.{none}",
    ),
    Rule(r"TypeError: 'NoneType' object is not (?:subscriptable|callable|iterable)", "Something is None on this line.", FIND_NONE),
    Rule(
        rf"TypeError: unsupported operand type\(s\) for (\S+): (?:'({LAYERS})' and .*|.* and '({LAYERS})')",
        "A {last} is a layer, not a tensor, so {1} does not work on it.",
        "A softmax layer is built with dim and then called on the scores: nn.Softmax(dim=-1)(scores).",
        line=r"[Ss]oftmax|attn|weights",
    ),
    Rule(
        rf"TypeError: unsupported operand type\(s\) for (\S+): (?:'({LAYERS})' and .*|.* and '({LAYERS})')",
        "A {last} is a layer, not a tensor, so {1} does not work on it.",
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
        r"TypeError: can only concatenate (\w+) \(not \"?([\w.]+)\"?\) to [\w.]+",
        "+ joins a {1} with a {2} here, and that does not work.",
        "Make both the same kind; in a print, separate them by a comma or use an f-string.",
    ),
    Rule(r"TypeError: object of type '([\w.]+)' has no len\(\)", "A {1} has no length.", "Take the length of a list, or x.shape[i] of a tensor."),
)  # fmt: skip
