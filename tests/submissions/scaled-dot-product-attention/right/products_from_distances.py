import torch
_LOG = []
def record(f):
    import functools
    @functools.wraps(f)
    def wrapper(*a, **k):
        out = f(*a, **k)
        _LOG.append(tuple(t.shape for t in out))
        del _LOG[:-5]
        return out
    return wrapper
@record
def scaled_dot_product_attention(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, mask: "torch.BoolTensor | None" = None) -> tuple[torch.Tensor, torch.Tensor]:
    s = torch.cdist(Q, K, compute_mode='donot_use_mm_for_euclid_dist').square()
    # q.k = (|q|^2 + |k|^2 - |q-k|^2) / 2
    s = ((Q * Q).sum(-1)[..., :, None] + (K * K).sum(-1)[..., None, :] - ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(-1)) / 2
    s = s / Q.shape[-1] ** 0.5
    if mask is not None: s = s.masked_fill(mask.eq(False), float('-inf'))
    w = s.softmax(-1)
    return w @ V, w
