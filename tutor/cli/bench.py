"""``python -m tutor bench``: a table, or one JSON object."""

from __future__ import annotations

import os

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tutor.bench import Report, measure
from tutor.bench_walls import WallTimes, measure_walls
from tutor.checking import Checker
from tutor.content import Exercise
from tutor.engine import choose_device, on_pool, open_catalog, open_pool, worker_source
from tutor.settings import Settings

FINE = 0


def run_bench(settings: Settings, *, as_json: bool, runs: int) -> int:
    """Measure the exercise with the most cases and print the report."""
    catalog = open_catalog(settings)
    exercise = max(catalog.exercises, key=lambda one: len(one.cases))
    pool = open_pool(settings)
    try:
        checker = on_pool(settings, catalog, pool, choose_device(settings.device))
        walls = _walls(settings, checker, exercise, runs)
        report = measure(checker, exercise, pool.zygote_pid, walls, workers=settings.workers, runs=runs)
    finally:
        pool.close()
    if as_json:
        print(report.model_dump_json())
    else:
        _write(report)
    return FINE


def _walls(settings: Settings, checker: Checker, exercise: Exercise, runs: int) -> WallTimes:
    source = worker_source(settings)()
    source.wait_until_ready()
    try:
        return measure_walls(source, checker, exercise, case_seconds=settings.case_seconds, runs=runs)
    finally:
        source.close()


def _write(report: Report) -> None:
    console = Console()
    table = Table(
        title=f"{report.exercise}, {report.runs} runs, {os.cpu_count()} cores, {report.device}", title_justify="left"
    )
    for column in ("what", "measured", "beside the floor"):
        table.add_column(column)
    floor = report.floor_ms
    table.add_row(
        "floor: same cases, one warm process, no walls", f"{floor.median} ms median, {floor.p95} ms p95", "1.0"
    )
    verdict = report.verdict_ms
    table.add_row("one verdict", f"{verdict.median} ms median, {verdict.p95} ms p95", f"{report.verdict_to_floor}")
    failing, unknown = report.failing_ms, report.unknown_fault_ms
    table.add_row(
        "one failing verdict, one or two known faults",
        f"{failing.median} ms median, {failing.p95} ms p95 ({report.failing_minus_passing_ms:+} ms)",
        f"{failing.median / floor.median:.2f}",
    )
    table.add_row(
        "one failing verdict, unknown fault",
        f"{unknown.median} ms median, {unknown.p95} ms p95",
        f"{unknown.median / floor.median:.2f}",
    )
    for at_once, rate in report.verdicts_per_second.items():
        table.add_row(f"verdicts per second, {at_once} at once", f"{rate}", f"{rate * floor.median / 1_000:.2f}")
    for what, size in (
        ("waiting worker, PSS", report.waiting_worker_mib),
        ("running worker, PSS", report.running_worker_mib),
        ("zygote, PSS", report.zygote_mib),
    ):
        table.add_row(what, "only root may look" if size is None else f"{size} MiB", "")
    walls = report.walls
    if walls.confinement_ms is not None:
        forks = f"{walls.confined_fork_ms} ms, {walls.bare_fork_ms} ms without any wall"
        table.add_row("a worker made ready", f"{forks} ({walls.confinement_ms:+} ms)", "")
    table.add_row("endless loop, limit to verdict", f"{walls.after_time_limit_ms} ms", "")
    table.add_row("memory bomb, hand-in to verdict", f"{walls.memory_bomb_ms} ms", "")
    table.add_row("start to first verdict", f"{report.start_to_first_verdict_seconds} s", "")
    console.print(table)
    console.print(Text("walls: " + "; ".join(report.isolation), style="dim"), soft_wrap=True)
