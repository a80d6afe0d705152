import torch.nn.functional as F
import math


def scaled_dot_product_attention(Q, K, V, mask=None):
    logits = (Q @ K.swapaxes(-1, -2)) * (1 / math.sqrt(Q.shape[-1]))
    if mask is not None:
        logits = logits.masked_fill(mask.logical_not(), -math.inf)
    logp = F.log_softmax(logits, dim=-1)
    p = logp.exp()
    return p @ V, p
