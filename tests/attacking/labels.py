"""The table of the attacks: what each may end in and what it is after."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

ATTACKS = Path(__file__).resolve().parents[1] / "attacks"


@dataclass(frozen=True)
class Label:
    """One attack.

    ``control`` says where the same code succeeds without walls: "always", "unfiltered" (not where a container's own seccomp
    profile is in the way), "root" (only with all of root's powers) or "never"; the last needs a ``why``.
    """

    group: str
    name: str
    endings: tuple[str, ...]
    status: str
    canaries: tuple[str, ...]
    control: str = "always"
    positive_control: bool = False
    machine: str = ""
    why: str = ""

    @property
    def statuses(self) -> tuple[str, ...]:
        """What the verdict may be: "either" where code that achieves nothing may also be right."""
        return ("passed", "failed") if self.status == "either" else (self.status,)

    @property
    def file(self) -> Path:
        return ATTACKS / f"{self.group}_{self.name}.py"

    @property
    def runs_here(self) -> bool:
        return self.machine in {"", os.uname().machine}

    @property
    def controlled_here(self) -> bool:
        """Whether the attack succeeds without walls in the set-up these tests run in."""
        filtered, capable = _seccomp_mode() != 0, _capable()
        allowed = {"always": True, "unfiltered": not filtered, "root": capable and not filtered, "never": False}
        return self.runs_here and allowed[self.control]


def labels() -> list[Label]:
    """Every label, in the order of the table."""
    table = tomllib.loads((ATTACKS / "labels.toml").read_text())
    found = []
    for group, rows in table.items():
        for name, row in rows.items():
            lists = {key: tuple(row[key]) for key in ("endings", "canaries")}
            found.append(Label(group=group, name=name, **{**row, **lists}))
    return found


def _status_line(key: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{key}:"))


def _seccomp_mode() -> int:
    return int(_status_line("Seccomp"))


def _capable() -> bool:
    """Whether this process has CAP_SYS_ADMIN, by which all of root's powers are meant here."""
    return bool(int(_status_line("CapEff"), 16) >> 21 & 1)
