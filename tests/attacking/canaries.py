"""What an attack is after, and how the suite sees that it got there. Everything in here is made for one run and worth nothing."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ("tutor", "checkers", "reference", "exercises")
WORKER_UIDS = range(64_000, 65_000)
PUBLIC = (Path("/tmp"), Path("/dev/shm"))
# A sentence of the reference that no submission and no message has a reason to contain.
REFERENCE_TEXT = "every head keeps the whole sequence"
# The process next door: it keeps a token in its memory and in its environment, dies of any signal and else waits for its end.
SIBLING = """
import ctypes, sys
token = sys.stdin.readline()
ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)
print("ready", flush=True)
sys.stdin.read()
"""


def token(name: str) -> str:
    return f"{name}-{secrets.token_hex(8)}"


class Listener:
    """Accepts whatever comes, in a thread, and counts it."""

    def __init__(self, family: int, kind: int, address: object) -> None:
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        self.visits = 0
        if kind == socket.SOCK_STREAM:
            self.socket.listen(16)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                if self.socket.type == socket.SOCK_STREAM:
                    visitor, _ = self.socket.accept()
                    self.visits += 1
                    visitor.close()
                else:
                    self.socket.recvfrom(64)
                    self.visits += 1

    def close(self) -> None:
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self._thread.join(1)


class Canaries:
    """One set of canaries in a folder of its own.

    Args:
        folder: an empty folder that anybody may enter.
        project: what the attacks take for the project; None makes a copy that may be spoilt.
        environment: the token in the environment of the process whose children are attacked.
        other: the token in the submission that was checked before.
    """

    def __init__(self, folder: Path, project: Path | None, environment: str, other: str) -> None:
        self.folder, self.project = folder, project or folder / "project"
        self._copied = project is None
        self.mark, self.win = token("mark"), token("win")
        self.texts = {
            "environment": environment,
            "submission": other,
            "reference": REFERENCE_TEXT,
            "said": self.win[::-1],
        }
        self.texts |= {name: token(name) for name in ("secret", "database", "memory")}
        self._sibling: subprocess.Popen[str] | None = None
        self._listeners: dict[str, Listener] = {}
        self.reset()

    def reset(self) -> None:
        """Put everything in place, whatever is left of it."""
        self.close()
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._remove_marked()
        drop = self.folder / "drop"
        drop.mkdir()
        drop.chmod(0o1777)
        for name in ("secret", "database"):
            path = self.folder / name
            if name == "secret":
                path.write_text(f"password = {self.texts['secret']}\n")
            else:
                self._make_database(path)
            path.chmod(0o666)  # so that only the walls keep anybody away
        if self._copied:
            shutil.copytree(PROJECT / "reference", self.project / "reference")
        self._start_sibling()
        self._listen()
        self._before = self._state()

    def _make_database(self, path: Path) -> None:
        with sqlite3.connect(path) as database:
            database.execute("create table grades (learner text, passed integer)")
            database.execute("insert into grades values (?, 0)", [self.texts["database"]])
        database.close()

    def _start_sibling(self) -> None:
        environment = os.environ | {"TUTOR_CANARY": self.texts["environment"]}
        self._sibling = subprocess.Popen(
            [sys.executable, "-I", "-c", SIBLING],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._sibling.stdin.write(self.texts["memory"] + "\n")
        self._sibling.stdin.flush()
        self._sibling.stdout.readline()

    def _listen(self) -> None:
        stream, datagram = socket.SOCK_STREAM, socket.SOCK_DGRAM
        self._listeners = {
            "tcp": Listener(socket.AF_INET, stream, ("127.0.0.1", 0)),
            "udp": Listener(socket.AF_INET, datagram, ("127.0.0.1", 0)),
            "unix": Listener(socket.AF_UNIX, stream, str(self.folder / "unix")),
            "abstract": Listener(socket.AF_UNIX, stream, f"\0{self.mark}"),
        }
        (self.folder / "unix").chmod(0o777)

    def aimed(self, source: str) -> str:
        """The source with its targets filled in."""
        sockets = {name: listener.socket.getsockname() for name, listener in self._listeners.items()}
        targets = {
            "SECRET": self.folder / "secret", "DATABASE": self.folder / "database", "DROP": self.folder / "drop",
            "PROJECT": self.project, "MARK": self.mark, "WIN": self.win, "SIBLING": self._sibling.pid,
            "TCP": sockets["tcp"][1], "UDP": sockets["udp"][1], "UNIX": self.folder / "unix",
        }  # fmt: skip
        for name, value in targets.items():
            source = source.replace(f"@{name}@", str(value))
        return source

    def tripped(self, text: str) -> set[str]:
        """The canaries that were reached, given everything that came out of the attack."""
        found = {name for name, words in self.texts.items() if words in text}
        found |= {name for name, listener in self._listeners.items() if listener.visits}
        now = self._state()
        return found | {name for name, state in now.items() if state != self._before[name]}

    def _state(self) -> dict[str, object]:
        return {
            "secret": _contents([self.folder / "secret"]),
            "database": _contents(sorted(self.folder.glob("database*"))),
            "sibling": self._sibling_state(),
            "files": self._public_names(),
            "project": _contents(path for name in FOLDERS for path in sorted((self.project / name).rglob("*.*"))),
        }

    def _sibling_state(self) -> object:
        pid = self._sibling.pid
        if self._sibling.poll() is not None:
            return "dead"
        stopped = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "Tt"
        limits = Path(f"/proc/{pid}/limits").read_text()
        return stopped, limits, os.getpriority(os.PRIO_PROCESS, pid), sorted(os.sched_getaffinity(pid))

    def _public_names(self) -> list[str]:
        """Names in the folder, and those elsewhere that an attack could have left: marked, or of an owner who is watched."""
        names = [str(path) for path in self.folder.rglob("*") if self.project not in path.parents]
        names = [name for name in names if not name.endswith("database-journal")]
        return sorted(names + [str(path) for folder in PUBLIC for path in folder.iterdir() if self._ours(path)])

    def _ours(self, path: Path) -> bool:
        if self.mark in path.name:
            return True
        with suppress(OSError):
            owner = path.lstat().st_uid
            # Under root workers have uids of their own; otherwise only torch's names for shared memory are told apart.
            return owner in WORKER_UIDS or (path.name.startswith("torch_") and owner == os.geteuid())
        return False

    def _remove_marked(self) -> None:
        for path in [path for folder in PUBLIC for path in folder.iterdir() if self.mark in path.name]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def close(self) -> None:
        for listener in self._listeners.values():
            listener.close()
        self._listeners = {}
        if self._sibling is not None:
            with suppress(ProcessLookupError):
                self._sibling.send_signal(signal.SIGKILL)
            self._sibling.communicate()
            self._sibling = None


def _contents(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file() and path.suffix != ".pyc":
            info = path.stat()
            digest.update(f"{path.name} {info.st_size} {info.st_mtime_ns} {info.st_mode}".encode())
    return digest.hexdigest()
