"""The commands and their options. What they do lies beside this file, so that ``--help`` answers without torch."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from tutor.errors import ContentError, SettingsError, TutorError
from tutor.settings import load_settings

USAGE, OURS, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Checks attention code against a reference, in a sandbox.",
)
Json = Annotated[bool, typer.Option("--json", help="one JSON object a line")]


@app.command()
def check(
    slug: Annotated[str, typer.Argument(help="exercise, for example multi-head-attention")],
    files: Annotated[list[str], typer.Argument(help="submissions; - reads one from standard input")],
    as_json: Json = False,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="replay the weights and inputs of an earlier verdict")
    ] = None,
) -> None:
    """Check submissions. Exit code: 0 all passed, 1 some failed, 2 usage, 3 the tutor's own fault."""
    from tutor.cli.check import check_files

    raise typer.Exit(check_files(load_settings(), slug, files, as_json=as_json, seed=seed))


@app.command()
def lint(
    slugs: Annotated[list[str] | None, typer.Argument(help="exercises; none means all")] = None,
    matrix: Annotated[Path | None, typer.Option(help="write the kill matrix to this file, as Markdown")] = None,
) -> None:
    """Let the content prove itself: the reference passes, the starter fails, every trap fails and is known for what it is."""
    from tutor.cli.lint import lint_exercises

    raise typer.Exit(lint_exercises(load_settings().shelves, slugs or [], matrix))


@app.command()
def new(
    slug: Annotated[str, typer.Argument(help="its name, for ever: small letters and digits with hyphens between")],
    folder: Annotated[
        Path | None,
        typer.Option(help="folder of exercises; without it the last one of TUTOR_EXERCISES, or the project's own"),
    ] = None,
) -> None:
    """Write the skeleton of an exercise, with a comment on every key."""
    from tutor.cli.new import write_new
    from tutor.curriculum import Shelf

    settings = load_settings()
    shelf = settings.shelves[-1] if folder is None else Shelf(folder, folder / "reference")
    raise typer.Exit(write_new(slug, shelf))


@app.command()
def doctor() -> None:
    """Say in words what isolation, device, database and queue this machine gives."""
    from tutor.cli.doctor import examine

    raise typer.Exit(examine(load_settings()))


@app.command()
def bench(
    as_json: Json = False,
    runs: Annotated[int, typer.Option(min=10, max=2_000, help="verdicts to measure")] = 100,
) -> None:
    """Measure speed and memory in one run, as ratios to the same work without walls."""
    from tutor.cli.bench import run_bench

    raise typer.Exit(run_bench(load_settings(), as_json=as_json, runs=runs))


@app.command()
def worker() -> None:
    """Check what waits in the store. Reads ids from standard input as a doorbell and ends when that closes."""
    from tutor.doorbell import serve_doorbell
    from tutor.engine import open_checking
    from tutor.store.sql import open_store

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    settings = load_settings()
    raise typer.Exit(
        serve_doorbell(
            lambda: open_store(settings.effective_database_url),
            lambda: open_checking(settings),
            concurrency=settings.workers + settings.slow_workers,
            lease_seconds=settings.lease_seconds,
            each=settings.learner_running,
        )
    )


@app.command()
def copy_database(
    source: Annotated[str, typer.Argument(metavar="FROM", help="address of the database to copy; it is only read")],
    target: Annotated[str, typer.Argument(metavar="TO", help="address of an empty database")],
) -> None:
    """Copy everything from one database into another, for example from SQLite to PostgreSQL; stop the tutor first."""
    from tutor.cli.copying import copy_rows

    raise typer.Exit(copy_rows(source, target))


def main() -> None:
    """Run a command; whatever is wrong ends as a sentence on standard error, never as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets another one rather than an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="python -m tutor")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (SettingsError, ContentError) as error:
        _complain(f"{'Setting' if isinstance(error, SettingsError) else 'Exercise'}: {error}")
        sys.exit(USAGE if isinstance(error, SettingsError) else OURS)
    except TutorError as error:
        _complain(f"The tutor could not do this, and it is not your code's fault: {error}")
        sys.exit(OURS)
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to complain to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OURS)
    except Exception as error:
        logging.getLogger(__name__).debug("A command failed.", exc_info=True)
        _complain(
            f"The tutor failed, and it is not your code's fault ({type(error).__name__}: {error}). "
            "Please report this with the command you gave."
        )
        sys.exit(OURS)


def _complain(message: str) -> None:
    Console(stderr=True).print(Text(message), soft_wrap=True)
