"""Chromium as Debian ships it, and a server of its own for every test, on a free port of the loopback interface."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

PROJECT = Path(__file__).resolve().parents[2]
FAKE_APP = PROJECT / "tests" / "browser" / "fake_app.py"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """pytest-playwright's own ``base_url`` fixture is written in a way newer pytest warns about; it is not ours to mend."""
    config.addinivalue_line(
        "filterwarnings", "ignore:Session-scoped fixtures defined as instance methods:pytest.PytestRemovedIn10Warning"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


def chromium() -> str | None:
    """The path of the browser, where there is one."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium, or the one that ``CHROMIUM`` names. In CI there must be one."""
    found = chromium()
    if found is None and not os.environ.get("CI"):
        pytest.skip("needs Chromium: apt-get install chromium, or set CHROMIUM to its path")
    assert found is not None, "CI must install chromium"
    return {**browser_type_launch_args, "args": FLAGS, "executable_path": found}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_context_args,
        "viewport": {"width": 1280, "height": 900},
        "permissions": ["clipboard-read", "clipboard-write"],
    }


class Server:
    """One ``streamlit run``, ended by its own process id."""

    def __init__(self, script: Path, environment: dict[str, str], log: Path, port: int | None = None) -> None:
        self.port, self.log = port or _free_port(), log
        command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(self.port)]
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                command, cwd=PROJECT, env={**os.environ, **environment}, stdout=out, stderr=subprocess.STDOUT
            )
        self.url = f"http://127.0.0.1:{self.port}"

    def wait(self, seconds: float = 120.0) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1) as answer:  # noqa: S310
                    if answer.read() == b"ok":
                        return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"The server did not come up:\n{self.log.read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start a server: ``start(script, TUTOR_HOME=…)``; every one is stopped after the test."""
    running: list[Server] = []

    def begin(script: Path, port: int | None = None, **environment: str) -> Server:
        server = Server(script, environment, tmp_path / f"server-{len(running)}.log", port)
        running.append(server)
        server.wait()
        return server

    yield begin
    for server in running:
        server.stop()


@pytest.fixture(scope="session")
def shared_fake_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(FAKE_APP, {}, tmp_path_factory.mktemp("fake") / "server.log")
    server.wait()
    yield server
    server.stop()


@pytest.fixture
def fake_app(shared_fake_app: Server, context: BrowserContext) -> Server:
    """The real pages on a fake engine; a cookie makes every test a new learner."""
    context.add_cookies([{"name": "browser", "value": uuid.uuid4().hex, "url": shared_fake_app.url}])
    return shared_fake_app


@pytest.fixture
def real_app(start: Callable[..., Server], tmp_path: Path) -> Server:
    """The whole app with a database of its own."""
    return start(PROJECT / "tutor_app.py", TUTOR_HOME=str(tmp_path / "home"))
