layer_norm = lambda x, gamma, beta, eps=1e-5: gamma * (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + eps).sqrt() + beta
