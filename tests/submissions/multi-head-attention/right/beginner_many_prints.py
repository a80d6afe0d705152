# My first attention class!! I print everything so that I can see what happens.
import torch
import torch.nn as nn
import math

class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, h):
        super().__init__()
        print("making a MultiHeadAttention with d_model =", d_model, "and h =", h)

        # first check that it works out
        if d_model % h != 0:
            print("this will not work!")
            raise Exception("d_model has to be divisible by h")

        self.d_model = d_model
        self.h = h
        self.d_k = int(d_model / h)
        print("each head gets", self.d_k, "numbers")

        # the 4 matrices
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        print("Q", Q.shape)
        print("K", K.shape)
        print("V", V.shape)

        batch_size = Q.size(0)
        len_q = Q.size(1)
        len_k = K.size(1)
        len_v = V.size(1)

        # step 1: multiply with the matrices
        Q2 = self.W_Q(Q)
        K2 = self.W_K(K)
        V2 = self.W_V(V)
        print("after linear:", Q2.shape, K2.shape, V2.shape)

        # step 2: split into heads
        Q3 = Q2.view(batch_size, len_q, self.h, self.d_k)
        K3 = K2.view(batch_size, len_k, self.h, self.d_k)
        V3 = V2.view(batch_size, len_v, self.h, self.d_k)
        print("after view:", Q3.shape)

        # step 3: heads to the front
        Q4 = Q3.transpose(1, 2)
        K4 = K3.transpose(1, 2)
        V4 = V3.transpose(1, 2)
        print("after transpose:", Q4.shape)

        # step 4: scores
        KT = K4.transpose(2, 3)
        scores = torch.matmul(Q4, KT)
        scores = scores / math.sqrt(self.d_k)
        print("scores:", scores.shape)

        # step 5: mask (True means it is allowed to look)
        if mask is not None:
            print("there is a mask", mask.shape)
            not_allowed = mask == False
            scores = scores.masked_fill(not_allowed, float('-inf'))
        else:
            print("no mask")

        # step 6: softmax
        attention_weights = torch.softmax(scores, dim=-1)

        # step 7: weighted sum
        result = torch.matmul(attention_weights, V4)
        print("result:", result.shape)

        # step 8: back again
        result = result.transpose(1, 2)
        result = result.contiguous()
        result = result.view(batch_size, len_q, self.d_model)

        # step 9: last matrix
        output = self.W_O(result)
        print("output:", output.shape)
        return output, attention_weights
