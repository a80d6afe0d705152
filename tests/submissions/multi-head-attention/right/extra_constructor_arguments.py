import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """
    d_model: width
    h: number of heads
    bias, scale, fill, device, dtype: rarely needed, sensible defaults
    """

    def __init__(self, d_model, h, bias=False, scale=None, fill=float("-inf"), *, device=None, dtype=None, name="mha"):
        super().__init__()
        if d_model % h:
            raise ValueError(f"{name}: d_model={d_model} h={h}")
        factory_kwargs = {"device": device, "dtype": dtype}
        self.name = name
        self.h = h
        self.fill = fill
        self.scale = (d_model // h) ** -0.5 if scale is None else scale
        self.W_Q = nn.Linear(d_model, d_model, bias=bias, **factory_kwargs)
        self.W_K = nn.Linear(d_model, d_model, bias=bias, **factory_kwargs)
        self.W_V = nn.Linear(d_model, d_model, bias=bias, **factory_kwargs)
        self.W_O = nn.Linear(d_model, d_model, bias=bias, **factory_kwargs)

    def forward(self, Q, K, V, mask=None, *, need_weights=True):
        q = self.W_Q(Q).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k = self.W_K(K).unflatten(-1, (self.h, -1)).transpose(1, 2)
        v = self.W_V(V).unflatten(-1, (self.h, -1)).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, self.fill)
        weights = scores.softmax(-1)
        output = self.W_O(torch.matmul(weights, v).transpose(1, 2).flatten(2))
        if need_weights:
            return output, weights
        return output, None
