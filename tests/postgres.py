"""A real PostgreSQL for tests: a server of its own in a temporary folder, on a free port of the loopback interface."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg

# It has every character that an address gives a meaning to.
PASSWORD = "s3cret:/?#%2F [x]"  # noqa: S105 - made up
OWNER = "tutor"
START_SECONDS = 60.0

# As an operator would have it, but that nothing needs to outlive the machine.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "timezone": "Asia/Kathmandu",  # far from UTC by hours and minutes
}
HBA = """
local all all trust
host all all 127.0.0.1/32 scram-sha-256
"""


def missing() -> str | None:
    """Why no server can be started here; None if one can."""
    if shutil.which("setpriv") is None:
        return "needs setpriv, to start PostgreSQL as somebody else: apt-get install util-linux"
    if folder_of_programs() is None:
        return "needs PostgreSQL: apt-get install postgresql"
    return None


def folder_of_programs() -> Path | None:
    """Where ``initdb``, ``postgres``, ``pg_dump`` and ``pg_restore`` lie; Debian keeps those of every version apart."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda folder: int(re.sub(r"\D", "", folder.parent.name)), default=None)


class Postgres:
    """The server; it refuses to run as root, so there it belongs to nobody in particular. It ends when this process does."""

    def __init__(self) -> None:
        programs = folder_of_programs()
        assert programs is not None
        self.programs, self._numbers = programs, count(1)
        self._folder = Path(tempfile.mkdtemp(prefix="tutor-postgres-"))
        self._data, self._log = self._folder / "data", self._folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._port = _free_port()
        self._become: list[str] = []
        if os.geteuid() == 0:
            somebody = _somebody()
            os.chown(self._folder, somebody, somebody)
            self._become = [f"--reuid={somebody}", f"--regid={somebody}", "--clear-groups"]
        self._make()
        self.start()
        with psycopg.connect(self._trusted("postgres"), autocommit=True) as connection:
            # From a role that owns its database and is nothing more, as the tutor's should be.
            connection.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")

    @property
    def port(self) -> int:
        return self._port

    def url(self, database: str, user: str = OWNER, password: str | None = PASSWORD) -> str:
        """The address of a database as an operator writes it: over TCP, with a password."""
        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self._port}/{database}"

    def fresh(self, *, template: str = "template0", options: str = "ENCODING 'UTF8'") -> str:
        """Make a database of the tutor's; gives its name."""
        name = f"tutor_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {template} {options}")
        return name

    def drop(self, database: str) -> None:
        self.run(f"DROP DATABASE {database} WITH (FORCE)")

    def disconnect(self, database: str) -> None:
        """Cut every connection to a database."""
        with psycopg.connect(self._trusted("postgres"), autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database])

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """One statement as the superuser."""
        with psycopg.connect(self._trusted(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        place = ["-D", str(self._data), "-k", str(self._folder), "-p", str(self._port)]
        with self._log.open("ab") as log:
            # A signal when this process dies, however it does.
            command = self._command("--pdeathsig=INT", self.programs / "postgres", *place, *settings)
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", process_group=0)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self._trusted("postgres")).close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"PostgreSQL did not start: {self._log.read_text()}") from error
                time.sleep(0.02)
            else:
                return

    def log(self) -> str:
        """What it said so far."""
        return self._log.read_text()

    def crash(self) -> None:
        """End it at once, as if its machine had lost its power."""
        self._end(signal.SIGQUIT)

    def close(self) -> None:
        """End it and remove every trace."""
        self._end(signal.SIGINT)
        shutil.rmtree(self._folder)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_SECONDS)
            self._process = None

    def _make(self) -> None:
        options = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale", "--no-sync")
        command = self._command(self.programs / "initdb", "-D", self._data, *options)
        done = subprocess.run(command, capture_output=True, cwd="/", check=False)
        assert done.returncode == 0, done.stderr.decode()
        (self._data / "pg_hba.conf").write_text(HBA)

    def _command(self, *words: str | Path) -> list[str]:
        return ["setpriv", *self._become, *map(str, words)]

    def _trusted(self, database: str) -> str:
        """Through the socket, which lies in a folder that nobody else may enter."""
        return f"host={self._folder} port={self._port} user=postgres dbname={database}"


def _somebody() -> int:
    """A user that is not root; the server wants one with a name."""
    import pwd  # noqa: PLC0415 - Windows has none

    names = {user.pw_name: user.pw_uid for user in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
