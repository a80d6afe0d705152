from torch import arange, inf, nn


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        if d_out % nheads: raise ValueError((d_out, nheads))
        super().__init__()
        self.h = nheads
        self.q, self.k, self.v = (nn.Linear(d_in, d_out, qkv_bias) for _ in "qkv")
        self.out, self.drop = nn.Linear(d_out, d_out), nn.Dropout(dropout)
        self.register_buffer("late", (i := arange(context_length)) > i[:, None])

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (p(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for p in (self.q, self.k, self.v))
        a = (q @ k.mT / (d := k.shape[-1]) ** 0.5).masked_fill(self.late[:n, :n], -inf).softmax(-1)
        return self.out((self.drop(a) @ v).transpose(1, 2).flatten(2))
