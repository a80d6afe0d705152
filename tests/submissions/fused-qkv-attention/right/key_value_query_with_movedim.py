import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.shape = (3, num_heads, d_model // num_heads)
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        parts = self.W_qkv(x).unflatten(-1, self.shape)  # (B, T, 3, h, d)
        keys, values, queries = torch.movedim(parts, (2, 3), (0, 2)).unbind()  # each (B, h, T, d)
        logits = torch.matmul(queries, keys.swapaxes(-1, -2)) * self.shape[-1] ** -0.5
        # softmax by hand
        logits = logits - logits.amax(dim=-1, keepdim=True)
        e = logits.exp()
        probs = e / e.sum(dim=-1, keepdim=True)
        heads = torch.matmul(probs, values)
        return self.W_o(heads.movedim(1, 2).flatten(start_dim=-2))
