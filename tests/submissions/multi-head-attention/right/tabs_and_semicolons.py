import torch;import torch.nn as nn


class MultiHeadAttention(nn.Module):
	def __init__(self,d_model,h):
		nn.Module.__init__(self)
		assert d_model%h==0;self.h=h;self.dk=d_model//h
		L=lambda:nn.Linear(d_model,d_model,bias=False)
		self.W_Q=L();self.W_K=L();self.W_V=L();self.W_O=L()

	def forward(self,Q,K,V,mask=None):
		b,t,_=Q.shape;s=K.shape[1]
		q=self.W_Q(Q).view(b,t,self.h,self.dk).transpose(1,2)
		k=self.W_K(K).view(b,s,self.h,self.dk).transpose(1,2)
		v=self.W_V(V).view(b,s,self.h,self.dk).transpose(1,2)
		a=q@k.transpose(2,3)/self.dk**.5
		if mask is not None:a=a.masked_fill(~mask,float("-inf"))
		a=a.softmax(3);y=a@v
		y=y.transpose(1,2).contiguous().view(b,t,self.h*self.dk)
		return self.W_O(y),a
