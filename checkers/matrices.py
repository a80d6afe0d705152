"""There is one matrix of its own for every role of the contract, in the right shape, and it learns."""

from __future__ import annotations

from checkers._shapes import named, plain, sizes
from checkers.base import About, Finding, Observation, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Looks for each role under its contract name and under other known names; the name itself is another check's."""
    for case, observation in seen.items():
        missing = _missing(observation, about, case)
        if missing is not None:
            return missing
        for role, axes in about.roles.items():
            finding = _matrix(observation, role, axes, about, case) or _shared(observation, role, about)
            if finding is not None:
                return finding
    return None


def _missing(observation: Observation, about: About, case: str) -> Finding | None:
    missing = [role for role in about.roles if observation.bound.get(role) is None]
    if not missing:
        return None
    names = ", ".join(parameter.name for parameter in observation.parameters[:8]) or "none at all"
    return Finding(
        "matrix-missing",
        f"No matrix for {', '.join(missing)} was found in the module. Its registered weights are: {names}.",
        expected=f"for each an nn.Linear with a weight of shape {named(about.roles[missing[0]], about.dims[case])}",
        actual=f"{len(about.roles) - len(missing)} of {len(about.roles)} matrices",
        next_step=f"Create self.{missing[0]} = nn.Linear(…) in __init__; a plain list or dict hides a layer from the module.",
    )


def _matrix(observation: Observation, role: str, axes: str, about: About, case: str) -> Finding | None:
    dims = about.dims[case]
    found = next(parameter for parameter in observation.parameters if parameter.name == observation.bound[role])
    if found.shape != sizes(axes, dims):
        return Finding(
            "matrix-shape",
            f"The weight of {role} has the wrong shape for d_model = {dims.get('d_model')}, h = {dims.get('h')}.",
            expected=named(axes, dims),
            actual=plain(found.shape),
            next_step="Each matrix maps the full width to the full width; the heads share it out later.",
        )
    if not found.trainable:
        return Finding(
            "frozen-weights",
            f"{found.name} has requires_grad = False, so training would never change it.",
            expected="every matrix learns",
            actual=f"{found.name} is frozen",
            next_step="Leave requires_grad as nn.Linear sets it.",
        )
    return None


def _shared(observation: Observation, role: str, about: About) -> Finding | None:
    """Two roles with one weight. One weight under a second name, say in a ModuleList too, is no matter."""
    canonical = {parameter.name: parameter.same_as or parameter.name for parameter in observation.parameters}
    mine = canonical[str(observation.bound[role])]
    others = [
        other for other in about.roles if canonical.get(str(observation.bound.get(other))) == mine and other != role
    ]
    if not others:
        return None
    return Finding(
        "one-layer-many-names",
        f"{role} and {others[0]} are one and the same weight, so they can never differ.",
        expected=f"{len(about.roles)} separate matrices",
        actual=f"{role} is {others[0]}",
        next_step="Call nn.Linear once for every matrix.",
    )
