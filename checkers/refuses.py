"""The code refuses something it cannot do right, instead of quietly doing something else."""

from __future__ import annotations

from collections.abc import Sequence

from checkers._shapes import given
from checkers.base import About, Ending, Finding, Seen

JUDGES_ENDINGS = True


def check(
    seen: Seen, expected: Seen, about: About, *, code: str, sizes: Sequence[str], why: str, next_step: str
) -> Finding | None:
    """Content when every case ends with an exception, in the constructor or at the latest in the call.

    Args:
        code: of the finding.
        sizes: the dimensions that do not go together.
        why: what cannot be done with them, the rest of a sentence that begins with "With d_model = 14, h = 4".
        next_step: what to look at.
    """
    for case, observation in seen.items():
        if observation.ending is Ending.RETURNED:
            return Finding(
                code,
                f"With {given({name: about.dims[case][name] for name in sizes})} {why}, and nothing said so.",
                expected=f"an exception, best in {'__init__' if about.kind == 'class' else 'the first lines'}",
                actual="it was accepted",
                next_step=next_step,
            )
    return None
