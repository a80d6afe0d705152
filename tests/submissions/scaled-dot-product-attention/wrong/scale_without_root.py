import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = K.shape[-1]
    scores = torch.matmul(Q, K.transpose(-2, -1)) / d_k
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    attention = F.softmax(scores, dim=-1)
    output = torch.matmul(attention, V)
    return output, attention


# quick look
Q = torch.randn(1, 3, 4)
print("weights:", scaled_dot_product_attention(Q, Q, Q)[1])
