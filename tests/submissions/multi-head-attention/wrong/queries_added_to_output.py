import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    # no bias anywhere, as in the paper
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "number of heads does not fit"
        self.h = h
        self.d_model = d_model
        self.d_k = d_model // h
        self.norm = self.d_k ** 0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        batch_size = Q.shape[0]
        seq_q = Q.shape[1]
        seq_k = K.shape[1]

        # step 1: the projections
        queries = self.W_Q(Q)
        keys = self.W_K(K)
        values = self.W_V(V)

        # step 2: split d_model into h heads
        queries = queries.reshape(batch_size, seq_q, self.h, self.d_k)
        keys = keys.reshape(batch_size, seq_k, self.h, self.d_k)
        values = values.reshape(batch_size, seq_k, self.h, self.d_k)
        queries = queries.permute(0, 2, 1, 3)
        keys = keys.permute(0, 2, 1, 3)
        values = values.permute(0, 2, 1, 3)

        # step 3: attention in every head
        scores = torch.matmul(queries, keys.permute(0, 1, 3, 2))
        scores = scores / self.norm
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn_w = nn.functional.softmax(scores, dim=-1)
        heads = torch.matmul(attn_w, values)

        # step 4: join the heads
        joined = heads.permute(0, 2, 1, 3).reshape(batch_size, seq_q, self.d_model)

        # step 5: last projection
        output = self.W_O(joined) + Q
        return output, attn_w


# quick test
x = torch.randn(2, 6, 16)
layer = MultiHeadAttention(16, 4)
result = layer(x, x, x)
print("output:", result[0].shape)
