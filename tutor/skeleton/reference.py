"""The reference for ``my-exercise``: plain, one step a line, a shape behind every tensor."""


def my_exercise(x):
    """Take the mean of every token's features away from them; ``x`` is (B, T, d)."""
    mean = x.mean(dim=-1, keepdim=True)  # (B, T, 1)
    output = x - mean  # (B, T, d)
    return output
