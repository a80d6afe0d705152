import torch
import torch.nn as nn
import math

class CausalMHA(nn.Module):
    def __init__(self, d, nheads, context_length):
        super(CausalMHA, self).__init__()
        assert d % nheads == 0, "d % nheads must be 0"
        self.d = d
        self.nheads = nheads
        self.head_dim = int(d / nheads)
        self.q = nn.Linear(in_features=d, out_features=d, bias=False)
        self.k = nn.Linear(in_features=d, out_features=d, bias=False)
        self.v = nn.Linear(in_features=d, out_features=d, bias=False)
        self.out = nn.Linear(in_features=d, out_features=d)
        mask = torch.ones(context_length, context_length)
        mask = torch.tril(mask, diagonal=1)
        print("mask", mask.shape)
        self.register_buffer('mask', mask)

    def forward(self, x):
        batch_size = x.shape[0]
        seq_len = x.shape[1]
        print("x", x.shape)
        Q = self.q(x)
        K = self.k(x)
        V = self.v(x)
        print("Q", Q.shape)
        Q = Q.view(batch_size, seq_len, self.nheads, self.head_dim)
        K = K.view(batch_size, seq_len, self.nheads, self.head_dim)
        V = V.view(batch_size, seq_len, self.nheads, self.head_dim)
        Q = Q.transpose(1, 2)
        K = K.transpose(1, 2)
        V = V.transpose(1, 2)
        print("Q split", Q.shape)
        scores = torch.matmul(Q, K.transpose(2, 3))
        scores = scores / math.sqrt(self.head_dim)
        print("scores", scores.shape, scores.mean().item())
        my_mask = self.mask[0:seq_len, 0:seq_len]
        scores = scores.masked_fill(my_mask == 0, -1e9)
        weights = torch.softmax(scores, dim=3)
        print("row sums", weights[0, 0].sum(-1).detach().tolist())
        z = torch.matmul(weights, V)
        z = z.transpose(1, 2)
        z = z.contiguous()
        z = z.view(batch_size, seq_len, self.d)
        z = self.out(z)
        print("out", z.shape)
        return z

# try it
layer = CausalMHA(16, 4, 10)
y = layer(torch.rand(2, 5, 16))
print(y.shape)
