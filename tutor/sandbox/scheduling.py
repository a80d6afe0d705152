"""What the system says about the processor time of a worker."""

from __future__ import annotations

from pathlib import Path

_NANOSECONDS = 1e-9


def waited_seconds(pid: int) -> float:
    """How long a process was ready to run and had to wait for a processor; 0 where the system does not say.

    Only Linux counts that: the second number of ``/proc/PID/schedstat``, for the first thread, which is the one that runs the student's code.
    """
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) * _NANOSECONDS
    except (OSError, ValueError, IndexError):
        return 0.0
