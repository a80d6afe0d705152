"""
Multi-Head Attention
====================

This module contains an implementation of multi-head attention, following Vaswani et al.,
"Attention Is All You Need" (2017), section 3.2.2.

Background
----------

Given queries Q, keys K and values V, a single head computes

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

and h heads are computed side by side on learned projections,

    head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
    MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O

>>> layer = MultiHeadAttention(8, 2)
>>> x = torch.zeros(1, 3, 8)
>>> [tuple(t.shape) for t in layer(x, x, x)]
[(1, 3, 8), (1, 2, 3, 3)]

Of course nobody would write a loop `for head in range(h)`; nn.MultiheadAttention and
F.scaled_dot_product_attention do not do it either, and we do not use them here.
"""

import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """
    Multi-head attention.

    Parameters
    ----------
    d_model : int
        Width of the tokens. Must be a multiple of ``h``.
    h : int
        Number of heads.

    Attributes
    ----------
    W_Q, W_K, W_V : nn.Linear
        Projections of queries, keys and values, shape ``(d_model, d_model)``, no bias. The rows
        ``i * d_k ... (i + 1) * d_k - 1`` belong to head ``i``.
    W_O : nn.Linear
        Projection of the concatenated heads.

    Raises
    ------
    ValueError
        If ``d_model`` is not a multiple of ``h``.

    Notes
    -----
    The number of parameters, ``4 * d_model ** 2``, does not depend on ``h``.

    See Also
    --------
    torch.nn.MultiheadAttention : the library's version, with biases.
    """

    def __init__(self, d_model, h):
        """
        Build the four matrices.

        Parameters
        ----------
        d_model : int
        h : int
        """
        super().__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be a multiple of h")
        self.h = h
        self.d_k = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        """
        Attend.

        Parameters
        ----------
        Q : Tensor, shape (B, T_q, d_model)
        K, V : Tensor, shape (B, T_k, d_model)
        mask : Tensor of bool, optional
            Broadcastable to ``(B, h, T_q, T_k)``; True where a query may look at a key.

        Returns
        -------
        output : Tensor, shape (B, T_q, d_model)
        attn_w : Tensor, shape (B, h, T_q, T_k)
            Rows sum to one.
        """
        B, T_q, d_model = Q.shape
        T_k = K.shape[1]
        q = self.W_Q(Q).view(B, T_q, self.h, self.d_k).transpose(1, 2)  # (B, h, T_q, d_k)
        k = self.W_K(K).view(B, T_k, self.h, self.d_k).transpose(1, 2)  # (B, h, T_k, d_k)
        v = self.W_V(V).view(B, T_k, self.h, self.d_k).transpose(1, 2)  # (B, h, T_k, d_k)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)  # (B, h, T_q, T_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn_w = torch.softmax(scores, dim=-1)  # (B, h, T_q, T_k)
        heads = attn_w @ v  # (B, h, T_q, d_k)
        concat = heads.transpose(1, 2).contiguous().view(B, T_q, d_model)  # (B, T_q, d_model)
        return self.W_O(concat), attn_w  # (B, T_q, d_model)


if __name__ == "__main__":
    import doctest

    doctest.testmod()
