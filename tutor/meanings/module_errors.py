"""What goes wrong where a module is built: its parents, its layers, its weights and buffers."""

from __future__ import annotations

from tutor.meanings.rules import LAYERS, Rule

MODULES: tuple[Rule, ...] = (
    Rule(
        r"TypeError: super\(\) argument 1 must be a type",
        "super takes a class, and here it was given the object.",
        "Write super().__init__() without names.",
    ),
    Rule(
        r"AttributeError: 'super' object has no attribute '(?:_[A-Za-z]\w*?__)?(\w+)'",
        "super() leads to nn.Module, and that has nothing called {1}.",
        "Write super().__init__(), with two underscores on each side.",
        line=r"super\(\)\s*\.\s*_*init_*\s*\(",
    ),
    Rule(
        r"AttributeError: 'super' object has no attribute '(?:_[A-Za-z]\w*?__)?(\w+)'",
        "super() leads to nn.Module, and that has nothing called {1}.",
        "What this class defines itself is reached through self.",
    ),
    Rule(
        r"TypeError: Module\.__init__\(\) missing 1 required positional argument: 'self'",
        "The __init__ of nn.Module is called without an object to set up.",
        "Write super().__init__().",
    ),
    Rule(
        rf"TypeError: ({LAYERS})\.__init__\(\) got multiple values for argument '(\w+)'",
        "The first thing a {1} takes is {2}, and this line gives it twice.",
        "A layer is built first, with sizes or axes, and then called on a tensor: nn.Softmax(dim=-1)(scores).",
    ),
    Rule(
        r"TypeError: Softmax\.forward\(\) got an unexpected keyword argument '(?:dim|axis)'",
        "A softmax layer gets its axis when it is built, not when it is called.",
        "Write nn.Softmax(dim=-1)(scores), or torch.softmax(scores, dim=-1).",
    ),
    Rule(
        r"TypeError: Module(?:List|Dict)\.\w+ should be called with an iterable(?: of key/value pairs)?, but got (?:type )?(\w+)",
        "A ModuleList takes a list of layers, and here it was given a {1}.",
        "Put the layers in brackets: nn.ModuleList([…]). One layer needs no list.",
    ),
    Rule(
        r"TypeError: list is not a Module subclass",
        "nn.Sequential takes layers one after the other, and here it was given a list.",
        "Leave out the brackets, or put * before them.",
        line=r"\bSequential\(",
    ),
    Rule(
        r"TypeError: ([\w.]+) is not a Module subclass",
        "Something that is no layer is to be kept among the layers: a {1}.",
        "Only layers go in there; single weights are kept in nn.ParameterList, other things in a plain list.",
    ),
    Rule(
        r"TypeError: cannot assign '(.*?)' object to buffer '(\w+)'",
        "{2} is a buffer, and buffers are tensors; here it would become a {1}.",
        "Make a tensor of it, or keep it under a name of its own.",
    ),
    Rule(
        r"TypeError: cannot assign '(.*?)' object to parameter '(\w+)'",
        "{2} is to be a weight, and a plain {1} is none.",
        "Wrap it in nn.Parameter(…).",
    ),
    Rule(
        r"ValueError: dropout probability has to be between 0 and 1, but got (\S+)",
        "Dropout is asked to leave out a share of {1}, and a share lies between 0 and 1.",
        "Check what stands in the parentheses; the exercise may not need dropout at all.",
    ),
    Rule(
        r"ValueError: Fan in and fan out can not be computed",
        "This way of setting starting values is meant for matrices, and the tensor here has fewer than two axes.",
        "Give it the weight of a layer, or leave starting values to nn.Linear.",
    ),
    Rule(
        r"AttributeError: '(\w+)' object has no attribute '(?:detach|data)'",
        "nn.Parameter wraps a tensor, and here it was given an {1}.",
        "Write nn.Parameter(torch.empty(rows, columns)) and set starting values, or use nn.Linear, which does both.",
        line=r"\bParameter\(",
    ),
    Rule(
        r"NotAModule: (.*)",
        "{1} does not inherit from nn.Module, so it has no weights that training could find.",
        "Write class {1}(nn.Module): and call super().__init__() first in __init__.",
    ),
    Rule(
        r"AttributeError: cannot assign (module|parameters?) before Module.__init__\(\) call",
        "A layer or weight is attached before nn.Module was set up.",
        "Make super().__init__() the first line of __init__, with the parentheses at its end.",
    ),
    Rule(
        r"TypeError: descriptor '__init__' of 'super' object needs an argument",
        "super is named but not called, so Python does not know whose parent is meant.",
        "Write super().__init__(), with parentheses behind super as well.",
    ),
    Rule(
        r"TypeError: super\(type, obj\): obj must be an instance or subtype of type",
        "The class named in super(…) is not the one this __init__ belongs to.",
        "Write super().__init__() without names.",
    ),
    Rule(
        r"TypeError: (\w+)\.__init__\(\) takes 1 positional argument but \d+ were given",
        "The __init__ of nn.Module takes no arguments, and this line gives it some.",
        "Write super().__init__() with empty parentheses at the end.",
        line=r"super\(.*\)\.__init__\(",
    ),
    Rule(
        r"TypeError@call: __init__\(\) should return None",
        "__init__ returns something, and Python does not allow that.",
        "Remove the value behind return in __init__; results are returned by forward.",
    ),
    Rule(
        r"KeyError: [\"'](?:attribute '(\w+)' already exists|buffer name can.*)[\"']",
        "The name given to a buffer cannot be used: {0}.",
        "Give the buffer a name of its own, without dots.",
    ),
    Rule(
        rf"TypeError: ({LAYERS})\.forward\(\) takes 2 positional arguments but \d+ were given"
        rf"|TypeError: ({LAYERS})\.forward\(\) missing 1 required positional argument: 'input'",
        "A {last} takes exactly one tensor.",
        "Call it once for each tensor: layer(x).",
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
    Rule(
        r"NotImplementedError@self: Module \[(\w+)\] is missing the required \"forward\" function",
        "{1} has no method called forward.",
        "Check the spelling of forward and that it is indented like __init__, inside the class.",
    ),
    Rule(
        r"NotImplementedError: Module \[(\w+)\] is missing the required \"forward\" function",
        "A {1} is called like a layer, but it has no forward.",
        "A ModuleList only holds layers: call the layers in it. A class of your own needs a method forward.",
    ),
)  # fmt: skip
