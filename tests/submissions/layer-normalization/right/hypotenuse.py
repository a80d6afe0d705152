import math
import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    centred = x.sub(x.mean(dim=-1, keepdim=True))
    spread = torch.hypot(centred.norm(dim=-1, keepdim=True) / math.sqrt(x.shape[-1]), x.new_tensor(math.sqrt(eps)))
    return torch.addcmul(beta, gamma, centred / spread)
