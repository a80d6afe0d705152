import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
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
        T_q, B, D = Q.shape  # (time, batch, features)
        T_k = K.shape[0]
        q = F.linear(Q, self.W_Q.weight)
        k = F.linear(K, self.W_K.weight)
        v = F.linear(V, self.W_V.weight)
        q = q / self.dk ** 0.5  # scale here, cheaper than on the scores

        q = q.view(T_q, B, self.h, self.dk).permute(1, 2, 0, 3)
        k = k.view(T_k, B, self.h, self.dk).permute(1, 2, 3, 0)
        v = v.view(T_k, B, self.h, self.dk).permute(1, 2, 0, 3)
        s = q @ k

        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        # softmax by hand, minus the max so that exp does not explode
        s = s - s.amax(dim=-1, keepdim=True)
        e = torch.exp(s)
        w = e / e.sum(dim=-1, keepdim=True)

        z = w @ v
        z = z.permute(2, 0, 1, 3).reshape(T_q, B, D)
        y = F.linear(z, self.W_O.weight)
        return y, w
