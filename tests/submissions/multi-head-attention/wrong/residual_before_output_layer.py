import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    # no bias anywhere, as in the paper
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
        N, L, D = Q.shape
        S = K.shape[1]
        q = F.linear(Q, self.W_Q.weight)
        k = F.linear(K, self.W_K.weight)
        v = F.linear(V, self.W_V.weight)
        q = q / self.dk ** 0.5  # scale here, cheaper than on the scores

        q = q.view(N, L, self.h, self.dk).permute(0, 2, 1, 3)
        k = k.view(N, S, self.h, self.dk).permute(0, 2, 3, 1)  # already transposed
        v = v.view(N, S, self.h, self.dk).permute(0, 2, 1, 3)
        scores = q @ k

        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        # softmax by hand, minus the max so that exp does not explode
        scores = scores - scores.amax(dim=-1, keepdim=True)
        e = torch.exp(scores)
        attn = e / e.sum(dim=-1, keepdim=True)

        mixed = attn @ v
        mixed = mixed.permute(0, 2, 1, 3).reshape(N, L, D)
        mixed = mixed + F.linear(Q, self.W_Q.weight)  # skip connection
        result = F.linear(mixed, self.W_O.weight)
        return result, attn


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


print("parameters:", count_parameters(MultiHeadAttention(512, 8)))
