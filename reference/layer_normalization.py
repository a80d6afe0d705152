"""The reference for ``layer-normalization``: one operation a line, each result under the name of its stage.

Source: Ba, Kiros and Hinton 2016, section 3. Tested against a loop over tokens in float64 and against torch.nn.functional.
"""

import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    """Give the features of every token of x (…, d) mean 0 and variance 1, then stretch and shift each feature.

    Args:
        x: the tokens, whatever the number of axes in front.
        gamma: what each feature is multiplied by, (d).
        beta: what is added to each feature, (d).
        eps: added to the variance, so that features which are all equal do not lead to a division by zero.

    Returns:
        The normalised tokens (…, d).
    """
    mean = x.mean(dim=-1, keepdim=True)  # (…, 1)
    centred = x - mean  # (…, d)
    variance = (centred**2).mean(dim=-1, keepdim=True)  # (…, 1), divided by d
    spread = torch.sqrt(variance + eps)  # (…, 1)
    normed = centred / spread  # (…, d)
    output = gamma * normed + beta  # (…, d)
    return output
