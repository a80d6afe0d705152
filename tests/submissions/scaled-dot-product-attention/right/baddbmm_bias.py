import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    *lead, T_q, d_k = Q.shape
    T_k, d_v = V.shape[-2], V.shape[-1]

    bias = Q.new_zeros(*lead, T_q, T_k)
    if mask is not None:
        bias = bias.masked_fill(~mask, float("-inf"))

    flat = lambda x: x.reshape(-1, *x.shape[-2:])
    scores = torch.baddbmm(flat(bias), flat(Q), flat(K).mT, beta=1, alpha=d_k**-0.5)
    weights = torch.softmax(scores, dim=-1)
    output = torch.bmm(weights, flat(V))
    return output.view(*lead, T_q, d_v), weights.view(*lead, T_q, T_k)
