import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super(MultiHeadAttention, self).__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("uneven heads")
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def fold(self, t):
        """(B, T, d_model) -> (B*h, T, d_k)"""
        B, T, _ = t.shape
        return t.reshape(B, T, self.num_heads, self.d_k).permute(0, 2, 1, 3).reshape(-1, T, self.d_k)

    def forward(self, x):
        B, T, D = x.shape
        fused = self.W_qkv(x)
        Q = self.fold(fused[:, :, :D])
        V = self.fold(fused[:, :, D : 2 * D])
        K = self.fold(fused[:, :, 2 * D :])
        S = torch.bmm(Q, K.mT) / math.sqrt(self.d_k)
        A = torch.softmax(S, 2)
        Z = torch.bmm(A, V)  # (B*h, T, d_k)
        Z = Z.reshape(B, self.num_heads, T, self.d_k).permute(0, 2, 1, 3).reshape(B, T, D)
        return self.W_o(Z)
