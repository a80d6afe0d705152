import torch
from torch import nn


class DotProductAttention(nn.Module):
    """Scaled dot product attention without any parameters."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None):
        d = queries.shape[-1]
        scores = torch.matmul(queries, keys.transpose(-2, -1)) / d**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        self.attention_weights = nn.functional.softmax(scores, dim=-1)
        return torch.matmul(self.dropout(self.attention_weights), values)


def scaled_dot_product_attention(Q, K, V, mask=None):
    layer = DotProductAttention().eval()
    output = layer(Q, K, V, mask)
    return output, layer.attention_weights
