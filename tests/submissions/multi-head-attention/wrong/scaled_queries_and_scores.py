import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Q, K, V: (batch, time, d_model)."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError("h has to divide d_model")
        self.D = d_model
        self.h = h
        self.dk = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        B, T_q, D = Q.shape
        T_k = K.shape[1]
        q = F.linear(Q, self.W_Q.weight)
        k = F.linear(K, self.W_K.weight)
        v = F.linear(V, self.W_V.weight)
        q = q / self.dk ** 0.5

        q = q.view(B, T_q, self.h, self.dk).permute(0, 2, 1, 3)
        k = k.view(B, T_k, self.h, self.dk).permute(0, 2, 3, 1)
        v = v.view(B, T_k, self.h, self.dk).permute(0, 2, 1, 3)
        s = q @ k / self.dk ** 0.5

        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        s = s - s.amax(dim=-1, keepdim=True)
        e = torch.exp(s)
        w = e / e.sum(dim=-1, keepdim=True)

        z = w @ v
        z = z.permute(0, 2, 1, 3).reshape(B, T_q, D)
        y = F.linear(z, self.W_O.weight)
        return y, w


if __name__ == "__main__":
    mha = MultiHeadAttention(d_model=32, h=4)
    x = torch.randn(2, 6, 32)
    out, w = mha(x, x, x)
    print(out.shape, w.shape)
