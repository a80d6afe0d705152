import torch
import torch.nn as nn


def _validate(module, args, kwargs):
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    widths = {t.shape[-1] for t in tensors[:3]}
    if widths and widths != {module.W_Q.in_features}:
        raise ValueError(f"expected width {module.W_Q.in_features}, got {widths}")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if not (isinstance(d_model, int) and isinstance(h, int)):
            raise TypeError("sizes must be whole numbers")
        if h < 1 or d_model < 1 or d_model % h:
            raise ValueError("d_model must be a positive multiple of h")
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.register_forward_pre_hook(_validate, with_kwargs=True)

    def forward(self, Q, K, V, mask=None):
        q, k, v = (x.unflatten(-1, (self.h, -1)).swapdims(1, 2) for x in (self.W_Q(Q), self.W_K(K), self.W_V(V)))
        scores = torch.matmul(q, k.swapdims(-1, -2)).div(q.size(-1) ** 0.5)
        if mask is not None:
            scores.masked_fill_(~mask, float("-inf"))
        attn_w = scores.softmax(dim=-1)
        return self.W_O(torch.matmul(attn_w, v).swapdims(1, 2).flatten(2)), attn_w
