"""``python -m tutor doctor``: what this machine gives, in words."""

from __future__ import annotations

import platform
from importlib.metadata import version
from sys import version_info

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tutor.engine import choose_device, open_pool
from tutor.errors import TutorError
from tutor.settings import Settings
from tutor.store.sql import open_store

FINE, OURS = 0, 3


def examine(settings: Settings) -> int:
    """Write a table of what works; 0 when submissions can be checked here, 3 when not."""
    rows, fine = [_machine()], True
    for title, question in (("Device", _device), ("Isolation", _isolation), ("Database", _database)):
        try:
            rows.append((title, question(settings)))
        except TutorError as error:
            fine = False
            rows.append((title, f"MISSING. {error}"))
    rows.append(
        ("Queue", f"local: {settings.workers} check(s) at once in one process beside the page; no broker needed")
    )
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for title, text in rows:
        table.add_row(Text(title, style="bold"), Text(text))
    console = Console()
    console.print(table)
    words = (
        "Submissions can be checked on this machine." if fine else "Submissions cannot be checked until this is mended."
    )
    console.print(Text(words, style="green" if fine else "red"))
    return FINE if fine else OURS


def _machine() -> tuple[str, str]:
    python = ".".join(map(str, version_info[:3]))
    return (
        "Machine",
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {python}, torch {version('torch')}",
    )


def _device(settings: Settings) -> str:
    return f"{choose_device(settings.device)} (TUTOR_DEVICE={settings.device})"


def _isolation(settings: Settings) -> str:
    pool = open_pool(settings)
    try:
        return "; ".join(pool.isolation) + ". The start-up test tried to break out and could not."
    finally:
        pool.close()


def _database(settings: Settings) -> str:
    store = open_store(settings.effective_database_url)
    store.close()
    kind = settings.effective_database_url.split(":", 1)[0]
    where = f" in {settings.home}" if not settings.database_url else ""
    return f"{kind}{where}, reachable, schema up to date"
