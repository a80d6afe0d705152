import torch
import torch.nn as nn


class HeadsDoNotFit(ValueError):
    def __init__(self, d_model, h):
        super().__init__(f"{d_model} features cannot be dealt evenly to {h} heads ({d_model % h} left over)")
        self.d_model = d_model
        self.h = h


class WrongShape(TypeError):
    pass


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        if d_model % h:
            raise HeadsDoNotFit(d_model, h)
        super().__init__()
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _check(self, Q, K, V, mask):
        for name, x in {"Q": Q, "K": K, "V": V}.items():
            if not isinstance(x, torch.Tensor):
                raise WrongShape(f"{name} is a {type(x).__name__}, not a tensor")
            if x.dim() != 3 or x.shape[-1] != self.d_model:
                raise WrongShape(f"{name} has shape {tuple(x.shape)}, expected (B, T, {self.d_model})")
        if K.shape[1] != V.shape[1]:
            raise WrongShape("K and V must have the same length")
        if mask is not None and mask.dtype != torch.bool:
            raise WrongShape(f"mask must be boolean, got {mask.dtype}")

    def forward(self, Q, K, V, mask=None):
        self._check(Q, K, V, mask)
        B, T_q, _ = Q.shape
        T_k = K.shape[1]
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-1, -2) / self.d_k**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = scores.softmax(-1)
        return self.W_O((attn_w @ v).transpose(1, 2).reshape(B, T_q, self.d_model)), attn_w
