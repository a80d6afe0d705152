import math

from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    SOURCES = {True: lambda x, memory: x, False: lambda x, memory: memory}

    def forward(self, x, memory=None):
        source = self.SOURCES[memory is None](x, memory)
        tensors = {"Q": x, "K": source, "V": source}
        heads = {
            role: getattr(self, f"W_{role}")(t).unflatten(-1, (self.h, self.d_k)).swapdims(1, 2)
            for role, t in tensors.items()
        }
        scores = heads["Q"] @ heads["K"].adjoint() / math.sqrt(self.d_k)
        return self.W_O((nn.Softmax(dim=-1)(scores) @ heads["V"]).swapdims(1, 2).flatten(2))
