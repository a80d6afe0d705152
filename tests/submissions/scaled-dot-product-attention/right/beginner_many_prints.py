import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np

# scaled dot product attention
# formula: softmax( Q * K^T / sqrt(d_k) ) * V

def scaled_dot_product_attention(Q, K, V, mask=None):
    print("Q shape:", Q.shape)
    print("K shape:", K.shape)
    print("V shape:", V.shape)

    # last number is d_k
    d_k = K.shape[-1]
    print("d_k =", d_k)

    # 1) K transposed. NOT K.T because that turns all axes round!
    K_T = K.transpose(-1, -2)

    # 2) scores
    scores = torch.matmul(Q, K_T)
    print("scores shape:", scores.shape)

    # 3) scale
    scores = scores / np.sqrt(d_k)

    # 4) mask: True = allowed, False = not allowed
    if mask is None:
        print("no mask")
    else:
        print("mask shape:", mask.shape)
        scores = scores.masked_fill(mask == False, -1000000000.0)

    # 5) softmax over the keys = last axis
    attention = F.softmax(scores, dim=-1)

    # 6) times V
    output = torch.matmul(attention, V)
    print("output shape:", output.shape)

    return output, attention


# try it
print("----- test -----")
Q = torch.rand(2, 3, 4)
K = torch.rand(2, 5, 4)
V = torch.rand(2, 5, 6)
out, att = scaled_dot_product_attention(Q, K, V)
print(out)
print(att.sum(dim=-1))   # should be all 1
print("----- end of test -----")
