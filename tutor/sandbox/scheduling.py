"""What the system says about the processor time of a worker.

Only Linux says it: the first numbers of ``/proc/PID/schedstat``, for the first thread, which is the one that runs the student's code.
How long a process has been waiting is counted when it gets a processor at last, and not before.
"""

from __future__ import annotations

from pathlib import Path

_NANOSECONDS = 1e-9


def waited_seconds(pid: int) -> float:
    """How long a process was ready to run and had to wait for a processor; 0 where the system does not say."""
    return _schedstat(pid)[1]


def ran_seconds(pid: int) -> float:
    """How long it had a processor; 0 where the system does not say."""
    return _schedstat(pid)[0]


def is_runnable(pid: int) -> bool:
    """Whether a process runs or waits for a processor, and does not sleep; False where the system does not say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return False


def _schedstat(pid: int) -> tuple[float, float]:
    try:
        ran, waited, *_ = Path(f"/proc/{pid}/schedstat").read_text().split()
        return int(ran) * _NANOSECONDS, int(waited) * _NANOSECONDS
    except (OSError, ValueError):
        return 0.0, 0.0
