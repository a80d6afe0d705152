"""What exceptions mean here: a table of patterns and sentences, tried in order; the first that fits speaks.

A pattern is matched against ``Type: message``. ``{1}`` … in the two sentences (what it means, what next) stand for what the
pattern caught, ``{0}`` for the whole message and ``{near}`` for a similar name in the file. ``Type@call`` means that the tutor's
own call of the submission failed, before any line of it ran; ``Type@self`` that the object is the submission's own class.
"""

from __future__ import annotations

RULES: tuple[tuple[str, str, str], ...] = (
    (
        r"NotAModule: (.*)",
        "{1} does not inherit from nn.Module, so it has no weights that training could find.",
        "Write class {1}(nn.Module): and call super().__init__() first in __init__.",
    ),
    (
        r"SystemExit: (.*)",
        "The code asked Python to exit, so nothing after that could run.",
        "Remove the call of exit() or sys.exit().",
    ),
    (
        r"IndentationError: (.*)|TabError: (.*)",
        "Python cannot tell which block this line belongs to: {0}.",
        "Line it up with the lines of its block; use four spaces, no tabs.",
    ),
    (
        r"SyntaxError: invalid character '(.)' \(U\+(\w+)\)",
        "The character {1} is none that Python knows.",
        "Retype it: text from a web page often holds typographic quotes, dashes or spaces.",
    ),
    (
        r"SyntaxError: (.*)",
        "Python cannot read this line: {1}.",
        "Look for a missing bracket, colon or quote, on this line or just before it.",
    ),
    (
        r"AttributeError: cannot assign module before Module.__init__\(\) call",
        "A layer is attached before nn.Module was set up.",
        "Make super().__init__() the first line of __init__.",
    ),
    (
        r"NotImplementedError: Module \[(\w+)\] is missing the required \"forward\" function",
        "{1} has no method called forward.",
        "Check the spelling of forward and that it is indented like __init__, inside the class.",
    ),
    (
        r"NameError: name '(\w+)' is not defined",
        "The name {1} is used but nothing in this file defines it{near}.",
        "Import it, define it before this line, or correct its spelling.",
    ),
    (
        r"AttributeError@self: '(\w+)' object has no attribute '(\w+)'",
        "{1} has nothing called {2}{near}.",
        "Set self.{2} in __init__, or correct the spelling here.",
    ),
    (
        r"AttributeError: 'NoneType' object has no attribute '(\w+)'",
        "Something is None here, and None has nothing called {1}.",
        "Find out which name is None: a function without return, or an argument that was not given.",
    ),
    (
        r"AttributeError: '?(\w+)'? object has no attribute '(\w+)'",
        "A {1} has nothing called {2}{near}.",
        "Correct the spelling on this line, or look up what a {1} offers.",
    ),
    (
        r"TypeError@call: .*got an unexpected keyword argument '(\w+)'",
        "The call gives an argument called {1}, which your definition does not take.",
        "Add {1} to the parameters, spelled exactly as in the statement.",
    ),
    (
        r"TypeError@call: .*takes (\d+) positional arguments? but (\d+) (?:was|were) given",
        "Number of arguments: your definition takes {1} (self counts), but it is called with {2}.",
        "Compare your def line with the signature in the statement.",
    ),
    (
        r"TypeError@call: .*missing (\d+) required positional arguments?: (.*)",
        "The call did not fill {1} of your parameters: {2}.",
        "Compare your def line with the signature in the statement.",
    ),
    (
        r"TypeError: (.*got an unexpected keyword argument '(\w+)')",
        "The call on this line gives an argument called {2}, which what it calls does not take{near}.",
        "Correct the argument's name on this line, or give it to another call.",
    ),
    (
        r"TypeError: (.*takes .* positional arguments? but .* given|.*missing \d+ required positional arguments?.*)",
        "The call on this line does not fit what it calls: {1}.",
        "Compare the arguments on this line with the definition of what is called.",
    ),
    (
        r"RuntimeError: view size is not compatible.*",
        "view was asked of a tensor whose memory is not in the order of its axes, as after transpose.",
        "Put .contiguous() before the view, or use reshape.",
    ),
    (
        r"RuntimeError: shape '(\[.*?\])' is invalid for input of size (\d+)",
        "A view or reshape to {1} does not fit: the tensor holds {2} numbers, and the sizes multiply to something else.",
        "Check which length and which width this tensor really has; a number from an example, or T_q where T_k is meant, fits only by luck.",
    ),
    (
        r"RuntimeError: mat1 and mat2 shapes cannot be multiplied \((\S+) and (\S+)\)",
        "A matrix product does not fit: {1} times {2}.",
        "The last axis on the left must equal the layer's input width: is the tensor joined to d_model before this line?",
    ),
    (
        r"RuntimeError: Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: (\[.*?\])",
        "A batched product does not fit: the second tensor should start with {1} but starts with {2}.",
        "In a @ b the last axis of a must equal the last but one of b: print both shapes before this line.",
    ),
    (
        r"RuntimeError: The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
        "Two tensors do not fit together: size {1} against {2} on axis {3}.",
        "Print both shapes before this line; only an axis of size 1 stretches to fit.",
    ),
    (
        r"RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
        "A whole tensor is asked whether it is true.",
        "Ask “if mask is not None” instead of “if mask”.",
    ),
    (
        r"TypeError: (.*only integer tensors.*|.*must be tuple of ints.*|.*'float' object cannot be interpreted as an integer.*)",
        "A size is a number with a fraction.",
        "Use // for whole-number division: d_model // h.",
    ),
    (
        r"(ModuleNotFoundError|ImportError): (.*)",
        "An import does not work here: {2}.",
        "The exercise needs torch and math only; packages beyond torch, numpy and common standard modules cannot be loaded here.",
    ),
    (
        r"AssertionError: ?(.*)",
        "An assert in your code does not hold{colon}{1}.",
        "Look at what the assert compares, with the sizes of this case.",
    ),
    (
        r"RecursionError: .*",
        "The code calls itself without end.",
        "Look for a method that calls itself, for example forward calling self(…).",
    ),
    (
        r"PermissionError: .*|BlockingIOError: .*|RuntimeError: can't start new thread",
        "The code tried something the sandbox does not allow: files, network, processes and threads are closed.",
        "The exercise needs none of them; remove that line.",
    ),
)  # fmt: skip
