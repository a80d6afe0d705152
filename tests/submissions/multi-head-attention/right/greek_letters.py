import torch
from torch import nn

# softmax(Q Kᵀ / √dₖ) V, written the way the paper writes it
ε = 0.0
ℵ = True


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "h ∤ d_model"
        self.η = h
        self.δ = d_model // h
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, Q, K, V, mask=None):
        β, τ, _ = Q.shape
        σ = K.shape[1]
        ϕ = self.W_Q(Q).view(β, τ, self.η, self.δ).transpose(1, 2)
        κ = self.W_K(K).view(β, σ, self.η, self.δ).transpose(1, 2)
        ν = self.W_V(V).view(β, σ, self.η, self.δ).transpose(1, 2)
        λ = ϕ @ κ.mT / self.δ**0.5
        if mask is not None:
            λ = λ.masked_fill(mask.ne(ℵ), -torch.inf)
        α = λ.softmax(dim=-1)
        Σ = (α @ ν).transpose(1, 2).reshape(β, τ, self.η * self.δ) + ε
        return self.W_O(Σ), α
