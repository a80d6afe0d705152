from torch import einsum, nn


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory=None):
        y = x if memory is None else memory
        wq, wk, wv = (w.weight.view(self.h, self.d_k, -1) for w in (self.W_Q, self.W_K, self.W_V))
        q = einsum("btd,hkd->bhtk", x, wq)
        k = einsum("bsd,hkd->bhsk", y, wk)
        v = einsum("bsd,hkd->bhsk", y, wv)
        a = (einsum("bhtk,bhsk->bhts", q, k) / self.d_k**0.5).softmax(-1)
        return einsum("bhts,bhsk,ohk->bto", a, v, self.W_O.weight.view(-1, self.h, self.d_k))
