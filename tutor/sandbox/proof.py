"""Fail closed: before any student code runs, a real worker tries to get out and must not succeed."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from tutor.errors import SandboxError, WallMissing
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.launcher import Zygote
from tutor.sandbox.run import Run

_NOTES_BYTES = 4_096


def prove_walls(zygote: Zygote) -> tuple[str, ...]:
    """Let one worker of the zygote attack its walls and return the layers that are on.

    Raises:
        WallMissing: an attack succeeded, attention did not run, or the worker ended in any other way than by its report.
    """
    with tempfile.TemporaryDirectory(prefix="tutor-canary-") as folder:
        canary = Path(folder) / "canary"
        canary.write_text("whoever can read this is outside")
        # Anybody may read it, so that only the walls, and not file modes, keep a worker out.
        Path(folder).chmod(0o755)
        canary.chmod(0o644)
        try:
            worker = zygote.fork()
        except SandboxError as error:
            raise WallMissing(f"{error} No student code will be run.") from error
        seconds = policy.SELF_TEST_SECONDS
        payload = pieces({"canary": str(canary)}, [], Kind.SELF_TEST)
        run = Conversation(worker, payload, Limits(seconds, seconds, 0, _NOTES_BYTES)).run()
    report = _report(run)
    if report.get("succeeded") != [] or report.get("works") is not True:
        found = (
            ", ".join(report.get("succeeded", ())) or f"the worker {run.ending} without a clean report {run.printed}"
        )
        raise WallMissing(
            f"The sandbox does not hold on this machine, so no student code will be run: {found.strip()}."
        )
    return worker.layers


def _report(run: Run) -> dict[str, Any]:
    # No student code has been near this worker, so its report may be parsed as it is.
    report: dict[str, Any] = json.loads(run.frames[-1].header) if run.ending == "done" else {}
    return report
