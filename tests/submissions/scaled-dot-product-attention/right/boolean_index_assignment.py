import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    dk = Q.shape[-1]
    scores = torch.matmul(Q, K.transpose(-1, -2))
    scores = scores / dk**0.5
    if mask is not None:
        m = torch.broadcast_to(mask, scores.shape)
        scores[m == False] = float('-inf')
    w = torch.softmax(scores, dim=-1)
    return torch.matmul(w, V), w
