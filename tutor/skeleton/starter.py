def my_exercise(x):
    """Centre every token: take the mean of its features away from them.

    Args:
        x: the tokens, (B, T, d).

    Returns:
        The same, with mean 0 along the features, (B, T, d).
    """
    # Write your code here.
    ...
