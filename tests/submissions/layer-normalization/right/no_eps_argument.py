def layer_norm(x, gamma, beta):
    m = x.mean(-1, keepdim=True)
    d = x - m
    v = d.pow(2).mean(-1, keepdim=True)
    return gamma * d / (v + 0.00001) ** 0.5 + beta
