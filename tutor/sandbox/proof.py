"""Fail closed: before any student code runs, real workers try to get out and must not succeed.

One worker behind all walls tries everything. Then one behind each single layer tries what that layer must stop, and must be refused by
just that layer: so no layer hides behind another, and one that does nothing is noticed.
"""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tutor.errors import SandboxError, WallMissing
from tutor.sandbox.conversation import Conversation, Limits
from tutor.sandbox.inside import policy
from tutor.sandbox.inside.wire import Kind, pieces
from tutor.sandbox.worker import Source, Worker
from tutor.walls import Proof, Wall

_NOTES_BYTES: Final = 4_096
# Go up with every layer that is tried alone: without them some could not even be switched on.
_BASE: Final = ("own process", "no new privileges")
_REFUSALS: Final = frozenset(
    {"EPERM", "EACCES", "ENOSYS", "EAGAIN", "ENOMEM", "ENOENT", "ENETUNREACH", "EFBIG", "EMFILE", "EBADF"}
)
# A program that is not there is what is executed, so that it is not there is no refusal.
_NO_REFUSAL: Final = {("execute a program", "ENOENT")}


def prove_walls(source: Source, *, unsafe: bool = False) -> Proof:
    """Let workers of the source attack their walls.

    Args:
        source: makes the workers.
        unsafe: accept holes; they are told instead.

    Raises:
        WallMissing: an attack succeeded, a layer does not hold, attention did not run, or a worker ended without a report.
    """
    with _target() as target:
        try:
            worker = source.fork()
            described = worker.layers
            holes = _holes(_attempted(worker, target))
            walls = [_wall(layer, _alone(source, layer, target) if source.cheap else "") for layer in described]
        except WallMissing:
            raise
        except SandboxError as error:
            raise WallMissing(f"{error} No student code will be run.") from error
    idle = tuple(wall.id for layer, wall in zip(described, walls, strict=True) if layer["on"] and not wall.on)
    proof = Proof(walls=tuple(walls), holes=tuple(holes), idle=idle, each_alone=source.cheap)
    if not proof.holds and not unsafe:
        raise WallMissing(_refusal(proof), proof)
    return proof


def _refusal(proof: Proof) -> str:
    could = f" A submission could: {', '.join(proof.holes)}." if proof.holes else ""
    missing = "; ".join(f"“{wall.id}” {wall.detail}".rstrip(".") for wall in proof.walls if not wall.on)
    also = f" Walls that are missing or do nothing: {missing}." if missing else ""
    return f"The sandbox does not hold on this machine, so no student code will be run.{could}{also}"


@contextmanager
def _target() -> Iterator[dict[str, Any]]:
    """A file that anybody may read and a port where somebody listens, so that only the walls, and not modes, keep a worker out."""
    with (
        tempfile.TemporaryDirectory(prefix="tutor-canary-") as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        canary = Path(folder) / "canary"
        canary.write_text("whoever can read this is outside")
        Path(folder).chmod(0o755)
        canary.chmod(0o644)
        yield {"canary": str(canary), "port": server.getsockname()[1]}


def _attempted(worker: Worker, job: dict[str, Any]) -> dict[str, str]:
    seconds = policy.SELF_TEST_SECONDS
    run = Conversation(worker, pieces(job, [], Kind.SELF_TEST), Limits(seconds, seconds, 0, _NOTES_BYTES)).run()
    if run.ending != "done":
        raise WallMissing(
            f"The sandbox's start-up test broke off ({run.ending}), so no student code will be run. {run.printed}".strip()
        )
    # No student code has been near this worker, so its report may be parsed as it is.
    report = json.loads(run.frames[-1].header)
    if report["works"] is not True:
        raise WallMissing("Attention does not run inside the sandbox on this machine, so no student code will be run.")
    outcomes: dict[str, str] = report["outcomes"]
    return outcomes


def _holes(outcomes: dict[str, str]) -> list[str]:
    return [
        f"{name} ({outcome})"
        for name, outcome in outcomes.items()
        if outcome not in _REFUSALS or (name, outcome) in _NO_REFUSAL
    ]


def _alone(source: Source, layer: dict[str, Any], target: dict[str, Any]) -> str:
    """Why a layer does not hold by itself; "" if it does, or is missing anyway."""
    stops: dict[str, str] = layer["stops"]
    if not layer["on"] or not stops:
        return ""
    worker = source.fork(only=[*_BASE, layer["id"]])
    outcomes = _attempted(worker, target | {"only": sorted(stops)})
    wrong = [f"{name} ({outcomes[name]})" for name in stops if outcomes[name] != stops[name]]
    return f"does not hold by itself: {', '.join(wrong)}" if wrong else ""


def _wall(layer: dict[str, Any], failing: str) -> Wall:
    return Wall(id=layer["id"], on=layer["on"] and not failing, detail=failing or layer["detail"])
