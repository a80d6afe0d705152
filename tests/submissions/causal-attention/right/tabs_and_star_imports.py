from torch import *
from torch.nn import *
from math import *


class CausalMHA(Module):
	def __init__(self, d, nheads, context_length):
		super().__init__(); assert d % nheads == 0
		self.nheads = nheads; self.e = d // nheads
		self.q = Linear(d, d, bias=False); self.k = Linear(d, d, bias=False); self.v = Linear(d, d, bias=False)
		self.out = Linear(d, d)
		self.register_buffer("mask", ones(context_length, context_length).tril().bool())

	def forward(self, x):
		b, n, d = x.shape
		q = self.q(x).view(b, n, self.nheads, self.e).swapaxes(1, 2)
		k = self.k(x).view(b, n, self.nheads, self.e).swapaxes(1, 2)
		v = self.v(x).view(b, n, self.nheads, self.e).swapaxes(1, 2)
		s = q @ k.swapaxes(2, 3) / sqrt(self.e)
		s = s.masked_fill(~self.mask[0:n, 0:n], -inf)
		return self.out((s.softmax(3) @ v).swapaxes(1, 2).reshape(b, n, d))
