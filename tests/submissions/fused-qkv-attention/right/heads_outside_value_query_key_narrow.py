import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be a multiple of num_heads")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        nn.init.xavier_uniform_(self.W_qkv.weight)
        nn.init.xavier_uniform_(self.W_o.weight)

    def forward(self, x):
        B, T, D = x.shape
        y = self.W_qkv(x).view(B, T, self.h, 3 * self.d_k).transpose(1, 2)  # (B, h, T, 3 d_k)
        V = y.narrow(-1, 0, self.d_k)
        Q = y.narrow(-1, self.d_k, self.d_k)
        K = y.narrow(-1, 2 * self.d_k, self.d_k)
        A = (Q @ K.permute(0, 1, 3, 2)).mul(1 / math.sqrt(self.d_k)).softmax(dim=3)
        return self.W_o((A @ V).transpose(1, 2).reshape(B, T, D))
