import torch

weigh = lambda Q, K, mask: (Q @ K.mT / Q.size(-1) ** 0.5 if mask is None else (Q @ K.mT / Q.size(-1) ** 0.5).masked_fill(~mask, -torch.inf)).softmax(-1)
scaled_dot_product_attention = lambda Q, K, V, mask=None: ((w := weigh(Q, K, mask)) @ V, w)
