import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "number of heads does not fit"
        self.h = h
        self.d_model = d_model
        self.d_k = d_model // h
        self.root = self.d_k ** 0.5
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        batch_size = Q.shape[0]
        len_q = Q.shape[1]
        len_k = K.shape[1]

        # step 1: the projections
        Q /= self.root  # scale early
        q_heads = self.W_Q(Q)
        k_heads = self.W_K(K)
        v_heads = self.W_V(V)

        # step 2: split d_model into h heads
        q_heads = q_heads.reshape(batch_size, len_q, self.h, self.d_k)
        k_heads = k_heads.reshape(batch_size, len_k, self.h, self.d_k)
        v_heads = v_heads.reshape(batch_size, len_k, self.h, self.d_k)
        q_heads = q_heads.permute(0, 2, 1, 3)
        k_heads = k_heads.permute(0, 2, 1, 3)
        v_heads = v_heads.permute(0, 2, 1, 3)

        # step 3: attention in every head
        scores = torch.matmul(q_heads, k_heads.permute(0, 1, 3, 2))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn_w = nn.functional.softmax(scores, dim=-1)
        heads = torch.matmul(attn_w, v_heads)

        # step 4: join the heads
        concat = heads.permute(0, 2, 1, 3).reshape(batch_size, len_q, self.d_model)

        # step 5: last projection
        output = self.W_O(concat)
        return output, attn_w
