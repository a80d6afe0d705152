"""The attention is written by hand: no ready-made one was called while the code ran."""

from __future__ import annotations

from checkers.base import About, Finding, Seen


def check(seen: Seen, expected: Seen, about: About) -> Finding | None:
    """Goes by what was really called in the recorded cases; a comment or demo code that mentions a name is no matter."""
    for observation in seen.values():
        called = {name for call in observation.calls for name in call.operations}
        found = sorted(called & set(about.forbidden_calls))
        if found:
            # What runs inside the library is left out where the call itself was seen.
            found = [name for name in found if not name.startswith("_")] or found
            return Finding(
                "library-attention-used",
                f"forward hands the work to the library; it calls {', '.join(found)}.",
                expected="matrix products, a scale, a softmax of your own",
                actual=", ".join(found),
                next_step="Write the steps yourself; comparing with the library below the class is welcome.",
            )
    return None
