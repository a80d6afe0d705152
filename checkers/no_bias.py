"""No layer that plays a role of the contract carries a bias; a further layer is the parameter count's matter."""

from __future__ import annotations

from checkers._places import pieces
from checkers.base import About, Finding, Observation, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Names every bias parameter found, also bare ones such as ``b_Q``."""
    for observation in seen.values():
        layers = {
            piece.parameter.name.removesuffix(".weight")
            for role in observation.bound
            for piece in pieces(observation, role)
        }
        bare = _bare(observation)
        biases = [name for name in observation.unclaimed if name.removesuffix(".bias") in layers or name in bare]
        if biases:
            return Finding(
                "unwanted-bias",
                f"{len(biases)} of the matrices {'has' if len(biases) == 1 else 'have'} a bias, which adds parameters.",
                expected="no bias anywhere",
                actual=", ".join(biases[:8]),
                next_step="Leave them out: the exercise counts the numbers of its matrices only."
                if bare.issuperset(biases)
                else "nn.Linear adds a bias unless told otherwise; look at its third argument.",
            )
    return None


def _bare(observation: Observation) -> set[str]:
    """Vectors that are named as biases but belong to no layer."""
    vectors = [parameter.name for parameter in observation.parameters if len(parameter.shape) == 1]
    leaves = {name: name.rpartition(".")[2].lower() for name in vectors}
    return {
        name
        for name, leaf in leaves.items()
        if leaf != "bias" and (leaf.startswith(("b_", "bias")) or leaf.endswith("bias"))
    }
