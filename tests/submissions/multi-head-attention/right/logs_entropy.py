import logging
import math

import torch
import torch.nn as nn

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            logger.error("d_model=%d is not divisible by h=%d", d_model, h)
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.calls = 0
        self.last_entropy = None
        logger.info("built %d heads of width %d", h, self.d_k)

    def _log(self, w):
        with torch.no_grad():
            entropy = -(w * w.clamp_min(1e-12).log()).sum(-1)
            self.last_entropy = entropy.mean(dim=(0, 2))
            self.calls += 1
            logger.debug("call %d, entropy per head %s", self.calls, self.last_entropy)

    def forward(self, Q, K, V, mask=None):
        B, T, D = Q.shape
        q = self.W_Q(Q).view(B, T, self.h, self.d_k).transpose(1, 2)
        k = self.W_K(K).view(B, K.size(1), self.h, self.d_k).transpose(1, 2)
        v = self.W_V(V).view(B, V.size(1), self.h, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)
        self._log(attn_w)
        return self.W_O((attn_w @ v).transpose(1, 2).reshape(B, T, D)), attn_w
