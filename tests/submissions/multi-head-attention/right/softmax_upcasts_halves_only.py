import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """LLaMA's habit of a float32 softmax, but float64 stays float64."""

    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"hidden_size must be divisible by num_heads (got {d_model} and {h})")
        self.hidden_size = d_model
        self.num_heads = h
        self.head_dim = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def _shape(self, tensor, seq_len, bsz):
        return tensor.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2).contiguous()

    def forward(self, Q, K, V, mask=None):
        bsz, q_len, _ = Q.size()
        kv_len = K.size(1)
        query_states = self._shape(self.W_Q(Q), q_len, bsz)
        key_states = self._shape(self.W_K(K), kv_len, bsz)
        value_states = self._shape(self.W_V(V), kv_len, bsz)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / self.head_dim**0.5
        if attn_weights.size() != (bsz, self.num_heads, q_len, kv_len):
            raise ValueError(f"attention weights are of size {attn_weights.size()}")
        if mask is not None:
            attn_weights = attn_weights.masked_fill(~mask, torch.finfo(attn_weights.dtype).min)
        upcast = torch.promote_types(attn_weights.dtype, torch.float32)
        attn_weights = F.softmax(attn_weights, dim=-1, dtype=upcast).to(query_states.dtype)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(bsz, q_len, self.hidden_size)
        return self.W_O(attn_output), attn_weights
