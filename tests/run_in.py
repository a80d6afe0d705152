"""Runs the attack suite in one of four set-ups: ``python tests/run_in.py {root,user,runc,runc-user} [arguments for pytest]``.

Each first says which walls there are. All need root and Linux. All but ``root`` work on a copy of the project and see a /tmp of their
own. ``runc`` needs Debian's package of that name; its container is what Docker makes by default: root without a user namespace,
Docker's capabilities and seccomp profile, the host's / as a read-only root. ``runc-user`` is the same with ``--user 65534``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
PROFILE = PROJECT / "tests" / "attacks" / "docker-seccomp.json"
SUITE = ("-p", "no:cacheprovider", "-q", "tests/test_attacks.py", "tests/sandbox/test_walls.py")
NOBODY = 65_534
MEMORY_BYTES, PROCESSES, SECONDS = 4 << 30, 512, 900
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "var", "__pycache__", ".*_cache", "htmlcov")
# Docker's defaults; see the documentation of `docker run --cap-add`.
CAPABILITIES = (
    "CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_MKNOD",
    "CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT",
)  # fmt: skip
MASKED = ("acpi", "kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug", "scsi")
READ_ONLY = ("bus", "fs", "irq", "sys", "sysrq-trigger")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def main() -> int:
    """Run pytest in the set-up of the command line and pass its exit code on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setup", choices=["root", "user", "runc", "runc-user"])
    chosen, more = parser.parse_known_args()
    if os.geteuid() != 0:
        parser.error("this needs root, also to become somebody else")
    with tempfile.TemporaryDirectory(prefix="tutor-attacks-", dir="/var/tmp") as name:  # /tmp is covered up in there
        folder = Path(name)
        folder.chmod(0o755)
        if chosen.setup.startswith("runc"):
            return in_container(folder, more, NOBODY if chosen.setup == "runc-user" else 0)
        return {"root": as_root, "user": as_user}[chosen.setup](folder, more)


def as_root(folder: Path, more: Sequence[str]) -> int:
    """As it is."""
    environment = os.environ | {"TUTOR_HOME": str(folder)}
    return subprocess.run(_command(more), cwd=PROJECT, env=environment, timeout=SECONDS, check=False).returncode


def as_user(folder: Path, more: Sequence[str]) -> int:
    """As nobody, in a mount namespace where /tmp is empty and Python can be reached wherever it is installed."""
    project = _copy(folder, NOBODY)
    environment = shlex.join(f"{name}={value}" for name, value in _environment().items())
    become = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --inh-caps=-all --bounding-set=-all"
    script = [*_uncover(folder), f"cd {project}", f"exec {become} env -i {environment} {shlex.join(_command(more))}"]
    return _in_own_mounts(script)


def in_container(folder: Path, more: Sequence[str], user: int) -> int:
    """As root, or as somebody else, in a container with Docker's defaults."""
    project = _copy(folder, user)
    (folder / "rootfs").mkdir()
    (folder / "config.json").write_text(json.dumps(_bundle(folder / "rootfs", project, _command(more), user)))
    name = f"tutor-attacks-{os.getpid()}"
    run = ["runc", "--root", str(folder / "state"), "run", "--bundle", str(folder), name]
    try:
        return _in_own_mounts([*_uncover(folder), f"mount --rbind / {folder}/rootfs", f"exec {shlex.join(run)}"])
    finally:
        subprocess.run(
            ["runc", "--root", str(folder / "state"), "delete", "--force", name], capture_output=True, check=False
        )


def _command(more: Sequence[str]) -> list[str]:
    """Say which walls there are, then attack them."""
    say, attack = [sys.executable, "-m", "tutor", "doctor"], [sys.executable, "-m", "pytest", *SUITE, *more]
    return ["sh", "-e", "-c", f"{shlex.join(say)}\nexec {shlex.join(attack)}"]


def _environment() -> dict[str, str]:
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {
        "PATH": path,
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TUTOR_HOME": "/tmp/tutor",
        "COLUMNS": "120",
    }


def _copy(folder: Path, owner: int) -> Path:
    project = folder / "project"
    shutil.copytree(PROJECT, project, ignore=LEFT_OUT)
    for path in (project, *project.rglob("*")):
        os.chown(path, owner, owner)
    return project


def _in_own_mounts(script: Sequence[str]) -> int:
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-e", "-c", "\n".join(script)]
    return subprocess.run(command, timeout=SECONDS, check=False).returncode


def _pythons() -> list[Path]:
    """Where the interpreter and its packages are; a virtual environment is of two places."""
    return list(dict.fromkeys([Path(sys.prefix), Path(sys.base_prefix)]))


def _uncover(folder: Path) -> list[str]:
    """Commands that empty /tmp, and whatever folder keeps others out of Python, but for Python itself."""
    covered = {Path("/tmp"): "1777"}
    for python in _pythons():
        closed = [above for above in python.parents if not above.stat().st_mode & 0o001]
        covered |= dict.fromkeys(closed[-1:], "755")
    script = []
    inner = [python for python in _pythons() if any(above in python.parents for above in covered)]
    for number, python in enumerate(inner):
        script += [f"mkdir {folder}/{number}", f"mount --bind {python} {folder}/{number}"]
    script += [f"mount -t tmpfs -o mode={mode} tmpfs {above}" for above, mode in covered.items()]
    for number, python in enumerate(inner):
        script += [f"mkdir -p {python}", f"mount --bind {folder}/{number} {python}"]
    return script


def _bundle(rootfs: Path, project: Path, command: Sequence[str], user: int) -> dict[str, Any]:
    """The OCI configuration of a container as Docker makes it."""
    kinds = ("bounding",) if user else ("bounding", "effective", "permitted")
    capabilities = {kind: list(CAPABILITIES) for kind in kinds}
    inside = [python for python in _pythons() if Path("/tmp") in python.parents]
    process = {
        "user": {"uid": user, "gid": user}, "args": list(command), "cwd": str(project), "capabilities": capabilities,
        "env": [f"{name}={value}" for name, value in _environment().items()],
    }  # fmt: skip
    linux = {
        "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
        "resources": {"memory": {"limit": MEMORY_BYTES}, "pids": {"limit": PROCESSES}},
        "cgroupsPath": f"/tutor-attacks-{os.getpid()}",
        "maskedPaths": [f"/proc/{name}" for name in MASKED] + ["/sys/firmware"],
        "readonlyPaths": [f"/proc/{name}" for name in READ_ONLY],
        "seccomp": _seccomp(),
    }
    mounts = [
        _mount("/proc", "proc", "nosuid", "noexec", "nodev"),
        _mount("/dev", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
        _mount("/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"),
        _mount("/dev/shm", "tmpfs", "nosuid", "noexec", "nodev", "mode=1777", "size=65536k"),
        _mount("/dev/mqueue", "mqueue", "nosuid", "noexec", "nodev"),
        _mount("/sys", "sysfs", "nosuid", "noexec", "nodev", "ro"),
        _mount("/tmp", "tmpfs", "nosuid", "nodev", "mode=1777"),
        {"destination": str(project), "source": str(project), "options": ["bind", "rw"]},
        *({"destination": str(path), "source": str(path), "options": ["rbind", "ro"]} for path in inside),
    ]
    root = {"path": str(rootfs), "readonly": True}
    return {
        "ociVersion": "1.0.2",
        "root": root,
        "hostname": "attacks",
        "process": process,
        "mounts": mounts,
        "linux": linux,
    }


def _mount(destination: str, kind: str, *options: str) -> dict[str, Any]:
    return {"destination": destination, "type": kind, "source": kind, "options": list(options)}


def _seccomp() -> dict[str, Any]:
    """Docker's profile with its conditions decided: this machine's architecture, and the capabilities above."""
    profile = json.loads(PROFILE.read_text())
    machine = ARCHITECTURES[platform.machine()]
    native = f"SCMP_ARCH_{platform.machine().upper()}"
    maps = next(entry for entry in profile["archMap"] if entry["architecture"] == native)
    rules = [_plain(rule) for rule in profile["syscalls"] if _applies(rule, machine)]
    return {
        "defaultAction": profile["defaultAction"],
        "defaultErrnoRet": profile["defaultErrnoRet"],
        "architectures": [native, *maps["subArchitectures"]],
        "syscalls": rules,
    }


def _applies(rule: dict[str, Any], machine: str) -> bool:
    wanted, unwanted = rule.get("includes", {}), rule.get("excludes", {})
    return (
        (not wanted.get("caps") or not set(wanted["caps"]).isdisjoint(CAPABILITIES))
        and (not wanted.get("arches") or machine in wanted["arches"])
        and set(unwanted.get("caps", ())).isdisjoint(CAPABILITIES)
        and machine not in unwanted.get("arches", ())
    )


def _plain(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: rule[key] for key in ("names", "action", "args", "errnoRet") if rule.get(key) is not None}


if __name__ == "__main__":
    sys.exit(main())
