"""``python -m tutor doctor``: what this machine gives, in words."""

from __future__ import annotations

import platform
from importlib.metadata import version
from sys import version_info

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tutor.engine import choose_device, open_pool
from tutor.errors import TutorError, WallMissing
from tutor.settings import Settings, limits
from tutor.store.address import read_address, shown
from tutor.store.sql import open_store
from tutor.walls import MEANINGS, Proof

FINE, OURS = 0, 3
HELD = "All walls together were attacked just now, and held."
EACH_HELD = "Each wall by itself and all of them together were attacked just now, and held."


def examine(settings: Settings) -> int:
    """Write what works and what does not; 0 when submissions can be checked here, 3 when not."""
    console, fine = Console(), True
    rows = [_machine()]
    for title, question in (("Device", _device), ("Database", _database)):
        try:
            rows.append((title, question(settings)))
        except TutorError as error:
            fine = False
            rows.append((title, f"MISSING. {error}"))
    rows.append(
        (
            "Queue",
            f"local: {settings.workers} quick and {settings.slow_workers} slow checks at once in one process beside the page; no broker needed",
        )
    )
    proof, problem = _isolation(settings)
    rows.append(
        (
            "Isolation",
            problem or ("" if proof.holds else "HOLES, see below.") or (EACH_HELD if proof.each_alone else HELD),
        )
    )
    _write(console, rows)
    _write_walls(console, proof)
    _write_limits(console, settings)
    fine = fine and not problem
    words = (
        "Submissions can be checked on this machine." if fine else "Submissions cannot be checked until this is mended."
    )
    if fine and not proof.holds:
        words = "Submissions are run on this machine WITHOUT walls that hold, because TUTOR_UNSAFE_RUN_WITHOUT_WALLS is set."
    console.print(Text(words, style="green" if fine and proof.holds else "red"))
    return FINE if fine else OURS


def _machine() -> tuple[str, str]:
    python = ".".join(map(str, version_info[:3]))
    return (
        "Machine",
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {python}, torch {version('torch')}",
    )


def _device(settings: Settings) -> str:
    return f"{choose_device(settings.device)} (TUTOR_DEVICE={settings.device})"


def _isolation(settings: Settings) -> tuple[Proof, str]:
    """The walls, and why nothing is run; "" where they hold, or where the operator does without."""
    try:
        pool = open_pool(settings)
    except WallMissing as error:
        return error.proof or Proof(), f"MISSING. {error}"
    except TutorError as error:
        return Proof(), f"MISSING. {error}"
    pool.close()
    return pool.proof, ""


def _database(settings: Settings) -> str:
    store = open_store(settings.effective_database_url)
    store.close()
    return f"{shown(read_address(settings.effective_database_url))}, reachable, schema up to date"


def _write(console: Console, rows: list[tuple[str, str]]) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for title, text in rows:
        table.add_row(Text(title, style="bold"), Text(text))
    console.print(table)


def _write_walls(console: Console, proof: Proof) -> None:
    table = Table(title="Walls around a submission", title_justify="left", title_style="bold")
    for column in ("wall", "", "what it means"):
        table.add_column(column)
    for wall in proof.walls:
        state = Text("on", style="green") if wall.on else Text("missing", style="red")
        meaning = MEANINGS.get(wall.id, "")
        why = f"{meaning} ({wall.detail})" if wall.on and wall.detail else meaning if wall.on else wall.detail
        table.add_row(Text(wall.id), state, Text(why))
    if proof.walls:
        console.print(table)
    for hole in proof.holes:
        console.print(Text(f"A submission could: {hole}", style="red"))


def _write_limits(console: Console, settings: Settings) -> None:
    table = Table(title="Limits", title_justify="left", title_style="bold")
    for column in ("limit", "", "set by"):
        table.add_column(column)
    for limit in limits(settings):
        table.add_row(Text(limit.amount), Text(limit.description), Text(limit.variable))
    console.print(table)
