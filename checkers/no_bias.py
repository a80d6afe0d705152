"""The layers of the contract have a bias where it wants one, and none elsewhere; a further layer is the parameter count's matter."""

from __future__ import annotations

from collections.abc import Mapping

from checkers._places import together
from checkers._shapes import named
from checkers.base import About, Finding, Observation, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Names every bias the observer found beside the roles, also bare ones such as ``b_Q``, and every role that lacks its own."""
    for case, observation in seen.items():
        wanted = about.biases.get(case, {})
        finding = _unwanted(observation, wanted) or _missing(observation, wanted, about.dims[case])
        if finding is not None:
            return finding
    return None


def _unwanted(observation: Observation, wanted: Mapping[str, str]) -> Finding | None:
    biases = observation.biases
    if not biases:
        return None
    return Finding(
        "unwanted-bias",
        f"{len(biases)} of the matrices {'has' if len(biases) == 1 else 'have'} a bias, which adds parameters.",
        expected=f"a bias of {together(list(wanted))} only" if wanted else "no bias anywhere",
        actual=", ".join(biases[:8]),
        next_step="nn.Linear adds a bias unless told otherwise; look at its third argument."
        if any(name.endswith(".bias") for name in biases)
        else "Leave them out: the exercise counts the numbers of its matrices only.",
    )


def _missing(observation: Observation, wanted: Mapping[str, str], dims: Mapping[str, int]) -> Finding | None:
    # Of a role that has no matrix either, the check on matrices speaks.
    missing = [role for role in wanted if observation.bound.get(role) and not observation.bound.get(f"{role}.bias")]
    if not missing:
        return None
    return Finding(
        "bias-missing",
        f"{together(missing)} {'has' if len(missing) == 1 else 'have'} no bias, so every result lacks the constant "
        "that the exercise adds there.",
        expected=", ".join(f"{role}.bias of shape {named(wanted[role], dims)}" for role in missing),
        actual=f"no bias for {together(missing)}",
        next_step="nn.Linear makes a bias of its own accord; look at the third argument it is given.",
    )
