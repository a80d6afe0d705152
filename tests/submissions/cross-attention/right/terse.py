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

    def forward(s, x, memory=None):
        y = x if memory is None else memory
        q, k, v = (f(t).unflatten(-1, (s.h, -1)).transpose(1, 2) for f, t in ((s.W_Q, x), (s.W_K, y), (s.W_V, y)))
        return s.W_O(((q @ k.mT / s.d_k**.5).softmax(-1) @ v).transpose(1, 2).flatten(2))
