import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    """GPT-2's attention. Not F.scaled_dot_product_attention and not nn.MultiheadAttention."""

    def __init__(self, d_in, d_out, context_length, nheads, dropout=0.0, qkv_bias=False):
        super(CausalMHA, self).__init__()
        if not d_out % nheads == 0:
            raise ValueError("no")
        self.d_out, self.nheads = d_out, nheads
        self.q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.v = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)
        mask = torch.tril(torch.ones((context_length, context_length), dtype=torch.bool))
        self.register_buffer("mask", mask)

    def forward(self, x):
        B, N, _ = x.shape
        H, D = self.nheads, self.d_out // self.nheads
        Q, K, V = self.q(x), self.k(x), self.v(x)
        Q = Q.reshape(B, N, H, D).transpose(1, 2)
        K = K.reshape(B, N, H, D).transpose(1, 2)
        V = V.reshape(B, N, H, D).transpose(1, 2)
        S = Q @ K.transpose(-1, -2) / D**0.5
        S = torch.where(self.mask[:N, :N], S, torch.tensor(float("-inf"), dtype=S.dtype, device=S.device))
        A = self.dropout(self.softmax(S))
        return self.out((A @ V).transpose(1, 2).contiguous().view(B, N, self.d_out))


layer = CausalMHA(d_in=6, d_out=8, context_length=4, nheads=2, dropout=0.5, qkv_bias=True)
x = torch.randn(1, 4, 6)
print("training:", layer(x).std())
layer.eval()
assert torch.equal(layer(x), layer(x))
print("eval:", layer(x).std())
