"""Calls that torch and Python refuse, and modules built wrongly: real mistakes run for real."""

from __future__ import annotations

import pytest

from tests.meanings.student import wrong

BUILDING = [
    ("super", "super().init()", "Write super().__init__(), with two underscores"),
    ("super", "super().__init()", "has nothing called init. Write super().__init__()"),
    ("super", "super().setup()", "reached through self"),
    ("super", "super(self).__init__()", "super takes a class, and here it was given the object"),
    ("super", "nn.Module.__init__()", "without an object to set up"),
    ("super", "Super().__init__()", "(did you mean super?)"),
    ("W_Q", "self.W_Q = nn.Linear(d_model, -d_model)", "A size on this line is negative"),
    ("W_Q", "self.W_Q = nn.Linear(d_model, (d_model, h))", "A size on this line is a tuple"),
    ("W_Q", "self.W_Q = nn.Parameter(d_model, d_model)", "nn.Parameter wraps a tensor, and here it was given an int"),
    ("W_Q", "self.W_Q = nn.ModuleList(nn.Linear(d_model, d_model))", "A ModuleList takes a list of layers"),
    ("W_Q", "self.W_Q = nn.ModuleList([torch.ones(2)])", "to be kept among the layers: a tensor"),
    ("W_Q", "self.W_Q = nn.Sequential([nn.Linear(d_model, d_model)])", "Leave out the brackets, or put * before them"),
    ("W_Q", "self.register_buffer('mask', [1])", "buffers are tensors; here it would become a list"),
    ("W_Q", "self.register_parameter('w', torch.ones(3))", "Wrap it in nn.Parameter"),
    ("W_Q", "self.W_Q = nn.Dropout(p=5)", "a share of 5"),
    ("W_Q", "self.W_Q = nn.Dropout(p='a')", "< cannot compare a str with an int"),
    ("W_Q", "nn.init.xavier_uniform_(torch.ones(3))", "meant for matrices"),
    ("W_Q", "nn.init.kaiming(self.h)", "torch.nn.init has nothing called kaiming. Correct the spelling"),
    ("W_Q", "self.scale = math.sqrt(self.d_k, 2)", "math.sqrt() takes exactly one argument"),
    ("W_Q", "self.scale = self.d_k^0.5", "A power is written **"),
    ("q", "q = self.W_Q.weigth @ Q", "(did you mean weight?)"),
    ("q", "self.W_Q.bias += 1", "a layer built with bias=False has none"),
    ("attn", "attn = nn.Softmax()(scores, dim=-1)", "gets its axis when it is built"),
    ("attn", "attn = nn.Softmax(scores, dim=-1)", "The first thing a Softmax takes is dim"),
]
CALLS = [
    ("scores", "scores = q @ k.transpose(-2)", "this call does not name two"),
    ("scores", "scores = q @ k.permute()", "permute was given no order"),
    ("scores", "scores = q @ k.mT()", "Parentheses follow an attribute of a tensor"),
    ("q", "q = self.W_Q(Q).unflatten(-1, self.h, self.d_k)", "the sizes it is cut into as one tuple"),
    ("q", "q = torch.cat([self.W_Q(Q), None])", "number 1 of them, counted from 0, is a None value"),
    ("q", "q = torch.cat([])", "the list is empty"),
    ("q", "q = torch.stack([])", "the list is empty"),
    ("q", "q = self.W_Q(Q)[1.5]", "picks no entry: float"),
    ("q", "q = self.W_Q(Q.half())", "different number types meet: Half and float"),
    ("q", "q = Q.concat(K)", "Write torch.concat(…)"),
    ("q", "q = torch.max(Q, dim=-1).exp()", "max gives two things"),
    ("q", "q = Q - torch.max(Q, dim=-1)", "max gives two things"),
    ("q", "q = torch.exp(Q.max(dim=-1))", "max gives two things"),
    ("q", "q = Q.unsqueze(0)", "(did you mean unsqueeze?)"),
    ("q", "q = Q.to(torch.float_32)", "(did you mean float32?)"),
    ("q", "q = torch.Tenzor(3)", "(did you mean Tensor?)"),
    ("q", "q = Q.to('float')", "“float” names no device"),
    ("q", "q = torch.ones(3, device=Q.get_device())", "there is no graphics processor"),
    ("q", "q = Q.type('float')", "no number type of torch"),
    ("q", "q = torch.ones(3, dtype='bool')", "written without quotes, torch.bool"),
    ("q", "q = torch.ones(3, dtype=torch.long).mean()", "holds numbers of type Long"),
    ("q", "q = torch.ones(3, dtype=torch.long).sqrt_()", "holds numbers of type Long"),
    ("q", "q = torch.tensor([[1, 2], [3]])", "rows of different lengths: 2 and 1"),
    ("q", "q = torch.tensor(None)", "here it was given a None value"),
    ("q", "q = torch.where(Q > 0, Q)", "torch.where takes three things, and here there are fewer"),
    ("q", "Q[0] = [1, 2]", "A list cannot be put into a tensor"),
    ("q", "with torch.no_grad:\n    pass", "Add the parentheses: with torch.no_grad():"),
    ("q", "with Q:\n    pass", "with cannot open a Tensor"),
    ("q", "x = sum(Q, dim=1)", "The one for tensors is torch.sum"),
    ("q", "x = float('-infinit')", "The text '-infinit' is no number"),
    ("q", "x = -math.infinity", "math calls infinity inf"),
    ("q", "x = int(None)", "here it was given a None value"),
    ("q", "x = max([])", "the list on this line is empty"),
    ("q", "x = max()", "max expected at least 1 argument"),
    ("q", "x = Q.shape + 1", "joins a tuple with an int"),
    ("q", "x = Q.shape[0, 1]", "A tuple is indexed with a tuple"),
    ("q", "x = Q.shape.unpack()", "A shape has nothing called unpack"),
    ("q", "x = [1] * 2.5", "multiplied by a float"),
    ("q", "x = {}[Q]", "A dictionary is asked for a tensor"),
    ("q", "x = {'a': 1}.b", "A dict has nothing called b."),
    ("q", "print('%d %d' % 3)", "a different number of places than of values"),
    ("q", "x = len(mask)", "use it only under “if mask is not None:”"),
    ("q", "x = mask.any()", "use it only under “if mask is not None:”"),
    ("q", "x = len(None)", "Find out which name is None"),
    ("attn", "attn = torch.softmax(scores, dim='-1')", "must be a number, and it is text"),
    ("attn", "attn = softmax(scores, -1)", "Put from torch import softmax at the top"),
]
NAMES = [
    ("import math", "x = torch.ones(3)", "torch is given a value only on line 2, and this line cannot see it. Move that line up"),
    ("import math", "x = MultiHeadAttention(15, 3)", "MultiHeadAttention is given a value only on line 7"),
    ("q", "q = early(Q)", "nothing in this file defines it"),
    ("super", "super().__init__()\nimport copy", "Put the import at the top of the file"),
    ("import math", "import math, F", "short names, not modules"),
    ("import math", "import maths", "(did you mean math?)"),
    ("import math", "import torch.nn.function as F", "torch.nn has nothing called function (did you mean functional?)"),
    ("import math", "$ pip install torch", "a command for a terminal"),
    ("import math", "In [1]: import math", "the prompt of a notebook"),
]  # fmt: skip
SYNTAX = [
    ("q", "q := self.W_Q(Q)", "Write = here"),
    ("q", "if Q is None {", "Python has no braces around blocks"),
    ("q", "q = {", "never closed. Put the closing bracket"),
    ("q", "q = Q if mask", "needs its else"),
    ("q", "x = 3 ? 4 : 5", "Write a if condition else b"),
    ("q", "print(f'{Q.shape}}')", "a brace that is meant as text is doubled: }}"),
    ("q", "break", "break stands where no loop is"),
    ("q", "continue", "continue stands where no loop is"),
    ("q", "from torch import *", "import * stands in a function"),
    ("q", "try:\n    pass", "has no except"),
    ("def forward", "def forward(self, Q, K, V, mask==None):", "Write =; == compares"),
]


@pytest.mark.parametrize(("key", "new", "says"), [*BUILDING, *CALLS, *NAMES, *SYNTAX])
def test_every_refusal_has_its_own_sentence(explained, key, new, says):
    """What the code gave, to what, and what it takes instead; never the bare text of the exception."""
    source = wrong(key, new)
    if "import copy" in new:
        source = source.replace("return self.W_O(merged), attn", "return copy.copy(merged), attn")
    said = explained(source)
    assert says in said
    assert "to see it happen" not in said
