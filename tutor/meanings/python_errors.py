"""What Python's own exceptions mean here."""

from __future__ import annotations

from tutor.meanings.rules import FIND_NONE, LAYERS, LEFT_OUT, Rule

DIVISOR = "Look where the divisor comes from{case}."

PYTHON: tuple[Rule, ...] = (
    Rule(
        r"AttributeError: 'Tensor' object has no attribute '(cat|concat|concatenate|stack|einsum|linear|tensor|zeros|ones|arange|rand|randn|full)'",
        "{1} is a function of torch, not a method of a tensor.",
        "Write torch.{1}(…); what is joined comes as one list.",
        line=r"\.(?:cat|concat|concatenate|stack)\(",
    ),
    Rule(
        r"AttributeError: module '(math|torch|numpy)' has no attribute '(?:infinity|Infinity|INF|Inf|infty)'",
        "{1} calls infinity inf.",
        "Minus infinity is written float(\"-inf\").",
    ),
    Rule(
        r"KeyError: tensor\(",
        "A dictionary is asked for a tensor, and it is found by its keys only.",
        "Look which keys the dictionary on this line has.",
    ),
    Rule(
        r"ModuleNotFoundError: No module named '(?:F|nn)'",
        "An import does not work here: nn and F are short names, not modules.",
        "Write from torch import nn, and import torch.nn.functional as F.",
    ),
    Rule(
        r"ModuleNotFoundError: No module named '(torch(?:\.\w+)*)\.(\w+)'",
        "An import does not work here: {1} has nothing called {2}{near}.",
        "Correct the spelling, or import it from the module that has it.",
    ),
    Rule(
        r"SystemExit: (.*)",
        "The code asked Python to exit, so nothing after that could run.",
        "Remove the call of exit() or sys.exit().",
    ),
    Rule(
        r"UnboundLocalError: cannot access local variable '(\w+)'",
        "The name {1} is read before this function has given it a value.",
        "Give it a value on every way to this line: what is set only under an if, or only further down, is not there yet.",
    ),
    Rule(
        r"AttributeError: 'NoneType' object has no attribute '(\w+)'",
        "Something is None here, and None has nothing called {1}.",
        LEFT_OUT,
        line=r"\bmask\s*\.",
    ),
    Rule(
        r"AttributeError: 'NoneType' object has no attribute '(\w+)'",
        "Something is None here, and None has nothing called {1}.",
        FIND_NONE,
    ),
    Rule(
        r"AttributeError: 'builtin_function_or_method' object has no attribute '(\w+)'",
        "A function stands where its result is meant, so there is no {1}.",
        "Add the missing parentheses behind the function.",
    ),
    Rule(
        r"AttributeError: '(tuple|list)' object has no attribute '(\w+)'",
        "There is a {1} of several things here, and it has nothing called {2}: only the tensors in it have.",
        "Take the one you mean out of it, by [0] or by unpacking.",
    ),
    Rule(
        r"AttributeError: module '(torch\.nn)' has no attribute '(\w+)'",
        "{1} has nothing called {2}{near}.",
        "torch.nn holds layers, which are built first and then called; functions such as softmax are in torch and torch.nn.functional.",
    ),
    Rule(
        r"AttributeError: module '([\w.]+)' has no attribute '(\w+)'",
        "{1} has nothing called {2}{near}.",
        "Correct the spelling, or take it from the module that has it.",
    ),
    Rule(
        r"AttributeError: attribute '(\w+)' of '(.*?)' objects is not writable",
        "{1} of a tensor cannot be set; it follows from the numbers in it.",
        "view, reshape or unflatten give a tensor of another shape.",
    ),
    Rule(
        rf"AttributeError: '({LAYERS})' object has no attribute '(\w+)'",
        "A {1} is a layer and has nothing called {2}{near}; only its result is a tensor.",
        "Call it first, layer(x).{2}, or correct the spelling.",
    ),
    Rule(
        r"AttributeError: '(int|float|bool|str)' object has no attribute '(\w+)'",
        "A plain {1} stands where a tensor or a layer is meant, and it has nothing called {2}.",
        "Find out which name on this line holds it, and where it gets that value.",
    ),
    Rule(
        r"AttributeError: '?([\w.]+)'? object has no attribute '(\w+)'",
        "A {1} has nothing called {2}{near}.",
        "Correct the spelling on this line, or look up what a {1} offers.",
    ),
    Rule(
        r"ValueError: too many values to unpack \(expected (\d+)\)",
        "The tensor has more axes here than the {1} names on the left.",
        "Count its axes at this point (heads are an axis of their own); x.shape[-1] works however many there are.",
        line=r"=.*(?:\.shape\s*$|\.size\(\))",
    ),
    Rule(
        r"ValueError: not enough values to unpack \(expected (\d+), got (\d+)\)",
        "The tensor has {2} axes here, but there are {1} names on the left.",
        "Count its axes at this point (heads are an axis of their own); x.shape[-1] works however many there are.",
        line=r"=.*(?:\.shape\s*$|\.size\(\))",
    ),
    Rule(
        r"ValueError: (?:too many|not enough) values to unpack \((expected \d+(?:, got \d+)?)\)",
        "The right-hand side does not give as many values as there are names on the left ({1}).",
        "Compare the two sides. A tensor itself is taken apart along its first axis; its sizes are in .shape.",
    ),
    Rule(
        r"TypeError: cannot unpack non-iterable NoneType object",
        "Several names are set from one None.",
        "Look at what stands on the right: a function without return gives None.{none}",
    ),
    Rule(
        r"TypeError: cannot unpack non-iterable (\w+) object",
        "Several names are set from a single {1}.",
        "Give it one name. .shape holds all sizes of a tensor, .shape[1] and .size(1) just one.",
        line=r"\.shape\[|\.size\(\s*-?\w+\s*\)",
    ),
    Rule(
        r"TypeError: cannot unpack non-iterable (\w+) object",
        "Several names are set from a single {1}.",
        "Give it one name, or put on the right what holds as many values as there are names.",
    ),
    Rule(
        r"ValueError: math domain error",
        "A function of math was given a number for which it has no result, such as the root of a negative one.",
        "Look where that number comes from{case}.",
    ),
    Rule(r"ZeroDivisionError: .*", "Something is divided by zero on this line.", DIVISOR),
    Rule(
        r"IndexError: tuple index out of range",
        "The tensor has fewer axes than this index asks for.",
        "Count the axes from 0, or from the end with -1; heads are an axis of their own.",
        line=r"\.shape\s*\[",
    ),
    Rule(
        r"IndexError: (list|tuple|string) index out of range",
        "The {1} on this line is shorter than the index asks for.",
        "Counting starts at 0, so the last one has the index length - 1.",
    ),
    Rule(
        r"KeyError: (.*)",
        "There is no entry {1} in the dictionary on this line.",
        "Look which keys it has and how they are spelled; what the exercise gives are arguments, not entries of a dictionary.",
    ),
    Rule(
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        "An import does not work here: there is no {1}{near}.",
        "Installed here are torch, numpy and the common modules of Python; the exercise needs torch and math only.",
    ),
    Rule(
        r"ImportError: cannot import name '(?=.*from '([\w.]+)')(\w+)'",
        "An import does not work here: {1} has nothing called {2}{near}.",
        "Correct the spelling, or import it from the module that has it.",
    ),
    Rule(
        r"ImportError: (.*)",
        "An import does not work here: {1}.",
        "Installed here are torch, numpy and the common modules of Python; the exercise needs torch and math only.",
    ),
    Rule(
        r"RecursionError: .*",
        "The code calls itself without end.",
        "Look for a function or method that calls itself, such as forward calling self(…).",
    ),
    Rule(
        r"PermissionError: .*|FileNotFoundError: .*|BlockingIOError: .*|OSError: .*|RuntimeError: can't start new thread",
        "The code reached for something that is closed here: files, network, processes and threads.",
        "The exercise needs none of them; remove that line.",
    ),
    Rule(r"EOFError: .*", "The code waits for somebody to type, and here nobody can.", "Remove the call of input()."),
)  # fmt: skip
