import torch
import torch.nn as nn
import torch.nn.functional as F
import math

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0: raise ValueError('d_model must be divisible by h')
        self.d_model=d_model
        self.h=h
        self.dk=d_model//h
        self.W_Q=nn.Linear(d_model,d_model,bias=False)
        self.W_K=nn.Linear(d_model,d_model,bias=False)
        self.W_V=nn.Linear(d_model,d_model,bias=False)
        self.W_O=nn.Linear(d_model,d_model,bias=False)
    def forward(self, Q, K, V, mask=None):
        bs=Q.shape[0]
        Q=self.W_Q(Q)
        K=self.W_K(K)
        V=self.W_V(V)
        Q=Q.view(bs,-1,self.h,self.dk)
        K=K.view(bs,-1,self.h,self.dk)
        V=V.view(bs,-1,self.h,self.dk)
        Q=Q.transpose(1,2)
        K=K.transpose(1,2)
        V=V.transpose(1,2)
        x=torch.matmul(Q,K.transpose(-1,-2))
        x=x/math.sqrt(self.dk)
        if mask is not None:
            #mask=mask.unsqueeze(1)   <- was wrong, masks already broadcast
            x=x.masked_fill(mask==0,-1e20)
        x=F.softmax(x,dim=-1)
        #print(x)
        attn=x
        x=torch.matmul(x,V)
        x=x.transpose(1,2).contiguous()
        x=x.view(bs,-1,self.d_model)
        x=self.W_O(x)
        return x,attn
# x=torch.rand(2,5,8)
# m=MultiHeadAttention(8,2)
# print(m(x,x,x))
