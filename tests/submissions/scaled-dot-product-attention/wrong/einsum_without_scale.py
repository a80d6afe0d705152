import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # einsum: q = query position, k = key position, d = features
    sim = torch.einsum("...qd,...kd->...qk", Q, K)
    if mask is not None:
        sim = torch.where(mask, sim, torch.full_like(sim, float("-inf")))
    # softmax by hand, minus the max so it does not overflow
    sim = sim - sim.amax(-1, keepdim=True)
    e = torch.exp(sim)
    probs = e / e.sum(-1, keepdim=True)
    return torch.einsum("...qk,...kd->...qd", probs, V), probs
