"""Names, kinds of values, types, devices and gradients: real mistakes run for real."""

from __future__ import annotations

import pytest

from checkers.base import Ending, Fault, Observation, Stage
from tests.meanings.student import about, wrong
from tutor.explain import explain

VALUES = [
    ("if", "if mask:", "Ask “if mask is not None”", "comparison"),
    ("if", "mask = mask or torch.ones(1)\nif mask is not None:", "this tensor holds numbers with a fraction", ""),
    ("if", "if True:", "in this call there is no mask", ""),
    ("attn", "attn = torch.softmax(scores, dim=-1)\nif scores > 0:\n    pass", "A comparison of tensors gives a tensor", "is not None"),
    ("attn", "attn = torch.softmax(scores)", "softmax was not told along which axis", ""),
    ("attn", "attn = nn.Softmax(scores)", "A Softmax is a layer, not a tensor, so @ does not work on it", ""),
    ("attn", "attn = nn.softmax(scores, -1)", "torch.nn holds layers", ""),
    ("attn", "attn = torch.softmax(scores, dim=(1, 2))", "The argument dim of softmax must be int, and it is a tuple", ""),
    ("attn", "attn = torch.softmax[scores]", "A function is followed by square brackets", ""),
    ("attn", "attn = (scores, 1).softmax(-1)", "There is a tuple of several things here", ""),
    ("scores", "scores = q @ k.mT / math.sqrt(k)", "A whole tensor stands where one number is wanted", ""),
    ("scores", "scores = q @ k.mT / torch.sqrt(self.d_k)", "it was given an int", ""),
    ("scores", "scores = q @ k.mT / math.sqrt(k.size)", "it was given a function", "builtin"),
    ("T_k", "T_k = K.size[1]", "x.size(1)", ""),
    ("T_k", "T_k = K.shape(1)", "shape is followed by round parentheses", ""),
    ("T_k", "B, T_k = K.shape[1]", ".shape holds all sizes of a tensor", ""),
    ("T_k", "B, h, T_k, d = K.shape", "The tensor has 3 axes here, but there are 4 names on the left", ""),
    ("scores", "B, T, d = q.shape\nscores = q @ k.mT", "more axes here than the 3 names", ""),
    ("T_k", "B, T_k, _ = K", "A tensor itself is taken apart along its first axis", ""),
    ("T_k", "T_k = K.shape[4]", "fewer axes than this index asks for", ""),
    ("T_k", "T_k = [1][1]", "The list on this line is shorter", "tensor"),
    ("T_k", "x = K[9]", "(2, 7, 15) = (B, T, d_model)", ""),
    ("d_k", "self.d_k = d_model / h", "A size is a number with a fraction. Use //", ""),
    ("W_Q", "self.W_Q = nn.Linear(d_model, d_model / h)", "A size is a number with a fraction", ""),
    ("q", "q = Q[:, :, : self.d_model / self.h]", "A size is a number with a fraction", ""),
    ("q", "q = self.W_Q(Q).view(B, T_q, self.h, None)", "Size number 4 of this view is a None value", "fraction"),
    ("context", "context = attn.half() @ v", "Half and Float", ""),
    ("q", "q = self.W_Q(Q.double())", "double and float", ""),
    ("context", "context = attn.bool() @ v", "does not work on a tensor of type Bool", ""),
    ("q", "q = self.W_Q(Q.cuda())", "asks for a graphics processor", "assert"),
    ("q", "q = self.W_Q(Q.to('meta'))\nq = q + Q", "Tensors on different devices meet", ""),
    ("q", "q = self.W_Q(Q).numpy()", "numpy was given a tensor that still collects gradients", ""),
    ("q", "x = torch.tensor([1], requires_grad=True)", "a tensor of whole numbers", ""),
    ("q", "self.W_Q.weight *= 2", "is changed in place. The multiplication was given (15, 15) = (d_model, d_model)", ""),
    ("q", "torch.ones(3).sum().backward()", "depends on no weight", ""),
    ("return", "o = self.W_O(merged)\no.sum().backward()\no.sum().backward()", "backward is called twice", ""),
    ("return", "self.W_O(merged).backward()", "on a whole tensor rather than on one number", ""),
    ("return", "w = attn.sum()\nattn *= 2\nw.backward()", "changed in place after another step had used it", ""),
    ("q", "self.load_state_dict({})", "was given no value for", ""),
    ("q", "q = self.W_Q @ Q", "A Linear is a layer, not a tensor", ""),
    ("q", "q = self.W_Q.weight(Q)", "Call the layer itself", ""),
    ("q", "q = self.W_Q(Q, K)", "A Linear takes exactly one tensor", ""),
    ("q", "q = self.W_Q(None)", "linear was given None where it takes a tensor", ""),
    ("q", "q = F.linear(Q, self.W_Q)", "Give it layer.weight", ""),
    ("q", "q = self.h(Q)", "Parentheses follow an int", ""),
    ("q", "q = self.W_Q.view(B, T_q, self.h, self.d_k)", "A Linear is a layer and has nothing called view", ""),
    ("q", "x = torch.zeros(3, device=self.device)", "Take it from a tensor that is given: Q.device", "__init__"),
    ("W_Q", "self.W_Q = [nn.Linear(d_model, d_model)]", "A list is called like a layer", ""),
    ("W_Q", "self.W_Q = nn.Linear(d_model, d_model * h)", "What is cut here is 45 wide, and d_model = h · d_k = 15", "T_q"),
    ("W_Q", "self.W_Q = nn.Linear('d_model', d_model)", "A size on this line is a str", "empty"),
    ("attn", "attn = F.softmax(scores, axis=-1)", "torch calls it dim", ""),
    ("q", "x = math.sqrt(-1)", "such as the root of a negative one", ""),
    ("if", "mask = mask.unsqueeze(1) if mask is not None else None\nif mask is not None:", "put in no axes of your own", ""),
    ("q", "for i in range(Q.shape): pass", "Take a single size", ""),
    ("q", "self.W_Q = Q", "W_Q is a layer, and a tensor cannot take its place", ""),
    ("q", "x = {}['num_heads']", "There is no entry 'num_heads' in the dictionary", ""),
    ("q", "x = 1 / 0", "divided by zero on this line. Look where the divisor comes from; the sizes of this case are B = 2", ""),
    ("q", "assert T_q == 3, 'three'", "does not hold: three. Look at what it compares; the sizes of this case are", ""),
    ("q", "raise ValueError('too wide')", "Your own raise on this line speaks: too wide", ""),
    ("q", "raise NotImplementedError('later')", "this part is not written yet: later", ""),
    ("q", "raise 'later'", "raise takes an exception, not a text", ""),
    ("q", "open('no/such/file')", "files, network, processes and threads", ""),
    ("q", "q = nn.ModuleList([self.W_Q])(Q)", "A ModuleList only holds layers", ""),
    ("return", "|        return self.join(merged)[0], attn\n\n    def join(self, x):\n        y = self.W_O(x)", "join on line 33 has no return", ""),
    ("return", "|        return self.join(merged), attn\n\n    def join(x):\n        return x", "a method gets self as its first", ""),
]  # fmt: skip
NAMES = [
    ("q", "q = self.W_Q(Q).view(B, T_q, h, self.d_k)", "did you mean self.h?", "Import"),
    ("q", "q = W_Q(Q)", "did you mean self.W_Q?", "Import"),
    ("q", "q = np.matmul(Q, K)", "Put import numpy as np at the top", ""),
    ("q", "q = f.softmax(Q, -1)", "(did you mean F?)", ""),
    ("q", "x = true", "In Python this is written True", "did you mean"),
    ("q", "x = width", "is given a value only on line 13, inside __init__", "nothing in this file defines it"),
    ("def forward", "def forward(self, Q, K, V):", "add it to the parameters", ""),
    ("q", "x = self.dk", "did you mean d_k?", ""),
    ("q", "x = self.width", "__init__ computes width (line 13) but sets no self.width", ""),
    ("if", "if self.mask is not None:", "did you mean mask, without self?", ""),
    ("T_k", "T_k = T_k + 1", "The name T_k is read before this function has given it a value", ""),
    ("super", "super(MultiHead, self).__init__()", "super().__init__() needs no name", ""),
    ("super", "super(nn.Linear, self).__init__()", "Write super().__init__() without names", ""),
    ("super", "super().__init__", "Make super().__init__() the first line of __init__", ""),
    ("super", "super.__init__()", "with parentheses behind super as well", ""),
    ("super", "super().__init__(d_model, h)", "takes no arguments", "Compare"),
    ("import math", "import math\nfrom torch.nn import Liner", "torch.nn has nothing called Liner (did you mean Linear?)", "site-packages"),
    ("import math", "import math\nimport einops", "there is no einops", "while the file is loaded"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "new", "says", "never"), [*VALUES, *NAMES])
def test_values_and_names(explained, key, new, says, never):
    """None, layers, functions, types, devices, gradients and names have their own sentences."""
    said = explained(wrong(key, new))
    assert says in said
    assert not never or never not in said


def test_deeply_nested_code_is_read_without_running_out_of_stack():
    """A long chain of operators in the file costs no more than its length."""
    source = "x = " + "+".join("1" * 900) + "\nyy = zz\n"
    fault = Fault("NameError", "name 'zz' is not defined", 2)
    observation = Observation("load", Ending.DID_NOT_LOAD, Stage.LOAD, fault)
    assert "The name zz is used" in explain(observation, about(source)).message


def test_text_of_the_student_cannot_fill_the_sentences():
    """Braces in a message stay what they are."""
    fault = Fault("KeyError", "'{near} {given} {9}'", 1)
    meaning = explain(Observation("plain", Ending.RAISED, Stage.CALL, fault), about("x = d[k]"))
    assert "{near} {given} {9}" in meaning.message
