"""How a source uses a bare parameter: the way ``nn.Linear`` stores its weight, or with the inputs as rows."""

from __future__ import annotations

import re

TURNED = r"(?:[\"']\])?(?:\[[^\]]*\])?\s*\.\s*(?:T|mT|t|transpose|swapaxes|swapdims|permute|movedim)\b"
EINSUM = re.compile(r"einsum\(\s*[\"']([^\"']+)->([^\"']*)[\"']\s*,((?:[^()]|\([^()]*\))*)\)")
LINEAR = r"(?:\bF\.|functional\.|(?<![\w.]))linear\s*\("
COMMENT = re.compile(r"#.*")


def stored_like_linear(source: str, name: str) -> bool:
    """Whether a parameter holds its outputs as rows, as ``nn.Linear`` does; ``x @ W`` alone says that it holds its inputs so.

    Args:
        source: the submission's text.
        name: the parameter's dotted name; what counts is the last part that is not a number.
    """
    leaf = next((part for part in reversed(name.split(".")) if not part.isdigit()), name)
    source = COMMENT.sub("", source)
    word = rf"\b{re.escape(leaf)}\b"
    turned = re.search(word + TURNED, source) is not None
    if re.search(rf"{LINEAR}(?:[^()]|\([^()]*\))*?{word}", source):
        return not turned
    if turned:
        return True
    contracted = _einsum(source, word)
    if contracted is not None:
        return contracted
    if re.search(rf"(?:@|matmul\((?:[^()]|\([^()]*\))*?,)\s*(?:self\.)?{word}", source):
        return False
    # Used through a helper, or under a name made up at run time: one way for all, most likely.
    return re.search(LINEAR, source) is not None


def _einsum(source: str, word: str) -> bool | None:
    """Whether the axis summed over is the last one of the parameter; None where no einsum takes it."""
    for inputs, output, operands in EINSUM.findall(source):
        letters = [part.strip() for part in inputs.split(",")]
        for text, axes in zip(operands.split(","), letters, strict=False):
            if re.search(word, text) and axes:
                return axes[-1] not in output
    return None
