import torch, torch.nn as nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0

        def square():
            return nn.Linear(d_model, d_model, bias=False)

        self.W_Q = square()
        self.W_K = square()
        self.W_V = square()
        self.W_O = square()
        self.h = h

    def forward(self, Q, K, V, mask=None):
        h = self.h

        def cut(x):
            b, t, d = x.shape
            return x.view(b, t, h, d // h).transpose(1, 2)

        def glue(x):
            b, _, t, dk = x.shape
            return x.transpose(1, 2).contiguous().view(b, t, h * dk)

        def attend(q, k, v):
            def scores():
                s = q @ k.transpose(-2, -1)
                return s / q.shape[-1] ** .5

            def hide(s):
                if mask is None:
                    return s
                return s.masked_fill(~mask, float("-inf"))

            w = hide(scores()).softmax(-1)
            return w @ v, w

        out, w = attend(cut(self.W_Q(Q)), cut(self.W_K(K)), cut(self.W_V(V)))
        return self.W_O(glue(out)), w
