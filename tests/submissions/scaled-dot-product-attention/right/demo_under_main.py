import math
import unittest

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = K.shape[-1]
    scores = torch.matmul(Q, torch.transpose(K, -2, -1))
    scores = torch.div(scores, math.sqrt(d_k))
    if mask is not None:
        scores = torch.masked_fill(scores, torch.logical_not(mask), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, V)
    return output, weights


class TestAttention(unittest.TestCase):
    def test_rows_sum_to_one(self):
        x = torch.randn(2, 3, 4)
        _, w = scaled_dot_product_attention(x, x, x)
        self.assertTrue(torch.allclose(w.sum(-1), torch.ones(2, 3)))

    def test_causal(self):
        x = torch.randn(3, 4)
        _, w = scaled_dot_product_attention(x, x, x, torch.ones(3, 3).tril().bool())
        self.assertEqual(float(w.triu(1).abs().sum()), 0.0)


if __name__ == "__main__":
    unittest.main()
