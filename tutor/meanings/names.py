"""Names that are not known: what the file knows instead, and where."""

from __future__ import annotations

import re
from collections.abc import Collection

from checkers.base import Fault
from tutor.meanings.rules import Meaning
from tutor.meanings.text import Binding, Text

OTHER_LANGUAGES = {
    "true": "True", "false": "False", "none": "None", "null": "None", "inf": 'float("inf")', "nan": 'float("nan")', "this": "self",
}  # fmt: skip
IMPORTS = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "sqrt": "from math import sqrt",
    "Tensor": "from torch import Tensor",
    "Optional": "from typing import Optional",
    "Tuple": "from typing import Tuple",
    "softmax": "from torch import softmax",
    "matmul": "from torch import matmul",
    "einsum": "from torch import einsum",
    "Linear": "from torch.nn import Linear",
    "Module": "from torch.nn import Module",
    "Parameter": "from torch.nn import Parameter",
}  # fmt: skip


def unknown(fault: Fault, text: Text, sizes: Collection[str] = ()) -> Meaning | None:
    """What a ``NameError`` or an attribute that the submission's own class lacks means; ``sizes`` are the names of the case's axes."""
    if re.search(r"\braise\b", text.statement(fault.line)):
        return None
    name = re.match(r"name '(\w+)' is not defined", fault.message)
    if fault.type == "NameError" and name:
        return _unknown_name(name[1], fault, text, sizes)
    attribute = re.match(r"'(\w+)' object has no attribute '(\w+)'", fault.message)
    if fault.type == "AttributeError" and attribute and attribute[1] == text.entry:
        return _unknown_member(attribute[2], fault, text)
    return None


def _unknown_name(name: str, fault: Fault, text: Text, sizes: Collection[str]) -> Meaning:
    used = f"The name {name} is used but nothing in this file defines it"
    if name in OTHER_LANGUAGES:
        return Meaning(f"{used}.", f"In Python this is written {OTHER_LANGUAGES[name]}.")
    if name in IMPORTS and name not in text.imports:
        return Meaning(f"{used}.", f"Put {IMPORTS[name]} at the top.")
    function = text.function_at(fault.line)
    method = function is not None and any(argument.arg == "self" for argument in function.args.args[:1])
    if method and name in text.members:
        return Meaning(
            f"The name {name} is not known by itself (did you mean self.{name}?).", f"Write self.{name} here."
        )
    binding = text.binding(name)
    if binding is not None:
        return _out_of_sight(name, binding, method=method)
    near = text.near(name)
    hint = f" (did you mean {near}?)" if near else ""
    step = "Import it, define it before this line, add it to the parameters, or correct its spelling."
    if re.search(r"\bsuper\(", text.statement(fault.line)):
        step = "super().__init__() needs no name; with one it is that of this very class."
    elif name in sizes:
        step = f"Set {name} before this line, from the shape of an input{' or from what __init__ keeps' * method}."
    return Meaning(f"{used}{hint}.", step)


def _out_of_sight(name: str, binding: Binding, *, method: bool) -> Meaning:
    where = f"on line {binding.line}" + (f", inside {binding.function}" if binding.function else "")
    if binding.function and binding.how == "import":
        step = "Put the import at the top of the file, where every line sees it."
    elif binding.function and method:
        step = f"Keep it on the object, as self.{name}, and read self.{name} here; or hand it over as an argument."
    elif binding.function:
        step = "Return it from there, or hand it over as an argument."
    else:
        step = "Move that line up, so that it runs before this one."
    return Meaning(f"The name {name} is given a value only {where}, and this line cannot see it.", step)


def _unknown_member(name: str, fault: Fault, text: Text) -> Meaning:
    entry = text.entry
    near = text.near(name, text.members) or text.near(name)
    hint = f" (did you mean {near}?)" if near else ""
    message = f"{entry} has nothing called {name}{hint}."
    if name in ("device", "dtype"):
        return Meaning(f"{entry} has no {name} of its own.", f"Take it from a tensor that is given: Q.{name}.")
    binding, function = text.binding(name), text.function_at(fault.line)
    if function is not None and binding is not None and binding.function == function.name != "__init__":
        return Meaning(
            f"{entry} has nothing called {name} (did you mean {name}, without self?).",
            f"Write {name} here, or set self.{name} in __init__.",
        )
    if binding is not None and binding.function == "__init__":
        what = "takes" if binding.how == "parameter" else "computes"
        return Meaning(
            f"{message} __init__ {what} {name} (line {binding.line}) but sets no self.{name}.",
            f"Keep it there with self.{name} = …, or correct the spelling here.",
        )
    return Meaning(message, f"Set self.{name} in __init__, define it as a method, or correct the spelling here.")
