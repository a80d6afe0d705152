import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h = h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, Q, K, V, mask=None):
        q, k, v = self.split(self.W_Q(Q)), self.split(self.W_K(K)), self.split(self.W_V(V))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        w = F.softmax(scores, dim=-1)
        return self.W_O((w @ v).transpose(1, 2).flatten(2)), w


# ---- does it agree with PyTorch? ----
def test_against_pytorch():
    torch.manual_seed(1)
    mine = MultiHeadAttention(24, 4)
    theirs = nn.MultiheadAttention(24, 4, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([mine.W_Q.weight, mine.W_K.weight, mine.W_V.weight]))
        theirs.out_proj.weight.copy_(mine.W_O.weight)
    x, y = torch.randn(3, 6, 24), torch.randn(3, 9, 24)
    a, wa = mine(x, y, y)
    b, wb = theirs(x, y, y, average_attn_weights=False)
    assert torch.allclose(a, b, atol=1e-5)
    assert torch.allclose(wa, wb, atol=1e-5)

    causal = torch.ones(6, 6).tril().bool()
    q, k, v = mine.split(mine.W_Q(x)), mine.split(mine.W_K(x)), mine.split(mine.W_V(x))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=causal)
    assert torch.allclose(mine(x, x, x, causal)[0], mine.W_O(c.transpose(1, 2).flatten(2)), atol=1e-5)


test_against_pytorch()
print("same as torch.nn.MultiheadAttention :-)")
