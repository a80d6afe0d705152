import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ V, weights


torch.manual_seed(0)
for lead in [(), (2,), (2, 3), (2, 1, 3)]:
    Q, K, V = torch.randn(*lead, 4, 5), torch.randn(*lead, 6, 5), torch.randn(*lead, 6, 7)
    mask = torch.rand(4, 6) > 0.4
    mask[:, 0] = True
    for m in (None, mask):
        mine = scaled_dot_product_attention(Q, K, V, m)[0]
        theirs = F.scaled_dot_product_attention(Q, K, V, attn_mask=m)
        assert torch.allclose(mine, theirs, atol=1e-5), (lead, m)
print("all close to F.scaled_dot_product_attention")
