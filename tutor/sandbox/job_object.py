"""The adapter to pywin32: a job object around a worker on Windows. It bounds memory and processes and ends with the checker."""

from __future__ import annotations

import subprocess
from importlib import import_module

# What Python and torch hold before a submission adds anything.
_OWN_BYTES = 1_500 * 1024 * 1024


def hold(process: subprocess.Popen[bytes], memory_bytes: int) -> None:
    """Put a process into a job object of its own; the handle lives as long as the process object, and the job ends with it.

    Args:
        process: just started.
        memory_bytes: what it may add to what Python and torch need.
    """
    win32job = import_module("win32job")
    job = win32job.CreateJobObject(None, "")
    limits = win32job.QueryInformationJobObject(job, win32job.JobObjectExtendedLimitInformation)
    basic = limits["BasicLimitInformation"]
    basic["LimitFlags"] |= (
        win32job.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        | win32job.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
        | win32job.JOB_OBJECT_LIMIT_PROCESS_MEMORY
    )
    # In a virtual environment python.exe only starts the real one.
    basic["ActiveProcessLimit"] = 2
    limits["ProcessMemoryLimit"] = _OWN_BYTES + memory_bytes
    win32job.SetInformationJobObject(job, win32job.JobObjectExtendedLimitInformation, limits)
    win32job.AssignProcessToJobObject(job, process._handle)  # type: ignore[attr-defined]
    process.job_object = job  # type: ignore[attr-defined]
