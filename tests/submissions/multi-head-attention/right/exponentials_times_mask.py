import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """No infinities anywhere: forbidden entries are multiplied away before the rows are normalised."""

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def masked_softmax(self, s, mask):
        if mask is None:
            mask = torch.ones(1, dtype=torch.bool, device=s.device)
        floor = torch.finfo(s.dtype).min
        top = torch.where(mask, s, floor).amax(-1, keepdim=True)   # largest allowed score of each row
        e = torch.exp((s - top).clamp(max=0)) * mask
        return e / e.sum(-1, keepdim=True).clamp(min=torch.finfo(s.dtype).tiny)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        q = self.W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, K.size(1), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, K.size(1), self.h, self.d_k).transpose(1, 2)
        attn_w = self.masked_softmax(q @ k.transpose(-2, -1) / self.d_k**0.5, mask)
        return self.W_O((attn_w @ v).transpose(1, 2).reshape(B, T, D)), attn_w
