"""Training reaches every matrix: each weight of the contract gets a gradient that is not zero."""

from __future__ import annotations

from checkers.base import About, Call, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks at cases with ``gradients``: d(sum of squares of the first result)/d(weight) for every role."""
    for observation in seen.values():
        for call in observation.calls:
            finding = _reached(call, about)
            if finding is not None:
                return finding
    return None


def _reached(call: Call, about: About) -> Finding | None:
    missing = [role for role in about.roles if not _alive(call, role)]
    if not missing:
        return None
    everything = len(missing) == len(about.roles)
    what = "No gradient reaches any matrix" if everything else f"No gradient reaches {' and '.join(missing)}"
    step = (
        "Look for torch.no_grad, .detach(), .data, .item() or numpy on the way."
        if everything
        else f"Follow {missing[0]} through forward: is its result used in what you return?"
    )
    return Finding(
        "gradient-cut" if everything else "matrix-without-gradient",
        f"{what}, so training could never improve it.",
        expected=f"a gradient for each of {', '.join(about.roles)}",
        actual=f"none for {', '.join(missing)}",
        next_step=step,
    )


def _alive(call: Call, role: str) -> bool:
    gradient = call.gradients.get(role)
    return gradient is not None and bool((gradient != 0).any())
