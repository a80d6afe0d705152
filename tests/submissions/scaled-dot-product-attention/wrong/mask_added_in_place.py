import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    logits = torch.matmul(Q, K.transpose(-2, -1))
    logits = logits * (Q.shape[-1] ** -0.5)
    if mask is not None:
        # additive mask, as in the PyTorch docs
        logits += mask.float()
    w = logits.softmax(-1)
    return torch.matmul(w, V), w
